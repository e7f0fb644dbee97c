// Publishes gcc's errors for open C files as another extension would, and writes what the editor holds to a file that the
// tests read: texts of documents, whether they are saved, diagnostics, settings. Calls a language-model tool as an agent
// would, with what a test has written to a file.
const { spawn } = require("node:child_process");
const { readFileSync, renameSync, writeFileSync } = require("node:fs");
const { dirname } = require("node:path");
const vscode = require("vscode");

const STATE = process.env.COMPANION_STATE;
const ERROR = /^<stdin>:(\d+):(\d+): (?:fatal )?error: (.*)$/gm;

exports.activate = (context) => {
  const errors = vscode.languages.createDiagnosticCollection("companion");
  const report = () => {
    const documents = vscode.workspace.textDocuments
      .filter((document) => document.uri.scheme === "file")
      .map((document) => [
        document.uri.fsPath,
        { text: document.getText(), dirty: document.isDirty, version: document.version },
      ]);
    const diagnostics = vscode.languages
      .getDiagnostics()
      .flatMap(([uri, found]) =>
        found.map(({ source = "", message, range }) => ({ file: uri.fsPath, source, message, line: range.start.line })),
      );
    const settings = vscode.workspace.getConfiguration("compileLoop");
    writeFileSync(`${STATE}.new`, JSON.stringify({ documents: Object.fromEntries(documents), diagnostics, settings }));
    renameSync(`${STATE}.new`, STATE);
  };
  const check = (document) => {
    if (document.languageId !== "c" || document.uri.scheme !== "file") {
      return;
    }
    const words = ["-fsyntax-only", "-fdiagnostics-plain-output", "-x", "c", "-"];
    const gcc = spawn("gcc", words, { cwd: dirname(document.uri.fsPath), stdio: ["pipe", "ignore", "pipe"] });
    const version = document.version;
    let output = "";
    gcc.stderr.on("data", (part) => {
      output += part;
    });
    gcc.on("error", () => {});
    gcc.on("close", () => {
      if (document.version === version) {
        const found = [...output.matchAll(ERROR)].map(([, line, column, message]) => {
          const at = new vscode.Position(line - 1, column - 1);
          const range = document.getWordRangeAtPosition(at) ?? new vscode.Range(at, at.translate(0, 1));
          const diagnostic = new vscode.Diagnostic(range, message, vscode.DiagnosticSeverity.Error);
          diagnostic.source = "gcc";
          return diagnostic;
        });
        errors.set(document.uri, found);
      }
    });
    gcc.stdin.on("error", () => {}).end(document.getText());
  };
  const callTool = async () => {
    const { name, input } = JSON.parse(readFileSync(`${STATE}.call`, "utf8"));
    const answer = await vscode.lm
      .invokeTool(name, { input, toolInvocationToken: undefined })
      .then(({ content }) => content.map(({ value }) => value).join(""), String);
    writeFileSync(`${STATE}.answer`, answer);
  };
  context.subscriptions.push(
    errors,
    vscode.commands.registerCommand("companion.callTool", callTool),
    vscode.workspace.onDidOpenTextDocument(check),
    vscode.workspace.onDidOpenTextDocument(report),
    vscode.workspace.onDidChangeTextDocument(({ document }) => check(document)),
    vscode.workspace.onDidChangeTextDocument(report),
    vscode.workspace.onDidSaveTextDocument(report),
    vscode.languages.onDidChangeDiagnostics(report),
    vscode.workspace.onDidChangeConfiguration(report),
  );
  vscode.workspace.textDocuments.forEach(check);
  report();
};
