/** @file The values that a run begins with: the program's state, and the inputs of the user. */
import { type ExportedProgram, FakeTensor, isSymScalar, type MetaValue, type Value } from "@sconce/ir";
import { type Bindings, freeSymbols, type IntLike, SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { recordedInputs } from "../memory/input-layouts.js";
import { learnLayout, learnSizes } from "../memory/sizes.js";
import { DeviceValue, type RunValue } from "../memory/values.js";

const LIFTED = new Set(["PARAMETER", "BUFFER", "CONSTANT_TENSOR", "CUSTOM_OBJ"]);

/** A placeholder that the user gives a value for. */
interface UserInput {
  readonly name: string;
  readonly meta: MetaValue | undefined;
  /** Whether the value can show the value of a symbol. */
  readonly isSymbolic: boolean;
}

/** The values of a run by their names, and the state. There may be thousands of weights. */
export class RunValues {
  readonly #state: ReadonlyMap<string, RunValue>;
  readonly #values = new Map<string, RunValue>();

  constructor(state: ReadonlyMap<string, RunValue>) {
    this.#state = state;
  }

  get(name: string): RunValue | undefined {
    const value = this.#values.get(name);
    return value === undefined ? this.#state.get(name) : value;
  }
  set(name: string, value: RunValue): void {
    this.#values.set(name, value);
  }
  /** Gives back what the device holds of a value. */
  drop(name: string): void {
    release(this.#values.get(name));
    this.#values.delete(name);
  }
  dropAll(): void {
    for (const value of this.#values.values()) release(value);
    this.#values.clear();
  }
  /** Those that are not state. */
  computed(): Iterable<RunValue> {
    return this.#values.values();
  }
}

function release(value: RunValue | undefined): void {
  if (value instanceof DeviceValue) value.held.release();
}

/** The placeholders of a program. What is the same in each run is looked for once. */
export class Givens {
  /** The state, by the names of placeholders. */
  readonly state: ReadonlyMap<string, Tensor>;
  /** Names of what the user gives. */
  readonly names: readonly string[];
  readonly #fixed = new Map<string, RunValue>();
  readonly #sizes = new Map<string, number>();
  readonly #inputs: UserInput[] = [];
  /** Inputs with symbols in their strides or their offset that are the sizes of nothing. */
  readonly #laid: readonly { readonly at: number; readonly fake: FakeTensor }[];
  /** Inputs whose sizes lowering took for those of the example, as the program had them before. */
  readonly #decided: readonly { readonly at: number; readonly fake: FakeTensor }[];

  /**
   * @param own the program's tensors
   * @param original the program before it was lowered
   */
  constructor(
    { graph, graphSignature }: ExportedProgram,
    own: ReadonlyMap<string, Tensor>,
    original: ExportedProgram,
  ) {
    const state = new Map<string, Tensor>();
    graph.placeholders().forEach(({ name, meta: { val } }, i) => {
      const { kind, target } = graphSignature.inputSpecs[i] ?? {};
      if (kind === undefined || (kind !== "TOKEN" && !LIFTED.has(kind))) {
        this.#inputs.push({ name, meta: val, isSymbolic: !hasFixedSizes(val) });
        return;
      }
      const tensor = own.get(target ?? "");
      if (kind !== "TOKEN" && tensor !== undefined) state.set(name, tensor);
      const value = kind === "TOKEN" ? Tensor.empty([0], "float32") : (tensor ?? null);
      this.#fixed.set(name, value);
      learnSizes(val, value, this.#sizes);
    });
    this.state = state;
    this.names = this.#inputs.map(({ name }) => name);
    const sizes = new Set(graph.placeholders().flatMap(({ meta: { val } }) => symbolsOf(sizesOf(val))));
    this.#laid = this.#inputs.flatMap(({ meta }, at) => {
      if (!(meta instanceof FakeTensor)) return [];
      const symbols = symbolsOf([...meta.strides, meta.storageOffset]);
      return symbols.every((name) => sizes.has(name)) ? [] : [{ at, fake: meta }];
    });
    this.#decided = recordedInputs(original).flatMap(({ fake }, at) =>
      fake === undefined || hasFixedSizes(fake) || this.#inputs[at]?.isSymbolic !== false
        ? []
        : [{ at, fake }],
    );
  }

  /**
   * Returns the sizes of a run, with what else its inputs show of how they lie in memory. Kernels
   * read sizes only.
   */
  layouts(inputs: readonly Value[], sizes: Bindings): Bindings {
    if (this.#laid.length === 0) return sizes;
    const all = new Map(sizes);
    for (const { at, fake } of this.#laid) learnLayout(fake, inputs[at]!, all);
    return all;
  }

  /** Returns the values at the start of a run, and the sizes that they show. */
  with(inputs: readonly Value[]): { readonly values: RunValues; readonly sizes: Map<string, number> } {
    const [values, sizes] = [new RunValues(this.#fixed), new Map(this.#sizes)];
    this.#inputs.forEach(({ name, meta, isSymbolic }, at) => {
      const value = inputs[at]!;
      values.set(name, value);
      if (isSymbolic) learnSizes(meta, value, sizes);
    });
    for (const { at, fake } of this.#decided) learnSizes(fake, inputs[at]!, sizes);
    return { values, sizes };
  }
}

const sizesOf = (val: MetaValue | undefined): readonly IntLike[] => {
  if (val instanceof FakeTensor) return val.shape;
  return isSymScalar(val) && val.kind === "SymInt" ? [val.expr as IntLike] : [];
};
const symbolsOf = (sizes: readonly IntLike[]): readonly string[] =>
  sizes.flatMap((size) => (size instanceof SymExpr ? [...freeSymbols(size).keys()] : []));

const hasFixedSizes = (val: MetaValue | undefined): boolean =>
  val instanceof FakeTensor && val.shape.every((size) => typeof size === "number");
