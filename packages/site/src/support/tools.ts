/**
 * @file The tools of the site: VitePress and TypeDoc with their own TypeScript, outside of the
 * workspaces.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TOOLS } from "./paths.js";

/** What was installed last. */
const INSTALLED = join(TOOLS, "node_modules/.installed.json");

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, {
    cwd: TOOLS,
    stdio: "inherit",
    shell: command === "npm" && process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed`, { cause: error });
}

const lockText = (): string => readFileSync(join(TOOLS, "package-lock.json"), "utf8");

/** Returns whether the tools of the lock file are there. */
export const hasTools = (): boolean =>
  existsSync(INSTALLED) && readFileSync(INSTALLED, "utf8") === lockText();

/** Installs the tools when the lock file has changed since. */
export function installTools(): void {
  if (hasTools()) return;
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(INSTALLED, lockText());
}

/** Runs a script of the tools. Throws when it fails. */
export const runTool = (script: string, ...args: string[]): void => run(process.execPath, [script, ...args]);
