/** @file What the page shows of two backends that were compared. */
import type { BackendComparison, NodeComparison } from "@sconce/session";
import { isComplexDType, isFloatDType } from "@sconce/tensor";
import { backendTolerance } from "@sconce/tensor/compare";
import type { ComparisonRow, ComparisonView, InputsOf } from "./protocol.js";
import type { Version } from "./versions.js";

/** Returns all calls whose results are tensors, and the bounds that they were compared with. */
export function comparisonView(version: Version, inputs: InputsOf, found: BackendComparison): ComparisonView {
  const { backends, first, nodes } = found;
  const dtypes = new Set(nodes.map(({ dtype }) => dtype));
  return {
    inputs,
    backends,
    first: first?.source ?? first?.node,
    tolerances: [...dtypes]
      .filter((dtype) => isFloatDType(dtype) || isComplexDType(dtype))
      .map((dtype) => ({ dtype, ...backendTolerance(dtype) })),
    rows: nodes.map((row) => rowOf(version, row)),
  };
}

function rowOf(version: Version, row: NodeComparison): ComparisonRow {
  const { node, source, target, dtype, shape, maxAbsolute, maxRelative, differing, differs, problem } = row;
  return {
    key: source === undefined ? undefined : version.keyOf("", source),
    node: source ?? node,
    target,
    type: `${dtype}[${shape.join(", ")}]`,
    maxAbsolute,
    maxRelative,
    elements: shape.reduce((count, size) => count * size, 1),
    differing,
    differs,
    problem,
  };
}
