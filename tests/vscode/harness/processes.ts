import { readdirSync, readFileSync } from "node:fs";

export interface Process {
  readonly pid: number;
  readonly command: string;
}

/** Every process that runs now, read from /proc; one that ends meanwhile is left out. */
function all(): (Process & { parent: number })[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) {
      return [];
    }
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      return state === "Z" ? [] : [{ pid: Number(name), parent: Number(parent), command }];
    } catch {
      return [];
    }
  });
}

/** The processes beneath `pid`. */
export function descendants(pid: number): Process[] {
  const processes = all();
  const found = new Set([pid]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const process of processes) {
      if (found.has(process.parent)) {
        found.add(process.pid);
      }
    }
  }
  found.delete(pid);
  return processes.filter((process) => found.has(process.pid));
}

/** Processes anywhere on the machine whose command line has `part` in it, whoever their parent is by now. */
export function running(part: string): Process[] {
  return all().filter((process) => process.command.includes(part));
}
