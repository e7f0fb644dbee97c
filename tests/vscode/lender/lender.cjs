// Offers the model `lent-1`, which says what the file LENDER_REPLIES lists, one reply a request, the last one for all further
// ones: words, tool calls, an error. What it is asked, and how often it is told to stop, is written to LENDER_STATE.
const { readFileSync, renameSync, writeFileSync } = require("node:fs");
const vscode = require("vscode");

const model = {
  id: "lent-1",
  name: "Lent 1",
  family: "lent",
  version: "1",
  maxInputTokens: 100_000,
  maxOutputTokens: 10_000,
  capabilities: { toolCalling: true },
};

exports.activate = (context) => {
  const replies = JSON.parse(readFileSync(process.env.LENDER_REPLIES, "utf8"));
  const state = { requests: [], cancelled: 0 };
  const write = () => {
    writeFileSync(`${process.env.LENDER_STATE}.new`, JSON.stringify(state));
    renameSync(`${process.env.LENDER_STATE}.new`, process.env.LENDER_STATE);
  };
  const provider = {
    provideLanguageModelChatInformation: () => [model],
    provideTokenCount: (_model, text) => String(text).length,
    provideLanguageModelChatResponse: async (_model, messages, options, progress, token) => {
      state.requests.push({
        messages: messages.map(({ role, content }) => ({ role, parts: content.map(told) })),
        tools: (options.tools ?? []).map(({ name }) => name),
      });
      write();
      const reply = replies[Math.min(state.requests.length, replies.length) - 1];
      for (const piece of reply.text?.match(/.{1,24}/gs) ?? []) {
        progress.report(new vscode.LanguageModelTextPart(piece));
        await new Promise((next) => setTimeout(next, 5));
      }
      for (const [index, { name, input }] of (reply.calls ?? []).entries()) {
        progress.report(new vscode.LanguageModelToolCallPart(`k${state.requests.length}${index}`, name, input));
      }
      if (reply.refuses) {
        throw vscode.LanguageModelError[reply.refuses]("The test says no");
      }
      if (reply.endless) {
        await new Promise((stopped) => token.onCancellationRequested(stopped));
        state.cancelled++;
        write();
      }
    },
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("lender", provider));
  write();
};

function told(part) {
  if (part instanceof vscode.LanguageModelTextPart) {
    return { text: part.value };
  }
  if (part instanceof vscode.LanguageModelToolCallPart) {
    return { callId: part.callId, name: part.name, input: part.input };
  }
  return { callId: part.callId, text: part.content.map(({ value }) => value).join("") };
}
