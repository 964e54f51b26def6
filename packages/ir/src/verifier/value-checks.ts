/** @file Checks that the recorded value of a node is a valid node value. */

import { describeValue } from "@sconce/errors";
import { isCondition, printExpr, SymExpr } from "@sconce/symbolic";
import { DTYPES } from "@sconce/tensor";
import type { Graph } from "../graph/graph.js";
import { LAYOUTS } from "../values/argument.js";
import { FakeTensor } from "../values/meta.js";
import { argument } from "./argument-kinds.js";

const DTYPE_NAMES: ReadonlySet<unknown> = new Set(DTYPES);
const LAYOUT_NAMES: ReadonlySet<unknown> = new Set(LAYOUTS);

const isWhole = (value: unknown): boolean =>
  typeof value === "number" ? Number.isInteger(value) && value >= 0 : isExpression(value);

const isExpression = (value: unknown): boolean => value instanceof SymExpr && !isCondition(value);

/** A symbol may represent a condition. */
const isConditional = (value: unknown): boolean =>
  value instanceof SymExpr && (isCondition(value) || value.op === "Symbol" || value.op === "Piecewise");

/** Returns why a value is not a valid node value, in words; undefined when it is valid. */
export function valueProblem(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (value instanceof FakeTensor) return tensorProblem(value);
  if (Array.isArray(value)) return listProblem(value);
  if (typeof value !== "object") return describeValue(value);
  return scalarProblem(value as { readonly kind?: unknown });
}

/**
 * Returns the first recorded value of a graph, or of a nested one, that is not a valid node value,
 * in words. Nodes may record none.
 */
export function recordedProblem(graph: Graph): string | undefined {
  for (const { name, meta } of graph.nodes()) {
    const problem = meta.val === undefined ? undefined : valueProblem(meta.val);
    if (problem !== undefined) return `node ${name} records ${problem}`;
  }
  for (const nested of graph.subgraphs.values()) {
    const problem = recordedProblem(nested);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function listProblem(items: readonly unknown[]): string | undefined {
  // Not `entries`, which skips the holes of a list.
  for (let i = 0; i < items.length; i++) {
    const problem = valueProblem(items[i]);
    if (problem !== undefined) return `${describeValue(items)}, whose result ${i} is ${problem}`;
  }
  return undefined;
}

function tensorProblem(tensor: FakeTensor): string | undefined {
  const { dtype, shape, strides, storageOffset, layout, device } = tensor;
  if (!DTYPE_NAMES.has(dtype)) return `a tensor of dtype ${describeValue(dtype)}, which does not exist`;
  const wrong =
    dimsProblem("size", shape) ??
    dimsProblem("stride", strides) ??
    (isWhole(storageOffset) ? undefined : dimText("storage offset", storageOffset));
  if (wrong !== undefined) return `a tensor whose ${wrong}`;
  if (!LAYOUT_NAMES.has(layout)) return `a tensor of layout ${describeValue(layout)}, which does not exist`;
  if (typeof (device as unknown as { type?: unknown } | null)?.type !== "string")
    return "a tensor without a device";
  if (layout === "strided" && shape.length !== strides.length)
    return `a tensor of ${shape.length} sizes and ${strides.length} strides`;
  return undefined;
}

function dimsProblem(what: string, dims: unknown): string | undefined {
  if (!Array.isArray(dims)) return `${what}s are ${describeValue(dims)}, not a list`;
  for (let d = 0; d < dims.length; d++) if (!isWhole(dims[d])) return dimText(`${what} ${d}`, dims[d]);
  return undefined;
}

const dimText = (what: string, value: unknown): string =>
  `${what} is ${value instanceof SymExpr ? printExpr(value) : describeValue(value)}, not a non-negative integer or a symbolic integer`;

function scalarProblem(value: {
  readonly kind?: unknown;
  readonly expr?: unknown;
  readonly value?: unknown;
}): string | undefined {
  const { kind, expr } = value;
  const fits = (ok: boolean, what: string): string | undefined =>
    ok
      ? undefined
      : `a ${String(kind)} of ${expr instanceof SymExpr ? printExpr(expr) : describeValue(expr)}, not ${what}`;
  switch (kind) {
    case "SymInt":
      return fits(Number.isInteger(expr) || isExpression(expr), "an integer");
    case "SymFloat":
      return fits(typeof expr === "number" || isExpression(expr), "a number");
    case "SymBool":
      return fits(typeof expr === "boolean" || isConditional(expr), "a condition");
    case "custom_obj": {
      const { name, classFqn } = value as { name?: unknown; classFqn?: unknown };
      return typeof name === "string" && typeof classFqn === "string"
        ? undefined
        : "an object without name or class";
    }
    case "constant": {
      let problem: string | undefined;
      argument(value.value, "the constant", (at, text) => {
        problem ??= `${at} ${text}`;
      });
      return problem;
    }
    default:
      return describeValue(value);
  }
}
