/** @file The threads of a module. Modules for one thread are without. */
import { type Entry, LARGE, type SpawnEvents, type Spawned, ThreadPool } from "@sconce/backend-wasm/threads";
import type { KernelCall, Threads } from "./engine.js";
import { ModelError } from "./error.js";
import type { Layout } from "./layout.js";
import { nodePart } from "./node-parts.js";
import type { ModulePlan } from "./plan.js";

interface NodeWorker {
  on(event: string, listener: (value: never) => void): void;
  unref(): void;
  postMessage(message: unknown): void;
  terminate(): void;
}
type Workers = { readonly Worker: new (url: URL) => NodeWorker } | undefined;
type System = { availableParallelism(): number } | undefined;
const workers = (): Workers => nodePart("node:worker_threads") as Workers;

/** The most threads of one model. */
const MOST = 256;

/** Makes the threads of a model. */
export type MakeThreads = (asked: unknown) => Threads | undefined;

/**
 * Returns what makes threads; undefined as threads where there is one, or memory cannot be shared.
 *
 * @param inPage starts the worker of a page
 * @param address where Node finds it
 */
export function threadsWith(inPage: () => Worker, address: () => URL): MakeThreads {
  return (asked) => {
    const isCount = Number.isInteger(asked) && (asked as number) >= 1 && (asked as number) <= MOST;
    if (asked !== "auto" && !isCount)
      throw new ModelError(
        "INVALID_ARGUMENT",
        `threads are "auto" or a number from 1 to ${MOST}, but got ${String(asked)}`,
      );
    // Deno and Bun have both: a page's worker would keep the program from its end.
    const isNode = workers() !== undefined;
    const isAlone = !isNode && typeof Worker !== "function";
    if (typeof SharedArrayBuffer === "undefined" || isAlone) return undefined;
    const count = asked === "auto" ? available() : (asked as number);
    return count === 1
      ? undefined
      : threadsOf(
          count,
          isNode ? nodeWorker(address) : pageWorker(inPage),
          (reason) => new ModelError("THREAD_LOST", `a thread ended during a run: ${reason}`),
        );
  };
}

const available = (): number =>
  Math.min(
    MOST,
    (nodePart("node:os") as System)?.availableParallelism() ?? globalThis.navigator?.hardwareConcurrency ?? 1,
  );

type Spawn = (events: SpawnEvents) => Spawned;

const pageWorker =
  (make: () => Worker): Spawn =>
  (events) => {
    const worker = make();
    worker.onmessage = ({ data }: MessageEvent) => events.message(data);
    worker.onerror = ({ message }) => events.ended(message);
    return { send: (message) => worker.postMessage(message), stop: () => worker.terminate() };
  };
const nodeWorker =
  (address: () => URL): Spawn =>
  (events) => {
    const worker = new (workers()!.Worker)(address());
    worker.on("message", events.message);
    worker.on("error", ({ message }: Error) => events.ended(message));
    worker.on("exit", (code: number) => events.ended(`it ended with code ${code}`));
    worker.unref();
    return { send: (message) => worker.postMessage(message), stop: () => worker.terminate() };
  };

function threadsOf(count: number, spawnWorker: Spawn, lost: (reason: string) => Error): Threads {
  const maySleep = (): boolean => typeof document === "undefined";
  const pool = new ThreadPool(count, { spawnWorker, maySleep, lost });
  let module = 0;
  let last: Promise<unknown> = Promise.resolve();
  const next = <T>(work: () => T | Promise<T>): Promise<T> => {
    const now = last.then(work);
    last = now.catch(() => {});
    return now;
  };
  const during = async <T>(run: () => Promise<T>): Promise<T> => {
    pool.begin();
    try {
      return await run();
    } finally {
      pool.end();
    }
  };
  const compute = ({ kernel, entry, parameters, work, scratchBytes }: KernelCall): void | Promise<void> => {
    if (work < LARGE) return (entry as Entry)(...parameters);
    const [scratch, , units] = parameters.slice(-3) as [number, number, number];
    const addresses = parameters.slice(0, -3);
    return pool.run({ module, entry: kernel, addresses, scratch, scratchBytes, units }, entry as Entry);
  };
  return {
    count,
    start: (code, memory) => {
      module = pool.add(code, memory);
    },
    next,
    compute: (plan: ModulePlan, { calls, sizes, scratchBytes }: Layout, heap) =>
      during(async () => {
        for (const { entry, parameters, clears, step } of calls) {
          for (const [address, bytes] of clears) heap.fill(0, address, address + bytes);
          const kernel = plan.steps[step]![0];
          const later = compute({ kernel, entry, parameters, work: sizes.work![step]!, scratchBytes });
          if (later !== undefined) await later;
        }
      }),
    during,
    kernel: compute,
    dispose() {
      // A run in progress ends first.
      void next(async () => pool.dispose());
    },
  };
}
