import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** What the model says to one request: words, sent in small pieces this many milliseconds apart. */
export interface Reply {
  readonly text: string;
  readonly pause?: number;
  /** A tool that is called with these arguments. */
  readonly call?: { name: string; arguments: object };
  /** An HTTP status to fail with instead. */
  readonly status?: number;
}

/** A model on loopback that speaks Chat Completions with streaming over real HTTP. The last reply serves all further requests. */
export class Model {
  readonly prompts: string[] = [];
  /** The `Authorization` of each request. */
  readonly keys: (string | undefined)[] = [];
  /** Requests whose client hung up before the answer was over. */
  hungUp = 0;
  private readonly server: Server;

  private constructor(replies: readonly Reply[]) {
    this.server = createServer(async (request, response) => {
      const body = (await Array.fromAsync(request)).join("");
      const { messages } = JSON.parse(body) as { messages: { content: string }[] };
      this.keys.push(request.headers.authorization);
      this.prompts.push(messages.map((message) => message.content).join("\n"));
      const reply = replies[Math.min(this.prompts.length, replies.length) - 1];
      let gone = false;
      response.on("close", () => {
        gone = !response.writableFinished;
        this.hungUp += Number(gone);
      });
      if (reply?.status) {
        response.writeHead(reply.status, { "Content-Type": "application/json" });
        response.end(JSON.stringify({ error: { message: "The key was not accepted." } }));
        return;
      }
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      const send = (choice: object, more: object = {}) => {
        const chunk = { id: "1", object: "chat.completion.chunk", model: "scripted", choices: [choice], ...more };
        response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      };
      for (const piece of reply?.text.match(/.{1,24}/gs) ?? []) {
        if (gone) {
          return;
        }
        send({ index: 0, delta: { content: piece }, finish_reason: null });
        await new Promise((next) => setTimeout(next, reply?.pause ?? 20));
      }
      if (reply?.call) {
        const call = { name: reply.call.name, arguments: JSON.stringify(reply.call.arguments) };
        const tool = { index: 0, id: "call_1", type: "function", function: call };
        send({ index: 0, delta: { tool_calls: [tool] }, finish_reason: null });
      }
      const usage = { prompt_tokens: 400, completion_tokens: 60, total_tokens: 460 };
      send({ index: 0, delta: {}, finish_reason: reply?.call ? "tool_calls" : "stop" }, { usage });
      response.end("data: [DONE]\n\n");
    });
  }

  static async run(replies: readonly Reply[], work: (model: Model) => Promise<void>): Promise<void> {
    const model = new Model(replies);
    await new Promise<void>((listening) => model.server.listen(0, "127.0.0.1", listening));
    try {
      await work(model);
    } finally {
      model.server.closeAllConnections();
      model.server.close();
    }
  }

  /** Settings that make this the model. */
  get settings(): Record<string, unknown> {
    const { port } = this.server.address() as AddressInfo;
    return { "compileLoop.model": "openai:scripted", "compileLoop.baseUrl": `http://127.0.0.1:${port}/v1` };
  }
}
