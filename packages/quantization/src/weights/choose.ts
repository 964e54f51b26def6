/** @file Which weights are quantized: names and patterns. */
import type { ExportedProgram } from "@sconce/ir";
import { notAWeight } from "../errors.js";
import type { LayerWeight } from "./layers.js";

/** Names of weights, modules and layers; `*` represents any letters. */
export interface WeightChoice {
  /** The weights to quantize; all when empty. */
  readonly include: readonly string[];
  /** The weights to leave as they are. */
  readonly exclude: readonly string[];
}

/**
 * Returns whether a weight is chosen: by its name (`encoder.0.weight`), that of its module
 * (`encoder.0`, all below it included) or that of a call that reads it (`linear_1`).
 */
export function weightChooser({ include, exclude }: WeightChoice): (weight: LayerWeight) => boolean {
  const [included, excluded] = [include.map(matcherOf), exclude.map(matcherOf)];
  return (weight) => {
    const names = namesOf(weight);
    const matches = (one: RegExp): boolean => names.some((name) => one.test(name));
    return (included.length === 0 || included.some(matches)) && !excluded.some(matches);
  };
}

/** @throws SconceError `PASS_OPTION` for a name that matches no weight */
export function refuseUnknown(
  weights: readonly LayerWeight[],
  { include, exclude }: WeightChoice,
  program: ExportedProgram,
): void {
  const names = weights.flatMap(namesOf);
  for (const [option, entries] of Object.entries({ include, exclude })) {
    for (const entry of entries) {
      const pattern = matcherOf(entry);
      const isKnown = names.some((name) => pattern.test(name)) || program.tensor(entry) !== undefined;
      if (!isKnown) throw notAWeight(option, entry, names);
    }
  }
}

/** Everything that a weight goes by. */
function namesOf({ names, layers }: LayerWeight): string[] {
  const modules = names.flatMap((name) => {
    const parts = name.split(".");
    return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("."));
  });
  return [...names, ...modules, ...layers];
}

function matcherOf(entry: string): RegExp {
  const letters = entry.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${letters.join(".*")}$`, "s");
}
