// Stands in for @vscode/spdlog, whose native half is not built here: VS Code shows an output channel from its log file, so
// without a logger every output channel stays empty.
const { appendFileSync, mkdirSync } = require("node:fs");
const { dirname } = require("node:path");

const LEVELS = ["trace", "debug", "info", "warning", "error", "critical"];

class Logger {
  constructor(_kind, _name, file) {
    this.file = file;
    this.level = LEVELS.indexOf("info");
    this.bare = false;
    mkdirSync(dirname(file), { recursive: true });
  }
  write(level, message) {
    if (level >= this.level) {
      const head = `${new Date().toISOString().replace("T", " ").replace("Z", "")} [${LEVELS[level]}] `;
      appendFileSync(this.file, this.bare ? message : `${head}${message}\n`);
    }
  }
  getLevel() {
    return this.level;
  }
  setLevel(level) {
    this.level = level;
  }
  clearFormatters() {
    this.bare = true;
  }
  setPattern() {}
  flush() {}
  drop() {}
}
for (const [level, name] of ["trace", "debug", "info", "warn", "error", "critical"].entries()) {
  Logger.prototype[name] = function (message) {
    this.write(level, message);
  };
}

const make = async (name, file) => new Logger("rotating", name, file);
// One by one: VS Code imports these as names of an ES module, which Node.js finds only in this form.
exports.version = 0;
exports.Logger = Logger;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.createRotatingLogger = make;
exports.createAsyncRotatingLogger = make;
