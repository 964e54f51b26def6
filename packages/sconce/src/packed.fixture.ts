/** @file The tarballs of all published packages, as `npm run pack:all` makes them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the repository. */
const ROOT: string = fileURLToPath(new URL("../../../", import.meta.url));

/** Runs a program, waits for it, and returns what it printed. Throws when it fails. */
function runProgram(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(" ")}: exit code ${status}\n${stdout}${stderr}`, { cause: error });
}

/** Packs the packages into a temporary folder, and returns the paths of the tarballs. */
export function packPackages(): { readonly tarballs: readonly string[]; dispose(): void } {
  const folder = mkdtempSync(join(tmpdir(), "sconce-packed-"));
  runProgram(process.execPath, [".config/pack.mjs", folder], ROOT);
  const tarballs = readdirSync(folder).map((name) => join(folder, name));
  return { tarballs, dispose: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The bytes of a file. */
export const bytesOf = (path: string): Uint8Array => new Uint8Array(readFileSync(path));
