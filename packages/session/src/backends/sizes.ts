/**
 * @file The sizes of one run: symbols bound by the inputs, and by outputs whose sizes depend on
 * data.
 */
import { type ExportedProgram, FakeTensor, type MetaValue, type Value } from "@sconce/ir";
import { evaluate, freeSymbols, type SymExpr, type SymInt, solveLinear } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";

/** Values of symbols by name. */
export class RunSizes {
  readonly #values = new Map<string, number>();

  /** Binds the symbols that the user inputs show. */
  static of({ graph, graphSignature }: ExportedProgram, inputs: readonly Value[]): RunSizes {
    const sizes = new RunSizes();
    let next = 0;
    graph.placeholders().forEach((node, i) => {
      if (graphSignature.inputSpecs[i]?.kind !== "USER_INPUT") return;
      sizes.#learn(node.meta.val, inputs[next++]);
    });
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
   * What a size must be in this run. A symbol that nothing bound before is bound by the value that
   * came; undefined when the size does not fit any value of it, or cannot be known.
   */
  expected(size: SymInt, came: number): number | undefined {
    if (typeof size === "number") return size;
    const [unknown, ...more] = [...freeSymbols(size).keys()].filter((name) => !this.#values.has(name));
    if (more.length > 0) return undefined;
    if (unknown !== undefined && !this.#bind(unknown, size, came)) return undefined;
    try {
      return Number(evaluate(size, this.#values));
    } catch {
      return undefined;
    }
  }

  /** A size that the inputs fix; undefined for one that depends on data. */
  known(size: SymInt): number | undefined {
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
    if (value !== undefined) this.#values.set(name, value);
    return value !== undefined;
  }

  #solved(size: SymExpr, came: number): number | undefined {
    // Only sizes of one symbol: others need the values of the rest put in.
    return freeSymbols(size).size === 1 ? solveLinear(size, came)?.value : undefined;
  }
}

const isSymInt = (meta: MetaValue | undefined): meta is { readonly kind: "SymInt"; readonly expr: SymInt } =>
  typeof meta === "object" && meta !== null && "kind" in meta && meta.kind === "SymInt";
