import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const FILES = {
  "src/stack.h": `#ifndef STACK_H
#define STACK_H

typedef struct {
    int items[16];
    int size;
} stack;

void push(stack *s, int value);
int pop(stack *s);

#endif
`,
  "src/stack.c": `#include "stack.h"

void push(stack *s, int value) {
    s->items[s->count++] = value;
}

int pop(stack *s) {
    return s->items[--s->count];
}
`,
  "src/main.c": `#include <stdio.h>
#include "stack.h"

int main(void) {
    stack numbers = {0};
    push(&numbers, 40);
    push(&numbers, 2);
    int sum = pop(&numbers) + pop(numbers);
    printf("%d\\n", sum);
    return 0;
}
`,
  // The folder's own setting is taken, since the folder is trusted.
  ".vscode/settings.json": '{ "compileLoop.check": "gcc -Wall -Werror -o app src/main.c src/stack.c" }\n',
};
const FIXED = {
  "src/stack.c": FILES["src/stack.c"].replaceAll("count", "size"),
  "src/main.c": FILES["src/main.c"].replace("pop(numbers)", "pop(&numbers)"),
};

const FIRST = `The field is called size.

<<< path=src/stack.c >>>
<<<<<<< SEARCH
    s->items[s->count++] = value;
=======
    s->items[s->size++] = value;
>>>>>>> REPLACE
<<<<<<< SEARCH
    return s->items[--s->count];
=======
    return s->items[--s->size];
>>>>>>> REPLACE
`;
const SECOND = `stack.c used a field that does not exist, and main.c passed the stack itself where pop wants its address.

<<< path=src/main.c >>>
<<<<<<< SEARCH
    int sum = pop(&numbers) + pop(numbers);
=======
    int sum = pop(&numbers) + pop(&numbers);
>>>>>>> REPLACE
`;

test("two files from the palette: picked, fixed in two rounds, both applied (V2, V4, V5, E2)", async () => {
  await Model.run(
    [
      { text: FIRST, pause: 60 },
      { text: SECOND, pause: 60 },
    ],
    async (model) => {
      const settings = model.settings;
      await Workbench.run("fix-files", { settings, files: FILES, folder: "stack" }, async (vscode) => {
        await vscode.openFile("main.c", "src/main.c");
        await vscode.openFile("stack.c", "src/stack.c");
        await until("both files to fail in the editor", () => vscode.state.diagnostics.length >= 2);
        await vscode.command("Compile Loop: Fix Files…");
        const line = (name: string) =>
          vscode.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first();
        await line("src/main.c").waitFor();
        await vscode.picture("fix-files-1-pick");
        for (const name of ["src/main.c", "src/stack.c"]) {
          assert.ok(await line(name).getByRole("checkbox").isChecked(), `${name} fails, so it is chosen at first`);
        }
        await vscode.page.keyboard.press("Enter");

        const progress = vscode.notification("Compile Loop: fixing 2 files");
        await progress.getByText(/round 2 of 5/).waitFor();
        await vscode.picture("fix-files-2-progress");
        const question = vscode.notification(/Apply 2 files\?/);
        await question.waitFor();
        await vscode.page.locator(".multiDiffEntry").nth(1).waitFor();
        await vscode.picture("fix-files-3-diff");

        await vscode.press(question, "Apply");
        await vscode.diffClosed();
        for (const [name, text] of Object.entries(FIXED)) {
          await until(`the edit in ${name}`, () => vscode.text(name) === text);
          assert.equal(vscode.bytes(name), FILES[name as keyof typeof FILES], "applying wrote to the disk");
        }
        await vscode.command("File: Save All");
        for (const [name, text] of Object.entries(FIXED)) {
          await until(`${name} to be saved`, () => vscode.state.documents[vscode.path(name)]?.dirty === false);
          assert.equal(vscode.bytes(name), text);
        }
        await vscode.picture("fix-files-4-applied");

        await vscode.command("Compile Loop: Show Log");
        await vscode.page.locator(".part.panel .view-lines", { hasText: "Finished: green" }).waitFor();
        await vscode.picture("fix-files-5-log");
      });
    },
  );
});
