/** @file Checks of a specification against the inputs (`_check_dynamic_shapes`). */

import { Tensor } from "@sconce/tensor";
import { torchSize } from "@sconce/torch";
import { isDerived, isNamedDim, type NamedDim, readable } from "./dim.js";
import { type DimHint, isDimHint } from "./dim-hint.js";
import { badDynamicShapes, type Edits, renamedParameters } from "./errors.js";
import { missingEntryEdits } from "./shape-edits.js";
import { containerOf, isIntInput, mapTree, pythonText, pythonType } from "./tree.js";

/** The inputs of an export, by the names of the parameters. */
export interface NamedInputs {
  /**
   * Arguments by parameter name, in the order of the parameters. A parameter for the remaining
   * positional arguments has a list, one for the remaining keyword arguments an object.
   */
  readonly args: ReadonlyMap<string, unknown>;
  /** The parameter that collects the remaining keyword arguments. */
  readonly variadicKeyword?: string | undefined;
  /** The parameter that collects the remaining positional arguments. */
  readonly variadicPositional?: string | undefined;
  /** Names of the arguments that were passed by position, the variadic parameter included. */
  readonly positional?: readonly string[] | undefined;
  /** The parameter that takes the keyword arguments in an object, whose keys are in `args`. */
  readonly keywordParameter?: string | undefined;
}

/** A specification for one size. */
export type DimSpec = NamedDim | DimHint | number | null | undefined;

/**
 * What `dynamicShapes` takes: an object or `Map` by argument name, or a list in the order of the
 * inputs, with the structure of the inputs. A tensor takes an object or `Map` from dimensions to
 * sizes, a list with one entry for each dimension, or null; an integer takes a hint or null.
 */
export type DynamicShapes =
  | readonly unknown[]
  | ReadonlyMap<string, unknown>
  | Readonly<Record<string, unknown>>;

const DIM_KINDS = "None, an int, a Dim, Dim.AUTO, Dim.STATIC, or Dim.DYNAMIC";

/** Returns whether nothing is specified: everything is then static. */
export const isEmptySpec = (spec: DynamicShapes | null | undefined): boolean =>
  spec === null || spec === undefined || containerOf(spec)?.children.length === 0;

/** Inputs in the form of the specification: a list for a list, by name otherwise. */
const treeFor = (inputs: NamedInputs, spec: DynamicShapes): unknown =>
  Array.isArray(spec) ? [...inputs.args.values()] : Object.fromEntries(inputs.args);

/**
 * Refuses a specification that does not fit the inputs, with PyTorch's messages.
 *
 * @throws SconceError `BAD_DYNAMIC_SHAPES`
 */
export function checkDynamicShapes(inputs: NamedInputs, spec: DynamicShapes): void {
  if (isEmptySpec(spec)) return;
  if (containerOf(spec) === undefined)
    throw badDynamicShapes(`expected dynamic_shapes to be dict, tuple, or list, got ${pythonType(spec)}`);
  if (!Array.isArray(spec)) checkNames(inputs, spec);
  const bounds = new Map<string, NamedDim>();
  const visit = (path: string, leaf: unknown, given: unknown): void => {
    if (leaf instanceof Tensor) checkTensor(path, leaf, given, bounds);
    else if (isIntInput(leaf)) checkInteger(given);
    else if (given !== null && given !== undefined)
      throw badDynamicShapes(
        `Cannot associate shape ${pythonText(given)} specified at \`dynamic_shapes${path}\` to non-tensor type ${pythonType(leaf)} at \`inputs${path}\` (expected None)`,
      );
  };
  mapTree(treeFor(inputs, spec), spec, visit, missingEntryEdits);
  checkFromEnd(spec);
}

/**
 * A dim with a name at a dimension that is counted from the end: PyTorch takes the bounds and
 * forgets the name, so that it cannot relate the size to others.
 */
function checkFromEnd(spec: DynamicShapes): void {
  const names: string[] = [];
  const fromEnd: NamedDim[] = [];
  const visit = (value: unknown): void => {
    const level = isNamedDim(value) || isDimHint(value) ? undefined : containerOf(value);
    level?.children.forEach((child, i) => {
      if (isNamedDim(child)) {
        names.push(child.root.name);
        if (level.kind === "dict" && Number(level.keys[i]) < 0) fromEnd.push(child);
      } else visit(child);
    });
  };
  visit(spec);
  const related = fromEnd.find(
    (dim) => isDerived(dim) || names.filter((name) => name === dim.root.name).length > 1,
  );
  if (related !== undefined)
    throw badDynamicShapes(
      `the dim ${related.name} is given for a dimension that is counted from the end, and is related to other sizes`,
      "count dimensions from 0",
    );
}

function checkNames({ args }: NamedInputs, spec: DynamicShapes): void {
  const given = containerOf(spec)!.keys;
  const expected = [...args.keys()];
  const sorted = (names: readonly (string | number)[]): string => names.map(String).sort().join("\n");
  if (sorted(given) === sorted(expected)) return;
  const only = expected.length === 1 ? expected[0]! : undefined;
  const isDict = only !== undefined && !given.includes(only) && containerOf(args.get(only))?.kind === "dict";
  throw badDynamicShapes(
    `When \`dynamic_shapes\` is specified as a dict, its top-level keys must be the arg names ${pythonText(expected)} of \`inputs\`, but here they are ${pythonText(given)}. ${
      isDict
        ? "Since here `inputs` is a list/tuple enclosing a single dict, maybe you just forgot to enclose `dynamic_shapes` in a list/tuple?"
        : "Alternatively, you could also ignore arg names entirely and specify `dynamic_shapes` as a list/tuple matching `inputs`."
    }`,
    ...renamedOr(given.map(String), expected, () => missingEntryEdits("", Object.fromEntries(args), spec)),
  );
}

