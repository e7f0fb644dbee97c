import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

test("first use: from the walkthrough to the first green, with no key and no model (V7, V6, V5)", async () => {
  await Workbench.run("first-use", { files: { "readme.txt": "" } }, async (vscode) => {
    const { page } = vscode;
    // The view of runs is empty, and says what to do.
    await vscode.command("Compile Loop: Show Runs");
    await page.locator(".part.sidebar .welcome-view-content", { hasText: "No run in this folder yet" }).waitFor();
    await vscode.picture("first-use-1-empty-view");

    await vscode.command("Welcome: Open Walkthrough...");
    await vscode.line("Get started with Compile Loop").click();
    const step = (words: string) => page.locator(".getting-started-step", { hasText: words });
    await step("Choose a model, or none").waitFor();
    await vscode.picture("first-use-2-walkthrough");
    await step("Choose a model, or none").getByRole("button", { name: "Choose Model…" }).click();
    await vscode.line("No model").waitFor();
    await vscode.picture("first-use-3-model");
    await vscode.line("No model").click();
    await vscode.notification("No model is asked").waitFor();

    await step("Fix a broken sample").click();
    await step("Fix a broken sample").getByRole("button", { name: "Open Broken Sample" }).click();
    await page.locator(".tab.active", { hasText: "sample.c" }).waitFor();
    await vscode.focusEditor();
    await vscode.command("Compile Loop: Fix This File Until It Compiles");
    const question = vscode.notification(/Found a fix among the toolchain's own suggestions.*Apply 1 file\?/);
    await question.waitFor();
    await vscode.picture("first-use-4-diff");
    await vscode.press(question, "Apply");
    const text = () => Object.entries(vscode.state.documents).find(([path]) => path.endsWith("sample.c"))?.[1].text;
    await until("the fixed name", () => text()?.includes('printf("%d\\n", answer)'));
    await vscode.notification("Applied to 1 file.").waitFor();
    await vscode.node(/sample\.c.*green/).waitFor();
    await vscode.picture("first-use-5-green");

    // What the editor says of the extension's start; a figure to look at, not to fail by.
    await vscode.command("Developer: Show Running Extensions");
    const running = page.locator(".runtime-extensions-editor .extension", { hasText: "Compile Loop" }).first();
    await until("Compile Loop in the list, which is drawn as far as it is seen", async () => {
      await page.locator(".runtime-extensions-editor .monaco-list").hover();
      await page.mouse.wheel(0, 200);
      return (await running.count()) > 0;
    });
    console.log(`Compile Loop: ${(await running.locator(".activation-time").textContent()) ?? "no time is told"}`);

    // The same in a dark and in a high-contrast theme, to be looked at.
    for (const [theme, kind] of [
      ["Default Dark Modern", "vs-dark"],
      ["Default High Contrast", "hc-black"],
    ] as const) {
      vscode.server.configure({ "workbench.colorTheme": theme });
      await page.locator(`.monaco-workbench.${kind}`).waitFor();
      await vscode.command("Compile Loop: Show Runs");
      await vscode.picture(`first-use-6-${kind}`);
    }
  });
});

test("every picture that the README shows is there", () => {
  const root = new URL("../../../", import.meta.url);
  for (const [, path] of readFileSync(fileURLToPath(new URL("README.md", root)), "utf8").matchAll(
    /!\[[^\]]*\]\(([^)]+)\)/g,
  )) {
    readFileSync(fileURLToPath(new URL(path ?? "", root)));
  }
});
