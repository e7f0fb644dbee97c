// Underlines “teh” in plain text, and offers to write “the”, to add an ignore comment, and to read more.
const vscode = require("vscode");

exports.activate = (context) => {
  const errors = vscode.languages.createDiagnosticCollection("speller");
  const check = (document) => {
    if (document.languageId !== "plaintext" || document.uri.scheme !== "file") {
      return;
    }
    const found = [...document.getText().matchAll(/\bteh\b/g)].map(({ index }) => {
      const range = new vscode.Range(document.positionAt(index), document.positionAt(index + 3));
      const error = new vscode.Diagnostic(range, "“teh” is no word", vscode.DiagnosticSeverity.Error);
      error.source = "speller";
      return error;
    });
    errors.set(document.uri, found);
  };
  const provideCodeActions = (document, _range, { diagnostics }) =>
    diagnostics
      .filter(({ source }) => source === "speller")
      .flatMap(({ range }) => {
        const action = (title, text, command) => {
          const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
          if (text) {
            made.edit = new vscode.WorkspaceEdit();
            made.edit.replace(document.uri, range, text);
          }
          made.command = command;
          return made;
        };
        return [
          action("Ignore this word here", "teh /* eslint-disable-line */"),
          action("Write “the”", "the"),
          action("Read more", undefined, { command: "vscode.open", title: "Read more" }),
        ];
      });
  const kinds = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
  context.subscriptions.push(
    errors,
    vscode.languages.registerCodeActionsProvider("plaintext", { provideCodeActions }, kinds),
    vscode.workspace.onDidOpenTextDocument(check),
    vscode.workspace.onDidChangeTextDocument(({ document }) => check(document)),
  );
  vscode.workspace.textDocuments.forEach(check);
};
