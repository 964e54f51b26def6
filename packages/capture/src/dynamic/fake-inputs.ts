/** @file From example inputs to fake ones (`make_fake_inputs`). */
import { areStatic, FakeTensor } from "@sconce/ir";
import {
  type GuardObserver,
  type IntLike,
  intersectRanges,
  isPoint,
  mul,
  printRange,
  ShapeEnv,
  SymExpr,
  symbol,
  symbolNumber,
  type ValueRange,
} from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { fakeOf } from "@sconce/torch";
import { checkDynamicShapes, type DynamicShapes, isEmptySpec, type NamedInputs } from "./check-shapes.js";
import { type Constraint, isPhantom, readConstraints, type Target } from "./constraints.js";
import { isDimHint } from "./dim-hint.js";
import { type DerivedEquality, Equalities, type SizeSource } from "./equalities.js";
import { constraintViolation } from "./errors.js";
import { type InputLeaf, inputLeaves } from "./leaves.js";
import { normalizeDynamicShapes } from "./normalize-shapes.js";
import { isIntInput } from "./tree.js";

/** What the specification demands of a size: a range, or only that it stays dynamic. */
export type SizeConstraint = ValueRange | "dynamic" | undefined;

/** A value that a symbol may represent. */
export interface SymbolSource {
  /** The name in guards: `L['x'].size()[0]`; that of the dim where it is the size of no input. */
  readonly name: string;
  readonly kind: "size" | "stride" | "value" | "dim";
}

/** An input as it is traced. */
export interface FakeInput extends InputLeaf {
  /** A fake tensor, the symbol or number of an integer, or the value itself. */
  readonly fake: unknown;
  /** Demands on the sizes of a tensor, one for each dimension. */
  readonly constraints: readonly SizeConstraint[];
  /** Whether an integer must stay dynamic. */
  readonly isDynamicInt: boolean;
}

/** Everything that is known before a program is traced. */
export interface FakeInputs {
  /** Symbols, ranges and example values; tracing adds guards to it. */
  readonly env: ShapeEnv;
  /** The leaves of the inputs, in order. */
  readonly inputs: readonly FakeInput[];
  /** What each symbol was made for, by its name; the first source is the one that guards name. */
  readonly sources: ReadonlyMap<string, readonly SymbolSource[]>;
  /** Names of dims, and numbers, by the size that they were given for. */
  readonly debugNames: ReadonlyMap<string, string>;
  readonly equalities: Equalities;
  /** The specification, with keyword arguments under their parameter. */
  readonly dynamicShapes: DynamicShapes | null | undefined;
  /** Whether only the inputs of a run decide the sizes: a `ShapesSpec` names them. */
  readonly fromSpec?: boolean | undefined;
}

/** Options of {@link makeFakeInputs}. */
export interface FakeInputOptions {
  /** Returns the place in the user's code that runs; it is kept with each guard. */
  readonly locate?: (() => unknown) | undefined;
  /** Learns of guards, assertions and assumed values. */
  readonly observer?: GuardObserver | undefined;
  /** Whether conditions on the inputs are asserted at run time, and not guards. */
  readonly deferGuards?: boolean | undefined;
  /**
   * Whether guards name the inputs by their places in the flattened list, as strict exports do.
   * @defaultValue false
   */
  readonly isStrict?: boolean | undefined;
}

/**
 * Makes the fake inputs of an export: a symbol for each dynamic size, with its range and example
 * value.
 *
 * @throws SconceError `BAD_DYNAMIC_SHAPES` for a specification that does not fit the inputs,
 * `CONSTRAINT_VIOLATION` for example sizes that it excludes
 */
export function makeFakeInputs(
  inputs: NamedInputs,
  spec: DynamicShapes | null | undefined,
  { isStrict = false, ...options }: FakeInputOptions = {},
): FakeInputs {
  const dynamicShapes = normalizeDynamicShapes(spec, inputs);
  if (dynamicShapes !== null && dynamicShapes !== undefined) checkDynamicShapes(inputs, dynamicShapes);
  const leaves = inputLeaves(inputs, dynamicShapes);
  const named = isStrict ? leaves.map((leaf, i) => ({ ...leaf, source: `L['flat_args'][${i}]` })) : leaves;
  return fakeLeaves(named, dynamicShapes, { ...options, isStrict });
}

/** Fake inputs for leaves with their specifications, which were checked. */
export function fakeLeaves(
  leaves: readonly InputLeaf[],
  dynamicShapes: DynamicShapes | null | undefined,
  { isStrict = false, ...options }: FakeInputOptions = {},
): FakeInputs {
  const env = new ShapeEnv({ ...options, keepsMin: !isStrict });
  const maker = new FakeMaker(isEmptySpec(dynamicShapes) ? [] : leaves, env);
  const fakes = leaves.map((leaf) => maker.fake(leaf));
  return { ...maker.finish(), inputs: fakes, dynamicShapes };
}

