/** @file Reading an archive with pauses: the event loop goes on between its entries and within. */
import {
  type Budget,
  finishWithPauses,
  PAUSE_MS,
  ProgressReport,
  pause,
  throwIfAborted,
  userCallback,
  type Work,
} from "@sconce/errors";
import type { ZipArchive } from "../zip/archive.js";
import type { CountedOptions } from "./assemble.js";
import type { ReadPt2Options } from "./options.js";

type WatchOptions = Pick<ReadPt2Options, "signal" | "onProgress" | "weights" | "extraFiles">;

/** Entries whose content is read when it is asked for, in all layouts. */
const LAZY =
  /^[^/]+\/data\/(?:weights|constants)\/(?!.*_config\.json$)|^serialized_(?:state_dict|constants)\./;
const EXTRA = /^[^/]+\/extra\/|^extra_files\//;

/** Reports the entries of an archive as they are read. Returns what reports the end. */
export function watchEntries(
  zip: ZipArchive,
  { signal, onProgress, weights, extraFiles }: WatchOptions,
  budget: Budget,
): () => void {
  const isRead = (name: string): boolean =>
    weights !== "lazy" || (!LAZY.test(name) && (extraFiles !== undefined || !EXTRA.test(name)));
  const total = [...zip.names()].reduce(
    (bytes, name) => (isRead(name) ? bytes + zip.entry(name)!.size : bytes),
    0,
  );
  const progress = new ProgressReport("load", userCallback("load", onProgress), total);
  const seen = new Set<string>();
  let [done, next, last] = [0, 0, performance.now()];
  zip.watch = ({ name, size }) => {
    throwIfAborted(signal, "load");
    if (!seen.has(name) && isRead(name)) {
      done += next;
      next = size;
      seen.add(name);
      progress.at(done, name);
    }
    if (performance.now() - last < PAUSE_MS) return undefined;
    return budget.waiting(pause()).then(() => {
      last = performance.now();
      throwIfAborted(signal, "load");
    });
  };
  return () => progress.end();
}

/** Finishes a part of the reading with pauses, in which the clock of the budget stops. */
export const paused = <T>(work: Work<T>, { signal, budget }: CountedOptions): Promise<T> =>
  finishWithPauses(work, "load", signal, (pausing) => budget.waiting(pausing));
