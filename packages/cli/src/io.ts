import { readFile } from "node:fs/promises";
import { fileError } from "./errors.js";

/** Exit codes of every command. */
export const EXIT = { done: 0, differs: 1, bad: 2 } as const;

/** Where a command writes; tests give their own. */
export interface Io {
  /** Text that may hold names from a file: control characters come out escaped. */
  out(text: string): void;
  /** Writes text to the error output, as it is. */
  err(text: string): void;
  /** Whether standard output is a terminal. */
  readonly terminal: boolean;
  /** Whether progress may be drawn (a terminal on standard error). */
  readonly interactive: boolean;
}

/** An {@link Io} as commands see it. */
export interface SafeIo extends Io {
  /** Writes a text to the byte, escaped only where a terminal would act on it. */
  exact(text: string): void;
}

/**
 * Keeps what a file says from steering a terminal: every control character but line ends and tabs
 * is spelled out.
 */
export function withoutControls(io: Io): SafeIo {
  return {
    ...io,
    out: (text) => io.out(escapeControls(text)),
    err: (text) => io.err(escapeControls(text)),
    exact: (text) => io.out(io.terminal ? escapeControls(text) : text),
  };
}

const escapeControls = (text: string): string =>
  text.replace(/(?![\n\t])\p{Cc}/gu, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);

/** What a finished command says of itself. */
export interface Outcome {
  code: number;
}

/**
 * The streams of this process. `NO_COLOR` keeps all control characters out, those of progress bars
 * included.
 */
export function processIo(): Io {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    terminal: process.stdout.isTTY === true,
    interactive: process.stderr.isTTY === true && !process.env["NO_COLOR"],
  };
}

/** @throws SconceError `FILE` */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw fileError(path, error);
  }
}

/** A value as JSON text; integers past 2^53 become strings. */
export const json = (value: unknown): string =>
  `${JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item), 2)}\n`;
