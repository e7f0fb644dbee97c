import { type CodeAction, commands, Range, Uri } from "vscode";
import type { FixPlace, QuickFix } from "./protocol.js";

/** The quick fixes of other extensions, as far as they edit text; which of them is tried, the server decides (SPEC D5). */
export async function quickFixes({ uri, range: { start, end } }: FixPlace): Promise<QuickFix[]> {
  const range = new Range(start.line, start.character, end.line, end.character);
  const words = [Uri.parse(uri), range, "quickfix", 20]; // so many are worked out in full
  const actions = await commands.executeCommand<CodeAction[]>("vscode.executeCodeActionProvider", ...words);
  return actions.map(({ title, isPreferred: preferred = false, edit }) => {
    const files = edit?.entries().map(([file, texts]) => {
      return texts.map(({ range: { start, end }, newText: text }) => ({ uri: `${file}`, range: { start, end }, text }));
    });
    return { title, preferred, edits: files?.flat() ?? [] };
  });
}
