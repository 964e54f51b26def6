/** @file Texts of changed regions: equal ones are run once. */
import type { ExportedProgram } from "@sconce/ir";
import { callKey } from "../changes/argument-key.js";
import type { RegionPair } from "../changes/region-pair.js";
import type { NumberChange } from "../sampling/number-change.js";

/**
 * Regions of equal calls on inputs of equal types are one; undefined for those with their own
 * constants.
 */
export function pairKey(
  { before, after, inputs }: RegionPair,
  allowed: readonly NumberChange[],
): string | undefined {
  if (inputs.some(({ fixed }) => fixed !== undefined)) return undefined;
  const types = inputs.map(({ val }) =>
    JSON.stringify(val, (key, value: unknown) =>
      key === "expr"
        ? String((value as { key?: string } | null)?.key ?? value)
        : typeof value === "object" && value !== null && "key" in value
          ? String(value.key)
          : value,
    ),
  );
  const graphText = ({ graph }: ExportedProgram): string => {
    if (graph.subgraphs.size > 0) return "";
    const at = new Map<string, number>();
    return graph
      .nodes()
      .map((node, i) => {
        at.set(node.name, i);
        return node.op === "placeholder" ? "" : callKey(node, (name) => String(at.get(name)));
      })
      .join(";");
  };
  const texts = [graphText(before), graphText(after)];
  return texts.includes("") ? undefined : [types.join(), ...texts, JSON.stringify(allowed)].join("\n");
}
