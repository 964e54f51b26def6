import type { Slot, WorkGraph } from "./work-graph.js";

/**
 * Nodes whose match may have changed, in the order in which they are visited; each is in it once at
 * a time.
 */
export class Worklist {
  readonly #work: WorkGraph;
  readonly #isWanted: (target: string) => boolean;
  /** How many calls a pattern reaches down. */
  readonly #reach: number;
  readonly #queue: Slot[] = [];
  #next = 0;

  constructor(work: WorkGraph, isWanted: (target: string) => boolean, reach: number) {
    this.#work = work;
    this.#isWanted = isWanted;
    this.#reach = reach;
  }

  /** Every node of the base graph that may be a root. */
  fill(): void {
    this.#work.base.nodes().forEach((node, position) => {
      if (this.#isWanted(node.target)) this.add(this.#work.slotAt(position));
    });
  }

  /** Returns the next slot, which may have lost its node; undefined at the end. */
  take(): Slot | undefined {
    const slot = this.#queue[this.#next++];
    if (slot !== undefined) slot.queued = false;
    return slot;
  }

  add(slot: Slot): void {
    if (slot.queued || slot.node === null || !this.#isWanted(slot.node.target)) return;
    slot.queued = true;
    this.#queue.push(slot);
  }

  /** A node whose operands changed, and those above it whose patterns reach down to it. */
  addFrom(slot: Slot, reach = this.#reach): void {
    if (slot.node === null) return;
    this.add(slot);
    if (reach <= 1) return;
    this.#work.users(slot).forEach((user) => void this.addFrom(user, reach - 1));
  }
}
