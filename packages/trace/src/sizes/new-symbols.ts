/** @file Symbols that a traced value shows for the first time. */
import { FakeTensor, isSymScalar, type MetaValue } from "@sconce/ir";
import { freeSymbols, type ShapeEnv, SymExpr } from "@sconce/symbolic";
import type { UnbackedBinding } from "../nodes/trace-node.js";

type Place = Omit<UnbackedBinding, "symbol" | "divisor">;

/**
 * Takes note of the symbols of a trace. Where only the data decide one, a place of a result must
 * give it: a size `u0`, or `2*u0` divided by 2 (`free_unbacked_symbols_with_path`).
 */
export class NewSymbols {
  readonly #env: ShapeEnv;
  readonly #seen = new Set<string>();
  /** Expressions without symbols to come: most tensors have the sizes of earlier ones. */
  readonly #known = new WeakSet<SymExpr>();

  constructor(env: ShapeEnv) {
    this.#env = env;
  }

  /** Returns whether an earlier value has a symbol. */
  has(symbol: string): boolean {
    return this.#seen.has(symbol);
  }

  /** Returns the symbols of a value that no earlier value has, with their places. */
  of(value: MetaValue, item?: number): UnbackedBinding[] {
    if (Array.isArray(value)) return (value as readonly MetaValue[]).flatMap((part, i) => this.of(part, i));
    if (value instanceof FakeTensor)
      return [
        ...value.shape.flatMap((size, dim) => this.#unseen(size, { item, dim })),
        ...value.strides.flatMap((stride, dim) => this.#unseen(stride, { item, dim, of: "stride" })),
        ...this.#unseen(value.storageOffset, { item, of: "offset" }),
      ];
    return isSymScalar(value) ? this.#unseen(value.expr, { item }) : [];
  }

  #unseen(expr: unknown, place: Place): UnbackedBinding[] {
    if (!(expr instanceof SymExpr) || this.#known.has(expr)) return [];
    const divisor = divisorOf(expr);
    const symbols = [...freeSymbols(expr)];
    const found = symbols.filter(([name, symbol]) => {
      if (this.#seen.has(name)) return false;
      const isUnbacked = this.#env.hint(symbol) === undefined;
      return isUnbacked ? divisor !== undefined : place.of === undefined;
    });
    for (const [name] of found) this.#seen.add(name);
    if (symbols.every(([name]) => this.#seen.has(name))) this.#known.add(expr);
    return found.map(([symbol]) => ({ symbol, ...place, divisor }));
  }
}

/**
 * Returns what the value of an expression is divided by to give its symbol: 1 for a symbol, and for
 * a condition that is read (`Eq(u0, 1)`); 2 for twice a symbol; undefined for other expressions.
 */
export function divisorOf({ op, args }: SymExpr): number | undefined {
  if (op === "Symbol" || op === "Equality") return 1;
  const [factor, symbol] = args;
  const isMultiple = op === "Mul" && args.length === 2 && factor!.op === "Integer" && symbol!.op === "Symbol";
  return isMultiple ? Number(factor!.value) : undefined;
}
