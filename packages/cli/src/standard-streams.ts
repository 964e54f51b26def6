/** @file The standard streams of the process. */

import { fstatSync, writeSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { systemCode } from "@sconce/errors";
import { outputFailed } from "./errors.js";
import type { Io } from "./io.js";

/**
 * Returns the streams of this process. `NO_COLOR` keeps all control characters out, those of
 * progress bars included.
 */
export function processIo(): Io {
  const { stdout, stderr, stdin, env } = process;
  const output = new StandardOutput();
  // There is no place to report it.
  stderr.on("error", () => {});
  return {
    out: (text) => output.write(text),
    err: (text) => void stderr.write(text),
    finish: () => output.finish(),
    input: () => buffer(stdin),
    terminal: stdout.isTTY === true,
    errorTerminal: stderr.isTTY === true,
    interactive: stderr.isTTY === true && !env["NO_COLOR"],
    env,
  };
}

/**
 * Standard output with its failures. A reader that has seen enough (`sconce print FILE | head`) is
 * none: what comes after is dropped.
 */
class StandardOutput {
  readonly #pending = new Set<Promise<void>>();
  readonly #isFile = isFile();
  #isClosed = false;
  #failure: unknown;

  constructor() {
    process.stdout.on("error", (error) => this.#fail(error));
  }

  write(text: string): void {
    if (this.#isClosed || text === "") return;
    try {
      if (this.#isFile) writeAll(Buffer.from(text));
      else this.#send(text);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Resolves when everything is written. @throws SconceError `OUTPUT` */
  async finish(): Promise<void> {
    await Promise.all(this.#pending);
    if (this.#failure !== undefined) throw outputFailed(this.#failure);
  }

  #send(text: string): void {
    const sent = new Promise<void>((resolve) => {
      process.stdout.write(text, (error) => {
        if (error) this.#fail(error);
        resolve();
      });
    }).then(() => void this.#pending.delete(sent));
    this.#pending.add(sent);
  }

  #fail(error: unknown): void {
    if (!this.#isClosed && systemCode(error) !== "EPIPE") this.#failure = error;
    this.#isClosed = true;
  }
}

/** Node writes to files and devices once and does not look at how much was taken. */
function writeAll(bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(1, bytes, done);
}

function isFile(): boolean {
  try {
    const found = fstatSync(1);
    return found.isFile() || (found.isCharacterDevice() && process.stdout.isTTY !== true);
  } catch {
    return false;
  }
}
