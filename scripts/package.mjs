// npm run package [-- --target linux-x64]: the extension as a VSIX for one platform, with all that it needs to work offline.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail, python, root, run, say, setUpNode, setUpPython } from "./setup.mjs";

const at = process.argv.indexOf("--target");
const target = at > 0 ? process.argv[at + 1] : `${process.platform}-${process.arch}`;
const supported = ["linux-x64", "linux-arm64", "alpine-x64", "darwin-arm64", "darwin-x64", "win32-x64"];
if (!supported.includes(target)) fail(`There is no package for ${target}; there is one for ${supported.join(", ")}.`);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const shell = process.platform === "win32";

setUpPython("dev");
setUpNode();
const tools = join(root, ".cache", "vsce");
const lock = readFileSync(join(root, "scripts", "vsix", "package-lock.json"), "utf8");
if (!existsSync(join(tools, "lock")) || readFileSync(join(tools, "lock"), "utf8") !== lock) {
  say("installing vsce into .cache/vsce, as locked");
  rmSync(tools, { recursive: true, force: true });
  mkdirSync(tools, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) {
    copyFileSync(join(root, "scripts", "vsix", name), join(tools, name));
  }
  run(npm, ["ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--silent"], { cwd: tools, shell });
  writeFileSync(join(tools, "lock"), lock);
}

say(`wheels for ${target}, with the hashes of requirements/vsix.txt`);
const wheels = join(root, "dist", "wheels");
const stamp = join(wheels, "target");
if (existsSync(wheels) && (!existsSync(stamp) || readFileSync(stamp, "utf8") !== target)) {
  rmSync(wheels, { recursive: true });
}
run(python, [join(root, "scripts", "wheels.py"), target, wheels]);
writeFileSync(stamp, target);

say("the bundle and the package");
run(npm, ["run", "--silent", "build"], { shell });
const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const vsix = join(root, "dist", `${name}-${target}-${version}.vsix`);
const words = ["package", "--target", target, "--no-dependencies", "--no-rewrite-relative-links", "--out", vsix];
run(process.execPath, [join(tools, "node_modules", "@vscode", "vsce", "vsce"), ...words, "--allow-missing-repository"]);
const size = (...paths) => `${(paths.reduce((sum, path) => sum + statSync(path).size, 0) / 2 ** 20).toFixed(1)} MiB`;
const bundles = ["extension.js", "library.js"].map((file) => join(root, "dist", file));
console.log(`\n${vsix}: ${size(vsix)}, of which the bundles are ${size(...bundles)}`);
