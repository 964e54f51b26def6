import { SconceError } from "@sconce/errors";

/** The worker of a backend is gone. */
export const workerEnded = (reason: string): SconceError =>
  new SconceError({
    code: "WORKER_ENDED",
    message: `the worker of the backend has ended: ${reason}`,
    fix: "make a new one with `sconce.worker()`, and compile the programs again",
  });

/** Something failed in the worker that is not Sconce's error. */
export const workerFailed = (reason: string): SconceError =>
  new SconceError({
    code: "WORKER_FAILED",
    message: `the worker of the backend failed: ${reason}`,
    fix: "run the program on the same backend without a worker, and report it",
  });

/** An error of Sconce's that was thrown in the worker. */
export const thrownThere = (init: ConstructorParameters<typeof SconceError>[0]): SconceError =>
  new SconceError(init);
