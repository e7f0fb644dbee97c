import {
  Disposable,
  EventEmitter,
  LanguageModelTextPart,
  LanguageModelToolResult,
  lm,
  McpStdioServerDefinition,
  workspace,
} from "vscode";
import type { Server } from "./client.js";
import { facts } from "./facts.js";
import { SECTION, ToolRequest } from "./protocol.js";

interface Asked {
  readonly files?: readonly string[];
  readonly check?: string | readonly string[];
  readonly apply?: boolean;
}

/** The loop for agents: a tool for the models of this editor, and an MCP server for whatever speaks that (SPEC P4). */
export function registerAgents(server: Server, version: string): Disposable {
  const tool = lm.registerTool<Asked>("compile_loop_fix", {
    prepareInvocation: ({ input: { files = [], check = [], apply } }) => {
      const what = files.join(", ") || "the workspace";
      const commands = [check].flat().join("; ") || "the check that is found";
      const message = `Runs ${commands} in an isolated copy${apply ? " and applies a green result" : ""}.`;
      return {
        invocationMessage: `Fixing ${what} until it compiles`,
        confirmationMessages: { title: `Fix ${what} until it compiles?`, message },
      };
    },
    invoke: async ({ input }, token) => {
      const client = await server.ready();
      const request = { arguments: { ...input }, encodings: facts().encodings };
      const { text } = await client.sendRequest(ToolRequest, request, token);
      return new LanguageModelToolResult([new LanguageModelTextPart(text)]);
    },
  });
  const trusted = new EventEmitter<void>();
  const mcp = lm.registerMcpServerDefinitionProvider("compileLoop.mcp", {
    onDidChangeMcpServerDefinitions: trusted.event,
    provideMcpServerDefinitions: () =>
      (workspace.isTrusted ? (workspace.workspaceFolders ?? []) : []).map(({ name, uri }) => {
        const args = ["-I", "-m", "compile_loop", "mcp", "--root", uri.fsPath, ...model()];
        return new McpStdioServerDefinition(`Compile Loop: ${name}`, "python3", args, {}, version);
      }),
    // Its Python is known once the server is up; the environment is made first where it has to be.
    resolveMcpServerDefinition: async (definition) => {
      await server.ready();
      return Object.assign(definition, { command: server.python });
    },
  });
  return Disposable.from(
    tool,
    mcp,
    trusted,
    workspace.onDidGrantWorkspaceTrust(() => trusted.fire()),
  );
}

/** The settings' model; one of this editor's own models cannot be asked from outside. */
function model(): string[] {
  const settings = workspace.getConfiguration(SECTION);
  const words = ["model", "baseUrl"].map((name) => settings.get<string>(name, ""));
  const [name = "", address = ""] = words;
  return name && !name.startsWith("vscode:") ? ["--model", name, ...(address ? ["--base-url", address] : [])] : [];
}
