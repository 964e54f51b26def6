/** @file Reading an archive with pauses: the event loop goes on between its entries. */
import { aborted, type Budget, userCallback } from "@sconce/errors";
import type { ZipArchive } from "../zip/archive.js";
import type { ReadPt2Options } from "./assemble.js";

/** Time in milliseconds after which reading lets other tasks of the event loop in. */
const PAUSE_MS = 20;

/** Reports the entries of an archive as they are read. Returns what reports the end. */
export function watchEntries(
  zip: ZipArchive,
  { signal, onProgress }: Pick<ReadPt2Options, "signal" | "onProgress">,
  budget: Budget,
): () => void {
  const report = userCallback("load", onProgress);
  const total = [...zip.names()].reduce((bytes, name) => bytes + zip.entry(name)!.size, 0);
  const seen = new Set<string>();
  let [done, next, last] = [0, 0, performance.now()];
  zip.watch = ({ name, size }) => {
    if (signal?.aborted) throw aborted(signal.reason, "load");
    if (!seen.has(name)) {
      done += next;
      next = size;
      seen.add(name);
      report?.({ phase: "load", done, total, item: name });
    }
    if (performance.now() - last < PAUSE_MS) return undefined;
    return budget.waiting(pause()).then(() => {
      last = performance.now();
      if (signal?.aborted) throw aborted(signal.reason, "load");
    });
  };
  return () => report?.({ phase: "load", done: total, total, item: "" });
}

const pause = (): Promise<void> => new Promise((resume) => setTimeout(resume, 0));
