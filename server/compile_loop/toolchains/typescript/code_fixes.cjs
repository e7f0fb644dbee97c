// Asks the project's own TypeScript, through its language service, for the code fixes of diagnostics.
//
// Run in the workspace's root as `node code_fixes.cjs REQUEST`, where REQUEST is JSON: a list of {file, line, character,
// code} with files relative to the root, lines and characters from zero (UTF-16). Prints one JSON object: {fixes: [...]},
// in the order of the request, each a list of {name, description, changes: [{file, edits: [{start, length, text}]}]} with
// offsets in UTF-16 units; or {error} where there is no TypeScript with a language service.
"use strict";
const path = require("node:path");

function load(directory) {
  for (const from of [directory, process.cwd()]) {
    try {
      const ts = require(require.resolve("typescript", { paths: [from] }));
      if (typeof ts.createLanguageService === "function") return ts;
    } catch {
      // look further
    }
  }
  return null;
}

/** One language service for all files of a tsconfig.json, or for a file without one. */
function makeService(ts, file) {
  const config = ts.findConfigFile(path.dirname(file), ts.sys.fileExists, "tsconfig.json");
  let options = { strict: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ES2022 };
  let names = [file];
  if (config) {
    const read = ts.readConfigFile(config, ts.sys.readFile);
    const parsed = ts.parseJsonConfigFileContent(read.config ?? {}, ts.sys, path.dirname(config));
    options = parsed.options;
    names = parsed.fileNames.includes(file) ? parsed.fileNames : [...parsed.fileNames, file];
  }
  const host = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => names,
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const text = ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => path.dirname(config ?? file),
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  };
  return { key: config ?? file, service: ts.createLanguageService(host) };
}

/** The diagnostic's own span: what the compiler printed is only where it begins. */
function spanOf(service, file, start, code) {
  const all = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)];
  const same = all.find((one) => one.code === code && one.start === start);
  return same ? same.length : 0;
}

function fixesOf(ts, service, root, asked) {
  const file = path.resolve(root, asked.file);
  const source = service.getProgram()?.getSourceFile(file);
  if (!source) return [];
  const start = ts.getPositionOfLineAndCharacter(source, asked.line, asked.character);
  const end = start + spanOf(service, file, start, asked.code);
  const format = ts.getDefaultFormatCodeSettings?.("\n") ?? {};
  const found = service.getCodeFixesAtPosition(file, start, end, [asked.code], format, {});
  return found.map((fix) => ({
    name: fix.fixName,
    description: fix.description,
    changes: fix.changes.map((change) => ({
      file: path.relative(root, change.fileName).split(path.sep).join("/"),
      new: change.isNewFile === true,
      edits: change.textChanges.map((edit) => ({ start: edit.span.start, length: edit.span.length, text: edit.newText })),
    })),
  }));
}

function main() {
  const root = process.cwd();
  const request = JSON.parse(process.argv[2] ?? "[]");
  const services = new Map();
  let ts = null;
  const fixes = request.map((asked) => {
    const file = path.resolve(root, asked.file);
    ts ??= load(path.dirname(file));
    if (ts === null) return [];
    try {
      const config = ts.findConfigFile(path.dirname(file), ts.sys.fileExists, "tsconfig.json") ?? file;
      if (!services.has(config)) services.set(config, makeService(ts, file).service);
      return fixesOf(ts, services.get(config), root, asked);
    } catch (error) {
      process.stderr.write(`${asked.file}: ${error.message}\n`);
      return [];
    }
  });
  const answer = ts === null ? { error: "no TypeScript with a language service was found" } : { fixes };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

main();
