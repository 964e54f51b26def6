/** @file Workers of pages and of Node, as far as both are alike. */

import { thrownText } from "@sconce/errors";

/** A worker, or the way back from it. */
export interface WorkerPort {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  /** As workers of Node have it. */
  readonly on?: unknown;
  /** As workers of pages have it. */
  readonly addEventListener?: unknown;
}
/** A worker that can be ended. */
export interface WorkerLike extends WorkerPort {
  terminate(): unknown;
  /** As workers of Node have it: whether the process waits for it. */
  ref?(): void;
  /** The opposite. */
  unref?(): void;
}

type Listen<V> = (event: string, listener: (value: V) => void) => void;

/**
 * Calls a function for each message, or for the end of a worker with the reason, and in Node with
 * the code of an error.
 */
export function listen(
  port: WorkerPort,
  event: "message" | "error" | "exit",
  call: (value: unknown, code?: unknown) => void,
): void {
  if (typeof port.on === "function") {
    const on = port.on.bind(port) as Listen<unknown>;
    on(event, (value) => {
      const { message, code } = event === "error" ? reasonOf(value) : { message: value };
      call(message, code);
    });
  } else if (typeof port.addEventListener === "function") {
    const add = port.addEventListener.bind(port) as Listen<{
      readonly data?: unknown;
      readonly message?: unknown;
    }>;
    // A page says nothing of a script that it cannot load.
    const notLoaded = "its script did not load: the address may be wrong, or the script of another origin";
    add(event, (value) => call(event === "message" ? value.data : (value.message ?? notLoaded)));
  }
}

/** Returns what a worker ended with: it may throw anything. */
function reasonOf(thrown: unknown): { readonly message: unknown; readonly code?: unknown } {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return { message: thrownText(thrown), code };
}
