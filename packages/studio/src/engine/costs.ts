/** @file What calls cost by themselves, before any of them is fused with others. */
import { type CallCost, callCost } from "@sconce/codegen";
import type { Item } from "@sconce/drawing";
import { finishWithPauses, type LongWorkOptions, ProgressReport, type Work } from "@sconce/errors";
import type { Sconce } from "@sconce/session";
import type { CostView } from "./protocol.js";
import type { Version } from "./versions.js";

/** Counts what the calls of an item cost. Each is lowered once. */
export class Costs {
  readonly #session: Sconce;
  readonly #known = new WeakMap<object, CallCost>();

  constructor(session: Sconce) {
    this.#session = session;
  }

  /** Returns the cost of a call, or of all calls in a group. */
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
      cost = callCost(version.program, graph, node, this.#session);
      this.#known.set(node, cost);
    }
    return cost;
  }
}

/** Returns the calls of an item: itself, or those in a group and in the groups within. */
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
