/** Most of the extension's code, in a bundle of its own that is loaded with the first server: the window does not wait for it. */
export { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn } from "vscode-languageclient/node";
