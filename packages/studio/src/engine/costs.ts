/** @file What calls cost by themselves, before any of them is fused with others. */
import { LOOP_PIPELINE, lowerProgram, totalCost } from "@sconce/codegen";
import type { Item } from "@sconce/drawing";
import {
  finishWithPauses,
  isSconceError,
  type LongWorkOptions,
  ProgressReport,
  type Work,
} from "@sconce/errors";
import { callProgram } from "@sconce/passes";
import type { Sconce } from "@sconce/session";
import type { CostView } from "./protocol.js";
import type { Version } from "./versions.js";

/** What one call costs, or why that is unknown. */
type CallCost = { readonly flops: number; readonly bytes: number } | { readonly reason: string };

/** Counts what the calls of an item cost. Each is lowered once. */
export class Costs {
  readonly #session: Sconce;
  readonly #known = new WeakMap<object, CallCost>();

  constructor(session: Sconce) {
    this.#session = session;
  }

  /** The cost of a call, or of all calls in a group. */
  of(version: Version, item: Item, { signal, onProgress }: LongWorkOptions): Promise<CostView> {
    const calls = callsIn(version, item);
    const progress = new ProgressReport("compile", onProgress, calls.length);
    return finishWithPauses(this.#sum(version, calls, progress), "counting", signal);
  }

  *#sum(version: Version, calls: readonly Item[], progress: ProgressReport): Work<CostView> {
    const unknown: { node: string; reason: string }[] = [];
    let [flops, bytes] = [0, 0];
    for (const [done, item] of calls.entries()) {
      progress.at(done, item.node!);
      const cost = this.#ofCall(version, item);
      if ("reason" in cost) unknown.push({ node: item.node!, reason: cost.reason });
      else {
        flops += cost.flops;
        bytes += cost.bytes;
      }
      yield;
    }
    progress.end();
    return { flops, bytes, calls: calls.length, unknown };
  }

  #ofCall(version: Version, item: Item): CallCost {
    const { graph, node } = version.nodeOf(item)!;
    let cost = this.#known.get(node);
    if (cost === undefined) {
      cost = this.#count(callProgram(version.program, graph, node));
      this.#known.set(node, cost);
    }
    return cost;
  }

  #count(program: Version["program"]): CallCost {
    try {
      const prepared = this.#session.transform(program, LOOP_PIPELINE);
      const { regions, left } = lowerProgram(prepared, { operators: this.#session.operators });
      const [first] = left;
      if (first !== undefined) return { reason: `${first.target} has no loops: ${first.reason}` };
      let [flops, bytes] = [0, 0];
      for (const { loops } of regions) {
        const cost = totalCost(loops, loops.nests, prepared.symbolHints);
        flops += cost.flops;
        bytes += cost.bytes;
      }
      return { flops, bytes };
    } catch (error) {
      if (isSconceError(error)) return { reason: error.message };
      throw error;
    }
  }
}

/** The calls of an item: itself, or those in a group and in the groups within. */
function callsIn(version: Version, item: Item): Item[] {
  const { items } = version.hierarchy();
  const calls: Item[] = [];
  const stack = [item];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (version.nodeOf(next)?.node.op === "call_function") calls.push(next);
    else stack.push(...next.children.map((id) => items[id]!).reverse());
  }
  return calls;
}
