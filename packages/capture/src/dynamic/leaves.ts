/** @file The leaves of inputs, with their sources and specifications. */
import type { DynamicShapes, NamedInputs } from "./check-shapes.js";
import { isEmptySpec } from "./check-shapes.js";
import { childOf, containerOf, keyText } from "./tree.js";

/** One leaf of the inputs. */
export interface InputLeaf {
  /** How guards name the value: `L['x'][0]`. */
  readonly source: string;
  /** How messages about ranges name it: `inputs['x'][0]`. */
  readonly path: string;
  /** The example: a tensor, a number or anything else. */
  readonly value: unknown;
  /** What the specification says of it; null and undefined are static. */
  readonly spec: unknown;
}

/**
 * Lists the leaves of inputs in order. The specification must fit (`checkDynamicShapes`); without
 * one, all leaves are static.
 */
export function inputLeaves(
  inputs: NamedInputs,
  spec: DynamicShapes | null | undefined,
): readonly InputLeaf[] {
  const given = isEmptySpec(spec) ? undefined : spec;
  const isList = Array.isArray(given);
  const leaves: InputLeaf[] = [];
  let traced = 0;
  [...inputs.args].forEach(([name, value], position) => {
    const part = childOf(given, isList ? position : name);
    const source = `L${keyText(name)}`;
    const variadic =
      name === inputs.variadicPositional
        ? "positional"
        : name === inputs.variadicKeyword
          ? "keyword"
          : undefined;
    const level = variadic === undefined ? undefined : containerOf(value);
    if (level === undefined) {
      walk(leaves, value, part, source, keyText(isList ? traced++ : name));
      return;
    }
    level.keys.forEach((key, i) => {
      const label = variadic === "keyword" ? String(key) : `${name}_${i}`;
      const path = keyText(isList ? traced++ : label);
      walk(leaves, level.children[i], childOf(part, key), source + keyText(key), path);
    });
  });
  return leaves;
}

function walk(into: InputLeaf[], value: unknown, spec: unknown, source: string, path: string): void {
  const level = containerOf(value);
  if (level === undefined) {
    into.push({ source, path: `inputs${path}`, value, spec });
    return;
  }
  level.children.forEach((child, i) => {
    const key = level.keys[i]!;
    const step = level.steps[i]!;
    const part = childOf(spec, level.kind === "registered" ? i : key);
    walk(into, child, part, source + step, path + step);
  });
}
