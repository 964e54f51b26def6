/** @file The runtime of workers at the edge, from the package `workerd` of npm. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { arch, platform } from "node:process";

/**
 * The program in the folder that `SCONCE_WORKERD` names, where `npm install --prefix FOLDER
 * workerd` put it; undefined if there is none. Sconce does not depend on the package, which has
 * more than 100 MB. The command of the package itself is a script, where its installation ran no
 * scripts; that script does not pass the channel on which `serve` listens.
 */
export function findWorkerd(): string | undefined {
  const folder = process.env["SCONCE_WORKERD"];
  if (folder === undefined) return undefined;
  const cpu = arch === "x64" ? "64" : arch;
  const path = join(folder, "node_modules/@cloudflare", `workerd-${platform}-${cpu}`, "bin/workerd");
  return existsSync(path) ? path : undefined;
}

/** A worker that listens. */
export interface Served {
  readonly address: string;
  /** What it wrote to its log. */
  log(): string;
  close(): Promise<void>;
}

/** Starts the worker of a configuration on a free port. */
export async function serve(workerd: string, config: string): Promise<Served> {
  const child = spawn(workerd, ["serve", config, "--control-fd=3"], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stderr!.on("data", (text: Buffer) => {
    log += String(text);
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const listening = new Promise<number>((resolve, reject) => {
    let events = "";
    child.stdio[3]!.on("data", (text: Buffer) => {
      events += String(text);
      const port = /"event":"listen"[^}]*"port":(\d+)/.exec(events)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.on("error", reject);
    void ended.then(() => reject(new Error(`workerd ended: ${log}`)));
  });
  return {
    address: `http://127.0.0.1:${await listening}/`,
    log: () => log,
    close: () => {
      child.kill();
      return ended;
    },
  };
}
