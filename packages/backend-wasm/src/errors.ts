import { SconceError } from "@sconce/errors";

/** A worker ended while it computed a part of a kernel. */
export const threadLost = (reason: string): SconceError =>
  new SconceError({
    code: "THREAD_LOST",
    message: `a thread of the wasm backend ended during a run: ${reason}`,
    fix: "run again: the backend has new threads",
  });
