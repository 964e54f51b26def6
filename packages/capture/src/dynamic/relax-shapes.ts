/** @file Specifications without demands: what a draft goes on with after a violation. */
import type { DynamicShapes } from "./check-shapes.js";
import { Dim, isNamedDim } from "./dim.js";
import { type DimHint, isDimHint } from "./dim-hint.js";
import { containerOf } from "./tree.js";

/**
 * Returns the specification with `Dim.AUTO` of the same bounds for each `Dim` and `Dim.DYNAMIC`.
 */
export const relaxedShapes = (spec: DynamicShapes): DynamicShapes => relaxed(spec) as DynamicShapes;

function relaxed(spec: unknown): unknown {
  if (isNamedDim(spec) || (isDimHint(spec) && spec.kind === "DYNAMIC")) {
    const { min, max } = spec;
    return Dim.AUTO({ min, max });
  }
  const level = isDimHint(spec) ? undefined : containerOf(spec);
  if (level === undefined) return spec;
  const children = level.children.map(relaxed);
  if (level.kind === "list") return children;
  const entries = level.keys.map((key, i) => [key, children[i]] as const);
  return spec instanceof Map ? new Map(entries) : Object.fromEntries(entries);
}

/** Returns a specification as TypeScript: `[{ 0: Dim.AUTO({ max: 16 }) }, null]`. */
export function shapesCode(spec: unknown): string {
  if (isNamedDim(spec)) return `Dim("${spec.name}"${boundsCode(spec, ", ")})`;
  if (isDimHint(spec)) {
    const bounds = boundsCode(spec, "");
    return bounds === "" ? `Dim.${spec.kind}` : `Dim.${spec.kind}(${bounds})`;
  }
  const level = containerOf(spec);
  if (level === undefined) return String(spec ?? null);
  const children = level.children.map(shapesCode);
  if (level.kind === "list") return `[${children.join(", ")}]`;
  const entries = level.keys.map((key, i) => `${keyCode(key)}: ${children[i]!}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

const keyCode = (key: string | number): string =>
  /^(?:\d+|[\p{L}_$][\p{L}\p{N}_$]*)$/u.test(String(key)) ? String(key) : JSON.stringify(key);

/** Returns the bounds that say something: sizes are not negative. */
function boundsCode({ min, max }: Pick<DimHint, "min" | "max">, before: string): string {
  const parts = [
    ...(min === undefined || min === 0 ? [] : [`min: ${min}`]),
    ...(max === undefined || max === Infinity ? [] : [`max: ${max}`]),
  ];
  return parts.length === 0 ? "" : `${before}{ ${parts.join(", ")} }`;
}
