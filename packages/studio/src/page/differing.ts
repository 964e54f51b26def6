/** @file Which nodes two backends compute differently. */
import type { ComparisonView } from "../engine/protocol.js";

/** Keys of the nodes that differ, and that the shown version has. */
export const differingKeys = (comparison: ComparisonView | undefined): readonly string[] =>
  (comparison?.rows ?? []).flatMap(({ key, differs }) => (key === undefined || !differs ? [] : key));

/** Returns the rule of the comparison in words, with the bounds of each dtype. */
export function toleranceText({ backends, tolerances }: ComparisonView): string {
  const bounds = tolerances.map(
    ({ dtype, atol, rtol }) => `${shortly(atol)} and ${shortly(rtol)} for ${dtype}`,
  );
  const rule =
    bounds.length === 0
      ? ""
      : `An element a on ${backends[1]} differs from the element b on ${backends[0]} when |a − b| > atol + rtol · |b|. The values of atol and rtol are ${bounds.join(", ")}. `;
  return `${rule}Integers and bools must be equal.`;
}

const shortly = (value: number): string =>
  value === 0 ? "0" : value < 1e-2 ? value.toExponential() : String(value);
