import type { Cell, WorkGraph } from "./work-graph.js";

/** Nodes whose match may have changed, in the order in which they are visited; each is in it once at a time. */
export class Worklist {
  readonly #work: WorkGraph;
  readonly #isWanted: (target: string) => boolean;
  /** How many calls a pattern reaches down. */
  readonly #reach: number;
  readonly #queue: Cell[] = [];
  #next = 0;

  constructor(work: WorkGraph, isWanted: (target: string) => boolean, reach: number) {
    this.#work = work;
    this.#isWanted = isWanted;
    this.#reach = reach;
  }

  /** Every node of the base graph that may be a root. */
  fill(): void {
    this.#work.base.nodes().forEach((node, position) => {
      if (this.#isWanted(node.target)) this.add(this.#work.cellAt(position));
    });
  }

  /** The next cell, which may have lost its node; undefined at the end. */
  take(): Cell | undefined {
    const cell = this.#queue[this.#next++];
    if (cell !== undefined) cell.queued = false;
    return cell;
  }

  add(cell: Cell): void {
    if (cell.queued || cell.node === null || !this.#isWanted(cell.node.target)) return;
    cell.queued = true;
    this.#queue.push(cell);
  }

  /** A node whose operands changed, and those above it whose patterns reach down to it. */
  addFrom(cell: Cell, reach = this.#reach): void {
    if (cell.node === null) return;
    this.add(cell);
    if (reach <= 1) return;
    for (const user of this.#work.users(cell)) this.addFrom(user, reach - 1);
  }
}
