/**
 * @file Specifications of keyword arguments, given flat or nested (`_normalize_dynamic_shapes`).
 */
import type { DynamicShapes, NamedInputs } from "./check-shapes.js";
import { badDynamicShapes } from "./errors.js";
import { containerOf, pythonText } from "./tree.js";

/**
 * Moves the specifications of variadic keyword arguments under their parameter: `{ z: ... }`
 * becomes `{ kwargs: { z: ... } }`.
 *
 * @throws SconceError `BAD_DYNAMIC_SHAPES` for a name that is given twice, or collides
 */
export function normalizeDynamicShapes(
  given: DynamicShapes | null | undefined,
  inputs: NamedInputs,
): DynamicShapes | null | undefined {
  const spec = flattenKeywords(given, inputs);
  const { args, variadicKeyword: parameter, positional = [] } = inputs;
  const level = containerOf(spec);
  const keywords = parameter === undefined ? undefined : containerOf(args.get(parameter));
  if (level === undefined || level.children.length === 0 || keywords === undefined) return spec;
  if (parameter === undefined || keywords.keys.length === 0) return spec;
  const names = keywords.keys.map(String);
  const collisions = names.filter((name) => positional.includes(name)).sort();
  if (collisions.length > 0)
    throw badDynamicShapes(
      `Cannot represent dynamic shapes for variadic keyword argument(s) ${pythonText(collisions)} because they collide with another input name used for positional inputs.`,
    );
  if (level.kind !== "dict") return spec;
  const result = new Map(level.keys.map((key, i) => [String(key), level.children[i]]));
  const nested = containerOf(result.get(parameter));
  const hasNested = result.has(parameter);
  const shapes = new Map(
    nested?.kind === "dict" ? nested.keys.map((key, i) => [String(key), nested.children[i]]) : [],
  );
  for (const key of names) {
    if (!result.has(key)) continue;
    if (key === parameter || (args.has(key) && key !== parameter)) {
      if (!shapes.has(key)) throw topLevelCollision(key, parameter);
      continue;
    }
    if (hasNested && nested?.kind !== "dict") throw notADict(key, parameter);
    if (shapes.has(key)) throw givenTwice(key, parameter);
    shapes.set(key, result.get(key));
    result.delete(key);
  }
  if (nested?.kind === "dict" || shapes.size > 0) result.set(parameter, Object.fromEntries(shapes));
  return Object.fromEntries(result);
}

/** `{ options: { z: ... } }` as `{ z: ... }`, where a parameter takes keywords with known names. */
function flattenKeywords(
  spec: DynamicShapes | null | undefined,
  { args, keywordParameter }: NamedInputs,
): DynamicShapes | null | undefined {
  const level = containerOf(spec);
  if (level?.kind !== "dict" || keywordParameter === undefined || args.has(keywordParameter)) return spec;
  const entries = level.keys.flatMap((key, i): (readonly [string, unknown])[] => {
    const nested = key === keywordParameter ? containerOf(level.children[i]) : undefined;
    if (nested?.kind !== "dict") return [[String(key), level.children[i]]];
    return nested.keys.map((name, j) => [String(name), nested.children[j]]);
  });
  const names = entries.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw givenTwice(twice, keywordParameter);
  return Object.fromEntries(entries);
}

const topLevelCollision = (key: string, parameter: string): Error =>
  badDynamicShapes(
    `Cannot represent dynamic shape for variadic keyword argument '${key}' as a top-level key because it collides with another input name. Specify it under the variadic keyword parameter instead, e.g. \`dynamic_shapes['${parameter}']['${key}']\`.`,
  );
const notADict = (key: string, parameter: string): Error =>
  badDynamicShapes(
    `Cannot merge dynamic shape for variadic keyword argument '${key}' into \`dynamic_shapes['${parameter}']\` because that entry is not a dict.`,
  );
const givenTwice = (key: string, parameter: string): Error =>
  badDynamicShapes(
    `Found dynamic shape for variadic keyword argument '${key}' both as a top-level key and under \`dynamic_shapes['${parameter}']\`.`,
  );
