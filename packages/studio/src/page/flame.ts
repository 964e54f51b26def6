/** @file The parts of a flame chart. */
import type { ProfileRow } from "../engine/protocol.js";

/** A module or a kernel, over the time that it took. */
export interface Segment {
  /** Rows below the first. */
  readonly level: number;
  /** When it begins, in milliseconds of all that was measured. */
  readonly start: number;
  /** How long it took. */
  readonly milliseconds: number;
  /** What it is. */
  readonly title: string;
  /** Whether it is a node or a kernel, and no module. */
  readonly isLeaf: boolean;
  /** Names the item of a node; undefined for modules. */
  readonly key: string | undefined;
  /** Where a node ran. */
  readonly place: ProfileRow["place"];
}

/** All parts of a chart. */
export interface Flame {
  readonly segments: readonly Segment[];
  /** Number of rows. */
  readonly depth: number;
  /** Milliseconds of all nodes. */
  readonly total: number;
}

/** Puts the rows of a run side by side; neighbors in one module share its part. */
export function flameOf(rows: readonly ProfileRow[]): Flame {
  type Open = { -readonly [K in keyof Segment]: Segment[K] };
  const segments: Segment[] = [];
  let open: Open[] = [];
  let [at, deepest] = [0, 0];
  for (const { nodes, target, milliseconds, key, place, modules } of rows) {
    let shared = 0;
    while (shared < open.length && shared < modules.length && open[shared]!.title === modules[shared])
      shared++;
    open = open.slice(0, shared);
    for (let level = shared; level < modules.length; level++) {
      const title = modules[level]!;
      const module: Open = {
        level,
        start: at,
        milliseconds: 0,
        title,
        isLeaf: false,
        key: undefined,
        place: undefined,
      };
      open.push(module);
      segments.push(module);
    }
    for (const module of open) module.milliseconds += milliseconds;
    const title = `${nodes.map(({ node }) => node).join(", ")} (${target})`;
    segments.push({ level: modules.length, start: at, milliseconds, title, isLeaf: true, key, place });
    deepest = Math.max(deepest, modules.length);
    at += milliseconds;
  }
  return { segments, depth: deepest + 1, total: at };
}
