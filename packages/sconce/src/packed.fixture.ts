/** @file The tarballs of all published packages, as `npm run pack:all` makes them. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sharedFolder } from "../../../.config/shared-folder.js";

/** The folder of the repository. */
export const ROOT: string = fileURLToPath(new URL("../../../", import.meta.url));

/** Returns whether a package is one of Sconce's. */
export const isOwn = (name: string): boolean => /^(sconce$|@sconce\/)/.test(name);

/** Runs a program and returns what it printed. Rejects when it fails. */
export function runProgram(
  command: string,
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...process.env, NO_COLOR: "1", ...variables };
  // On Windows npm is a script of the shell.
  const shell = process.platform === "win32" && command !== process.execPath;
  return new Promise((done, fail) => {
    execFile(command, args, { cwd, env, shell, maxBuffer: 2 ** 26 }, (error, out, err) => {
      if (error === null) done(out);
      else
        fail(new Error(`${command} ${args.join(" ")}: exit code ${error.code}\n${(out + err).slice(-8000)}`));
    });
  });
}

/** The tarballs of the packages. */
export interface PackedPackages {
  readonly tarballs: readonly string[];
  /** What the tool printed: the command that installs them, in an indented line. */
  readonly printed: string;
}

/** Packs the packages, once for all test files of a run. */
export async function packPackages(): Promise<PackedPackages> {
  const folder = await sharedFolder("packed", async (into) => {
    const printed = await runProgram(process.execPath, [".config/pack.mjs", into], ROOT);
    writeFileSync(join(into, PRINTED), printed);
  });
  const names = readdirSync(folder).filter((name) => name !== PRINTED);
  return {
    tarballs: names.map((name) => join(folder, name)),
    printed: readFileSync(join(folder, PRINTED), "utf8"),
  };
}

/** What the tool printed, beside the tarballs. */
const PRINTED = "printed.txt";

/** Returns the bytes of a file. */
export const bytesOf = (path: string): Uint8Array => new Uint8Array(readFileSync(path));
