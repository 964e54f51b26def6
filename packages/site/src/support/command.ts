/** @file What the `sconce` command prints, as data for pages. */
import { run } from "@sconce/cli";

/** Runs the command and returns what it writes. Throws when it writes an error. */
async function output(...args: string[]): Promise<string> {
  const written = { out: "", err: "" };
  const code = await run(args, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    terminal: false,
    interactive: false,
  });
  if (code !== 0) throw new Error(`sconce ${args.join(" ")}: ${written.err}`);
  return written.out;
}

/** Runs the command with `--json` and returns the value that it prints. */
export const jsonOutput = async <T>(...args: string[]): Promise<T> =>
  JSON.parse(await output(...args, "--json")) as T;