const SHORT = 2;

/**
 * Returns the fix and the edits for names that are not those of the parameters. Where a bundler may
 * have renamed these, an edit would break the code that is not bundled.
 */
function renamedOr(
  given: readonly string[],
  expected: readonly string[],
  edits: () => Edits,
): readonly [fix: string | undefined, edits: Edits] {
  const unknown = given.filter((name) => !expected.includes(name));
  const missing = expected.filter((name) => !given.includes(name));
  const isNumbered = (name: string): boolean =>
    /\d$/.test(name) && unknown.includes(name.replace(/\d+$/, ""));
  const isShort = (name: string): boolean =>
    name.length <= SHORT && unknown.every(({ length }) => length > SHORT);
  const isRenamed =
    unknown.length > 0 && missing.length > 0 && missing.every((name) => isNumbered(name) || isShort(name));
  return isRenamed ? [renamedParameters(missing), {}] : [undefined, edits()];
}

function checkInteger(given: unknown): void {
  if (isNamedDim(given))
    throw badDynamicShapes(
      "Unable to specify input integers as dynamic through named Dims. Please use Dim.AUTO/DYNAMIC instead.",
      "use `Dim.DYNAMIC` or `Dim.AUTO` for an integer input",
    );
  if (given !== null && given !== undefined && typeof given !== "number" && !isDimHint(given))
    throw badDynamicShapes(
      `expected dynamic_shape to be None, int, or _DimHint for _IntWrapper, got ${pythonType(given)}`,
    );
}

function checkTensor(path: string, tensor: Tensor, given: unknown, bounds: Map<string, NamedDim>): void {
  if (given === null || given === undefined) return;
  const level = containerOf(given);
  if (level === undefined)
    throw badDynamicShapes(
      `Unexpected input tensor shape ${pythonText(given)} specified at \`dynamic_shapes${path}\` (expected either a list/tuple of dimensions, or a dict mapping indices to dimensions, where each dimension is an int, a Dim, Dim.AUTO, Dim.STATIC, or Dim.DYNAMIC)`,
    );
  const { shape } = tensor;
  if (level.kind === "list" && level.children.length !== shape.length)
    throw badDynamicShapes(
      `Expected dynamic shape spec ${pythonText(given)} specified at \`dynamic_shapes${path}\` to have the same length as the actual tensor shape ${torchSize(shape)} (expected ${shape.length}, but got ${level.children.length} instead)`,
      undefined,
      missingEntryEdits(path, shape, given),
    );
  for (const [i, dim] of level.children.entries()) {
    if (isNamedDim(dim)) {
      checkBounds(dim, bounds);
      checkIndex(path, Number(level.keys[i]), shape.length, level.keys);
    }
    if (isSizeSpec(dim)) continue;
    const place = level.kind === "dict" ? `mapped to index ${String(level.keys[i])}` : `#${i}`;
    throw badDynamicShapes(
      `Unexpected dimension ${place} in input tensor shape ${pythonText(given)} specified at \`dynamic_shapes${path}\` (expected ${DIM_KINDS}, ${level.kind === "dict" ? " " : ""}but got ${pythonText(dim, true)} instead)`,
    );
  }
}

/** A hint for a dimension that does not exist says nothing; a named dim is a mistake. */
function checkIndex(path: string, dim: number, rank: number, given: readonly (string | number)[]): void {
  if (dim >= -rank && dim < 0 && given.map(Number).includes(dim + rank))
    throw badDynamicShapes(
      `dimension ${dim + rank} is specified twice at \`dynamic_shapes${path}\`, as ${dim}, too`,
      "count dimensions from 0",
    );
  if (dim >= -rank && dim < rank) return;
  throw badDynamicShapes(
    `dimension ${dim} specified at \`dynamic_shapes${path}\` is out of range for a tensor of ${rank} dimensions`,
    "count dimensions from 0",
  );
}

const isSizeSpec = (dim: unknown): boolean =>
  dim === null || dim === undefined || isDimHint(dim) || isNamedDim(dim) || Number.isSafeInteger(dim);

function checkBounds(dim: NamedDim, bounds: Map<string, NamedDim>): void {
  const known = bounds.get(dim.name);
  if (known === undefined) bounds.set(dim.name, dim);
  if (known === undefined || (known.min === dim.min && known.max === dim.max)) return;
  throw badDynamicShapes(
    `Found different definitions ${readable(dim.name, known)} and ${readable(dim.name, dim)} for the same symbolic dimension ${dim.toString()}!`,
    "make the dim once and use the same object everywhere",
  );
}

/** Returns the specification of each dimension that a tensor's part of the specification names. */
export function dimSpecs(given: unknown, rank: number): ReadonlyMap<number, DimSpec> {
  const level = containerOf(given);
  if (level === undefined) return new Map(Array.from({ length: rank }, (_, i) => [i, null]));
  return new Map(level.children.map((dim, i) => [Number(level.keys[i]), dim as DimSpec]));
}