/** The range of a size without bounds: examples of 0 and 1 do not become symbols. */
export const DEFAULT_RANGE: ValueRange = { min: 2, max: Infinity };

/** Returns the name of a size in guards. */
export const sizeSource = (tensor: string, dim: number): SizeSource => `${tensor}.size()[${dim}]`;

/** PyTorch's text in messages: `[2, int_oo]`. */
export const rangeText = (range: ValueRange): string => printRange(range).slice("VR".length);

/**
 * Strides as products of sizes where the example's are (`_compute_symbolic_stride`).
 *
 * @param strideOf gives a stride that is not such a product
 */
export function symbolicStrides(
  { shape, strides }: Tensor,
  sizes: readonly IntLike[],
  strideOf: (stride: number, dim: number) => IntLike,
): readonly IntLike[] {
  const result: IntLike[] = [...strides];
  const candidates = new Map<number, IntLike>();
  const order = strides.map((stride, i) => [stride, i] as const).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  for (const [stride, i] of order) {
    const isContiguous = i !== strides.length - 1 && stride === shape[i + 1]! * strides[i + 1]!;
    const isTrivial = (stride === 0 || stride === 1) && !isContiguous;
    if (!isTrivial) {
      const known = candidates.get(stride) ?? strideOf(stride, i);
      // Each stride is a separate object, as each size is.
      result[i] = known instanceof SymExpr ? known.distinct() : known;
    }
    candidates.set(shape[i]! * stride, mul(sizes[i]!, result[i]!));
  }
  return result;
}

class FakeMaker {
  readonly #env: ShapeEnv;
  readonly #sources = new Map<string, SymbolSource[]>();
  readonly #debugNames = new Map<string, string>();
  readonly #numbers = new Set<number>();
  readonly #ducks = new Map<number, SymExpr>();
  readonly #constraints: readonly Constraint[];
  readonly #byTensor = new Map<Tensor, Map<number, Constraint>>();
  readonly #marks: ReturnType<typeof readConstraints>["marks"];
  readonly #sizes = new Map<Tensor, Map<number, SizeSource[]>>();
  readonly #fakes = new Map<Tensor, FakeTensor>();

  constructor(leaves: readonly InputLeaf[], env: ShapeEnv) {
    this.#env = env;
    const { all, marks } = readConstraints(leaves);
    this.#constraints = all;
    this.#marks = marks;
    for (const constraint of all) {
      const known = this.#byTensor.get(constraint.tensor) ?? new Map<number, Constraint>();
      this.#byTensor.set(constraint.tensor, known.set(constraint.dim, constraint));
    }
  }

  fake(leaf: InputLeaf): FakeInput {
    if (leaf.value instanceof Tensor) return this.#tensor(leaf, leaf.value);
    const hint = isIntInput(leaf.value) && isDimHint(leaf.spec) ? leaf.spec.kind : "STATIC";
    if (hint === "STATIC") return { ...leaf, fake: leaf.value, constraints: [], isDynamicInt: false };
    const fake = this.#newSymbol(leaf.value as number, { name: leaf.source, kind: "value" }, false);
    return { ...leaf, fake, constraints: [], isDynamicInt: hint === "DYNAMIC" };
  }

  #tensor(leaf: InputLeaf, tensor: Tensor): FakeInput {
    const constraints: SizeConstraint[] = tensor.shape.map((_, dim) =>
      this.#marks.get(tensor)?.get(dim) === "DYNAMIC" ? "dynamic" : undefined,
    );
    this.#nameSizes(leaf.source, tensor, constraints);
    // A tensor that is passed twice is one fake tensor, with one symbol for each size.
    const known = this.#fakes.get(tensor);
    if (known !== undefined) return { ...leaf, fake: known, constraints, isDynamicInt: false };
    const shape = tensor.shape.map((size, dim) => this.#size(leaf, tensor, dim, size, constraints));
    const isStatic = areStatic(shape);
    const strides = symbolicStrides(tensor, shape, (stride, dim) =>
      this.#stride(leaf.source, dim, stride, isStatic),
    );
    const fake = new FakeTensor({ ...fakeOf(tensor), shape, strides });
    this.#fakes.set(tensor, fake);
    return { ...leaf, fake, constraints, isDynamicInt: false };
  }

