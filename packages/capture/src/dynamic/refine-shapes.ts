/** @file Applies suggested fixes to a specification. */
import { Tensor } from "@sconce/tensor";
import type { DynamicShapes } from "./check-shapes.js";
import { Dim, isDerived, isNamedDim, type NamedDim, parseLinear } from "./dim.js";
import { isDimHint } from "./dim-hint.js";
import { badDynamicShapes } from "./errors.js";
import { namedDims } from "./suggested-fixes.js";
import { containerOf } from "./tree.js";

/** What a name becomes: a size, a dim, or a formula of another name. */
type Fix = number | NamedDim | { readonly name: string; readonly factor: number; readonly offset: number };

const isFormula = (fix: Fix): fix is Exclude<Fix, number | NamedDim> =>
  typeof fix === "object" && !isNamedDim(fix);

/**
 * Returns the specification with the fixes that an export's error suggests. Dims that are derived
 * from a fixed one follow it.
 *
 * @param message the message of a `CONSTRAINT_VIOLATION`, or PyTorch's
 * @throws SconceError `BAD_DYNAMIC_SHAPES` for a message without suggested fixes, and for fixes
 * that are not increasing linear formulas of dims of the specification
 */
export function refineDynamicShapesFromSuggestedFixes<Spec extends DynamicShapes>(
  message: string,
  dynamicShapes: Spec,
): Spec {
  return refiner(message, dynamicShapes)(dynamicShapes) as Spec;
}

/**
 * Reads the fixes of a message; returns a function that applies them to a part of a specification.
 */
export function refiner(message: string, dynamicShapes: unknown): (part: unknown) => unknown {
  const dims = namedDims(dynamicShapes);
  const made = new Refiner(readFixes(message), dims);
  return (part) => made.apply(part);
}

const FIX = "pass the message of a CONSTRAINT_VIOLATION that ends with suggested fixes";

function readFixes(message: string): ReadonlyMap<string, Fix> {
  const block = message.split("Suggested fixes:")[1];
  if (block === undefined)
    throw badDynamicShapes(
      "Suggested fixes not found in error message given to refine_dynamic_shapes_from_suggested_fixes()",
      FIX,
    );
  const lines = block.trim().split("\n\n")[0]!.split("\n");
  return new Map(lines.map((line) => readFix(line.trim())));
}

function readFix(line: string): readonly [string, Fix] {
  const split = line.indexOf(" = ");
  const [name, value] = [line.slice(0, split), line.slice(split + 3)];
  const dim = /^Dim\('(.*?)'(.*)\)$/.exec(value);
  if (dim !== null) {
    const read = (key: string): number | undefined => {
      const match = new RegExp(`\\b${key}=(\\d+)`).exec(dim[2]!);
      return match === null ? undefined : Number(match[1]);
    };
    return [name, Dim(name, { min: read("min"), max: read("max") })];
  }
  if (/^\d+$/.test(value)) return [name, Number(value)];
  const linear = parseLinear(value);
  if (split === -1 || linear === undefined)
    throw badDynamicShapes(`${JSON.stringify(line)} is not a supported fix`, FIX);
  return [name, linear];
}

class Refiner {
  readonly #fixes: ReadonlyMap<string, Fix>;
  readonly #dims: ReadonlyMap<string, NamedDim>;
  /** Dims that were made, so that equal ones are one object. */
  readonly #made = new Map<string, NamedDim | number>();

  constructor(fixes: ReadonlyMap<string, Fix>, dims: ReadonlyMap<string, NamedDim>) {
    this.#fixes = fixes;
    this.#dims = dims;
    const roots = new Set([...fixes.values()].filter(isFormula).map(({ name }) => name));
    for (const name of fixes.keys())
      if (!dims.has(name) && !roots.has(name))
        throw badDynamicShapes(`the fix of ${name} concerns no dim of the specification`, FIX);
  }

  apply(spec: unknown): unknown {
    if (isNamedDim(spec)) return this.#dim(spec);
    if (isDimHint(spec) || spec instanceof Tensor) return spec;
    const level = containerOf(spec);
    if (level === undefined) return spec;
    const children = level.children.map((child) => this.apply(child));
    if (level.kind === "list") return children;
    const entries = level.keys.map((key, i) => [key, children[i]] as const);
    return spec instanceof Map ? new Map(entries) : Object.fromEntries(entries);
  }

  #dim(dim: NamedDim): NamedDim | number {
    const fix = this.#fixes.get(dim.name);
    if (fix !== undefined) return isFormula(fix) ? this.#formula(fix) : fix;
    const root = isDerived(dim) ? this.#fixes.get(dim.root.name) : undefined;
    if (root === undefined) return dim;
    return this.#once(dim.name, () => scale(isFormula(root) ? this.#formula(root) : root, dim));
  }

  #formula({ name, factor, offset }: Exclude<Fix, number | NamedDim>): NamedDim | number {
    return this.#once(`${factor}*${name} + ${offset}`, () => {
      const fix = this.#fixes.get(name);
      const root = fix === undefined || isFormula(fix) ? this.#dims.get(name) : fix;
      if (root === undefined) throw badDynamicShapes(`the fix names ${name}, which is not a dim`, FIX);
      return scale(root, { factor, offset });
    });
  }

  #once(key: string, make: () => NamedDim | number): NamedDim | number {
    const known = this.#made.get(key) ?? make();
    this.#made.set(key, known);
    return known;
  }
}

function scale(
  root: NamedDim | number,
  { factor, offset }: { readonly factor: number; readonly offset: number },
): NamedDim | number {
  if (typeof root === "number") return factor * root + offset;
  const scaled = factor === 1 ? root : root.mul(factor);
  return offset === 0 ? scaled : offset > 0 ? scaled.add(offset) : scaled.sub(-offset);
}
