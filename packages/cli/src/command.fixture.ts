/** @file Runs the command inside of tests, and names the files that they use. */
import { fileURLToPath } from "node:url";
import type { Io } from "./io.js";
import { run } from "./main.js";

const PROGRAMS = new URL("../../testing/fixtures/programs/", import.meta.url);

/** Path of a file of one of the exported programs. */
export const fixture = (program: string, file = "program.pt2"): string =>
  fileURLToPath(new URL(`${program}/${file}`, PROGRAMS));

/** A plugin module with `mylib.sin` and the pass `mylib-to-aten`. */
export const PLUGIN: string = fileURLToPath(new URL("../fixtures/mylib.js", import.meta.url));

/** What a run of the command wrote, and its exit code. */
export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `sconce` with these arguments, not on a terminal. */
export const sconce = (...args: readonly string[]): Promise<CommandResult> => sconceOn({}, ...args);

/**
 * Returns the same with other streams: standard input, a terminal, variables of the environment.
 */
export async function sconceOn(streams: Partial<Io>, ...args: readonly string[]): Promise<CommandResult> {
  let out = "";
  let err = "";
  const code = await run(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    terminal: false,
    interactive: false,
    ...streams,
  });
  return { code, out, err };
}

/** Streams whose standard input has these bytes or this text. */
export const withInput = (input: Uint8Array | string): Partial<Io> => ({
  input: () => Promise.resolve(typeof input === "string" ? new TextEncoder().encode(input) : input),
});
