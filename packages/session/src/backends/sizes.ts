/**
 * @file The sizes of one run: symbols bound by the inputs, and by outputs whose sizes depend on
 * data.
 */
import { type ExportedProgram, FakeTensor, type MetaValue, type Value } from "@sconce/ir";
import { evaluate, freeSymbols, type IntLike, type SymExpr, solveLinear } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";

/** User inputs by position, those that show the value of a symbol. */
type SymbolicInputs = readonly (readonly [at: number, meta: MetaValue | undefined])[];

const symbolicInputs = new WeakMap<ExportedProgram, SymbolicInputs>();

function symbolicInputsOf({ graph, graphSignature }: ExportedProgram): SymbolicInputs {
  const { inputSpecs } = graphSignature;
  return graph
    .placeholders()
    .filter((_, i) => inputSpecs[i]?.kind === "USER_INPUT")
    .map(({ meta: { val } }, at) => [at, val] as const)
    .filter(([, val]) => !(val instanceof FakeTensor && val.shape.every((size) => typeof size === "number")));
}

/** Values of symbols by name. */
export class RunSizes {
  readonly #values = new Map<string, number>();

  /** Binds the symbols that the user inputs show. */
  static of(program: ExportedProgram, inputs: readonly Value[]): RunSizes {
    const sizes = new RunSizes();
    const metas = symbolicInputs.get(program) ?? symbolicInputsOf(program);
    symbolicInputs.set(program, metas);
    for (const [at, meta] of metas) sizes.#learn(meta, inputs[at]);
    return sizes;
  }

  #learn(meta: MetaValue | undefined, value: Value | undefined): void {
    if (meta instanceof FakeTensor && value instanceof Tensor) {
      for (const [d, size] of meta.shape.entries()) this.expected(size, value.shape[d] ?? 0);
    } else if (isSymInt(meta) && (typeof value === "number" || typeof value === "bigint")) {
      this.expected(meta.expr, Number(value));
    }
  }

  /**
   * Returns what a size must be in this run. A symbol that nothing bound before is bound by the
   * value that came; undefined when the size does not fit any value of it, or cannot be known.
   * Values of 2^53 or more, which numbers of data can have, are not exact here and are not known.
   */
  expected(size: IntLike, came: number): number | undefined {
    if (typeof size === "number") return size;
    const [unknown, ...more] = [...freeSymbols(size).keys()].filter((name) => !this.#values.has(name));
    if (more.length > 0) return undefined;
    if (unknown !== undefined && !this.#bind(unknown, size, came)) return undefined;
    try {
      const value = Number(evaluate(size, this.#values));
      return Number.isSafeInteger(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Whether a symbol is 0 or 1 in this run. PyTorch records values as if sizes were at least 2, so
   * other values may have other sizes than it recorded.
   */
  get areSmall(): boolean {
    return [...this.#values.values()].some((value) => value < 2);
  }

  /** Returns a size that the inputs fix; undefined for one that depends on data. */
  known(size: IntLike): number | undefined {
    if (typeof size === "number") return size;
    if ([...freeSymbols(size).keys()].some((name) => !this.#values.has(name))) return undefined;
    try {
      return Number(evaluate(size, this.#values));
    } catch {
      return undefined;
    }
  }

  #bind(name: string, size: SymExpr, came: number): boolean {
    const value = size.op === "Symbol" ? came : this.#solved(size, came);
    if (value === undefined || !Number.isSafeInteger(value)) return false;
    this.#values.set(name, value);
    return true;
  }

  #solved(size: SymExpr, came: number): number | undefined {
    // Only sizes of one symbol: others need the values of the rest put in.
    return freeSymbols(size).size === 1 ? solveLinear(size, came)?.value : undefined;
  }
}

const isSymInt = (meta: MetaValue | undefined): meta is { readonly kind: "SymInt"; readonly expr: IntLike } =>
  typeof meta === "object" && meta !== null && "kind" in meta && meta.kind === "SymInt";
