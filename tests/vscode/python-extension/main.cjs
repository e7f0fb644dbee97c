const { Uri } = require("vscode");

/** The part of `PythonExtension.environments` that Compile Loop asks. */
exports.activate = () => ({
  environments: {
    getActiveEnvironmentPath: () => ({ id: "chosen", path: process.env.CHOSEN_PYTHON }),
    resolveEnvironment: async ({ path }) => ({ executable: { uri: Uri.file(path) } }),
  },
});
