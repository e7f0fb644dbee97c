import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { type AskModelParams, AskModelRequest, LanguageModelsRequest, ModelPieceNotification } from "./protocol.js";

/** Lends this editor's models to the server: it says what to ask, and gets each piece of the reply as it comes (SPEC M1). */
export function lend(client: LanguageClient): void {
  client.onRequest(LanguageModelsRequest, async () => ({
    models: (await vscode.lm.selectChatModels()).map(({ id, name, vendor }) => ({ id, name, vendor })),
  }));
  client.onRequest(AskModelRequest, async ({ key, model, messages, tools }, token) => {
    try {
      const [chat] = await vscode.lm.selectChatModels({ id: model });
      if (!chat) {
        throw vscode.LanguageModelError.NotFound("");
      }
      const { Assistant, User } = vscode.LanguageModelChatMessage;
      const said = messages.map(({ role, parts }) => (role === "user" ? User : Assistant)(parts.map(written) as never));
      const how = { justification: "To fix code until its check passes.", tools };
      const reply = await chat.sendRequest(said, how, token);
      for await (const part of reply.stream) {
        if (part instanceof vscode.LanguageModelTextPart) {
          await client.sendNotification(ModelPieceNotification, { key, part: { text: part.value } });
        } else if (part instanceof vscode.LanguageModelToolCallPart) {
          const { callId, name, input } = part;
          await client.sendNotification(ModelPieceNotification, { key, part: { callId, name, input: { ...input } } });
        }
      }
      return { message: "" };
    } catch (error) {
      const code = error instanceof vscode.LanguageModelError ? error.code : "";
      return { code, message: error instanceof Error ? error.message : String(error) };
    }
  });
}

function written({ text, callId, name, input }: AskModelParams["messages"][number]["parts"][number]) {
  const words = new vscode.LanguageModelTextPart(text ?? "");
  const answer = () => (callId ? new vscode.LanguageModelToolResultPart(callId, [words]) : words);
  return callId && name ? new vscode.LanguageModelToolCallPart(callId, name, input ?? {}) : answer();
}