  /** Notes the sources and names of the sizes that the specification constrains. */
  #nameSizes(source: string, tensor: Tensor, constraints: SizeConstraint[]): void {
    const sizes = this.#sizes.get(tensor) ?? new Map<number, SizeSource[]>();
    this.#sizes.set(tensor, sizes);
    for (const [dim, constraint] of this.#byTensor.get(tensor) ?? []) {
      if (dim >= tensor.shape.length) continue;
      if (dim < 0) {
        // PyTorch finds no name for a dimension that is counted from the end.
        if (constraint.kind === "named") constraints[dim + tensor.shape.length] = constraint.range;
        continue;
      }
      const name = sizeSource(source, dim);
      sizes.set(dim, [...(sizes.get(dim) ?? []), name]);
      if (constraint.kind === "relaxed") continue;
      constraints[dim] = constraint.range;
      this.#debugNames.set(name, constraint.name);
    }
  }

  #size(leaf: InputLeaf, tensor: Tensor, dim: number, size: number, constraints: SizeConstraint[]): IntLike {
    const name = sizeSource(leaf.source, dim);
    const constraint = constraints[dim];
    const range = typeof constraint === "object" ? constraint : undefined;
    if (range !== undefined && isPoint(range)) {
      if (range.min !== size)
        throw constraintViolation(
          `Static shape constraint of ${range.min} does not match input size of ${size}, for ${name}`,
          `pass an example input whose size ${dim} is ${range.min}, or write ${size} in \`dynamicShapes\``,
        );
      constraints[dim] = undefined;
      return size;
    }
    const mark = this.#marks.get(tensor)?.get(dim);
    const isDynamic = range !== undefined || mark === "AUTO" || mark === "DYNAMIC";
    if (!isDynamic) return size;
    if (size === 0 || size === 1) return size;
    return this.#newSymbol(size, { name, kind: "size" }, true, range);
  }

  #newSymbol(value: number, source: SymbolSource, isSize: boolean, range?: ValueRange): SymExpr {
    let number = symbolNumber(source.name);
    while (this.#numbers.has(number)) number++;
    this.#numbers.add(number);
    const name = `s${number}`;
    this.#env.setHint(name, value);
    this.#sources.set(name, [source]);
    const whole = !isSize ? { min: -Infinity, max: Infinity } : this.#rangeFor(value, range);
    this.#env.setRange(name, whole);
    return symbol(name, { positive: isSize, integer: true });
  }

  #rangeFor(value: number, range: ValueRange | undefined): ValueRange {
    const whole = range === undefined ? DEFAULT_RANGE : intersectRanges(DEFAULT_RANGE, range);
    if (whole !== undefined && value >= whole.min && value <= whole.max) return whole;
    throw constraintViolation(
      `${value} not in range ${rangeText(whole ?? range!)}`,
      `pass an example input of a size in this range, or change the bounds of the Dim`,
    );
  }

  #stride(source: string, dim: number, stride: number, isStatic: boolean): IntLike {
    if (isStatic || stride <= 1) return stride;
    const name = `${source}.stride()[${dim}]`;
    const known = this.#ducks.get(stride);
    const made = known ?? this.#newSymbol(stride, { name, kind: "stride" }, true);
    if (known !== undefined) this.#sources.get(known.name)!.push({ name, kind: "stride" });
    this.#ducks.set(stride, made);
    return made;
  }

  finish(): Omit<FakeInputs, "inputs" | "dynamicShapes"> {
    const equalities = this.#equalities();
    return {
      env: this.#env,
      sources: this.#sources,
      debugNames: this.#debugNames,
      equalities,
    };
  }

  #sourcesOf({ tensor, dim }: Target): readonly SizeSource[] {
    return this.#sizes.get(tensor)?.get(dim) ?? [];
  }

  /** Returns what `_process_equalities` reads from the constraints. */
  #equalities(): Equalities {
    const pairs: [SizeSource, SizeSource][] = [];
    const derived: DerivedEquality[] = [];
    const relaxed = new Set<SizeSource>();
    const shared = new Map<string, Target>();
    const phantoms = new Map<string, SymExpr>();
    for (const constraint of this.#constraints) {
      const [source, ...others] = this.#sourcesOf(constraint);
      if (source === undefined) continue;
      for (const other of others) pairs.push([source, other]);
      if (constraint.kind === "relaxed") relaxed.add(source);
      else if (constraint.kind === "named") {
        const first = shared.get(constraint.name);
        if (first === undefined) shared.set(constraint.name, constraint);
        else for (const other of this.#sourcesOf(first)) pairs.push([source, other]);
      } else {
        const { factor, offset } = constraint.dimension;
        derived.push({ source, root: this.#rootOf(constraint, phantoms), factor, offset });
      }
    }
    return new Equalities({ pairs, derived, relaxed });
  }

  #rootOf({ root }: Constraint & { kind: "derived" }, phantoms: Map<string, SymExpr>): SizeSource | IntLike {
    if (!isPhantom(root)) return this.#sourcesOf(root)[0]!;
    if (root.value === 0 || root.value === 1) return root.value;
    const known = phantoms.get(root.name);
    if (known !== undefined) return known;
    const made = this.#newSymbol(root.value, { name: root.name, kind: "dim" }, true, root.range);
    phantoms.set(root.name, made);
    return made;
  }
}
