import { SconceError } from "@sconce/errors";

/** Returns the error for a worker that ended while it computed a part of a kernel. */
export const threadLost = (reason: string): SconceError =>
  new SconceError({
    code: "THREAD_LOST",
    message: `a thread of the wasm backend ended during a run: ${reason}`,
    fix: "run again: the backend has new threads",
  });

/** Returns the error for a cache of kernels that threw. */
export const cacheFailed = (cause: unknown): SconceError =>
  new SconceError({
    code: "CACHE_FAILED",
    message: `the cache of kernels failed: ${cause instanceof Error ? cause.message : String(cause)}`,
    fix: "correct the cache or the permissions of its folder, or leave `cache` out",
    cause,
  });
