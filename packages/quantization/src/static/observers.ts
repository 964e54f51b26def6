/** @file The observers of a prepared graph. */
import { type Graph, isRef, type Node, unwrapFloat } from "@sconce/ir";
import type { QuantizationSpec } from "../annotate/spec.js";
import { badObserver } from "../errors.js";
import { OBSERVE } from "./observe.js";

/** A call of `quantization.observe`, read. */
export interface GraphObserver {
  readonly node: Node;
  /** The node whose value it observes. */
  readonly value: string;
  /** Edges with equal names share parameters; `weight` for weights, which have their own. */
  readonly group: string;
  readonly spec: QuantizationSpec;
  readonly low: number;
  readonly high: number;
}

/** The group of weights, which are quantized by their values. */
export const WEIGHT = "weight";

/** Returns the observers of a graph, in order. @throws SconceError `QUANTIZER` */
export function graphObservers(graph: Graph): GraphObserver[] {
  return graph.calls().flatMap((node) => {
    if (node.target !== OBSERVE) return [];
    const [value, group, text, low, high] = node.args;
    const spec = specOf(text);
    if (!isRef(value) || typeof group !== "string" || spec === undefined) throw badObserver(node.name);
    return [
      {
        node,
        value: value.name,
        group,
        spec,
        low: Number(unwrapFloat(low!)),
        high: Number(unwrapFloat(high!)),
      },
    ];
  });
}

function specOf(text: unknown): QuantizationSpec | undefined {
  try {
    const spec = JSON.parse(String(text)) as Partial<QuantizationSpec> | null;
    const { min = Number.NaN, max = Number.NaN } = spec?.range ?? {};
    const isRange = Number.isInteger(min) && Number.isInteger(max) && min >= -128 && max <= 127 && min < max;
    return isRange && typeof spec?.eps === "number" && spec.eps > 0 ? (spec as QuantizationSpec) : undefined;
  } catch {
    return undefined;
  }
}
