/** @file What a fake says of the results of a call, compared with what the kernel gives. */

import { FakeTensor, isSymScalar, type MetaValue, unwrapFloat } from "@sconce/ir";
import { evaluate, freeSymbols, printExpr, type ShapeEnv, SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { isConstant } from "@sconce/torch";

/** Compares the results of one call, and returns what differs. */
export function compareResults(env: ShapeEnv, fake: MetaValue, real: unknown): readonly string[] {
  const comparison = new Comparison(env);
  comparison.compare(fake, real, "the result");
  comparison.checkBounds();
  return comparison.problems;
}

class Comparison {
  readonly problems: string[] = [];
  readonly #env: ShapeEnv;
  /** Values of the symbols that the fake made, by name. */
  readonly #values = new Map<string, number>();
  readonly #symbols = new Map<string, SymExpr>();

  constructor(env: ShapeEnv) {
    this.#env = env;
  }

  compare(fake: MetaValue, real: unknown, what: string): void {
    if (Array.isArray(fake) && Array.isArray(real)) this.#compareLists(fake, real);
    else if (fake instanceof FakeTensor && real instanceof Tensor) this.#compareTensors(fake, real, what);
    else if (isSymScalar(fake)) this.#compareSizes([fake.expr], [Number(real)], `${what}:`);
    else if (isConstant(fake)) this.#compareSizes([unwrapFloat(fake.value)], [Number(real)], `${what}:`);
  }

  #compareLists(fakes: readonly unknown[], reals: readonly unknown[]): void {
    if (fakes.length !== reals.length)
      this.problems.push(`the kernel gives ${reals.length} results, the fake ${fakes.length}`);
    else
      fakes.forEach((item, i) => {
        this.compare(item as MetaValue, reals[i], `result ${i}`);
      });
  }

  #compareTensors(fake: FakeTensor, real: Tensor, what: string): void {
    const { dtype, shape, numel } = real;
    if (fake.dtype !== dtype)
      this.problems.push(`${what}: Dtypes ${dtype} and ${fake.dtype} of kernel and fake are not equal`);
    if (!this.#compareSizes(fake.shape, shape, `${what}: Shapes`) || numel === 0) return;
    // The stride of a dimension of size 1 is never used.
    const dims = shape.flatMap((size, d) => (size > 1 ? [d] : []));
    const [fakes, reals] = [fake.strides, real.strides] as const;
    this.#compareSizes(
      dims.map((d) => fakes[d]),
      dims.map((d) => reals[d]!),
      `${what}: Strides`,
    );
  }

  /** Compares sizes, and takes note of the values of new symbols. */
  #compareSizes(fakes: readonly unknown[], reals: readonly number[], what: string): boolean {
    fakes.forEach((expr, i) => {
      if (!(expr instanceof SymExpr) || expr.op !== "Symbol" || reals[i] === undefined) return;
      if (this.#values.has(expr.name)) return;
      this.#values.set(expr.name, reals[i]);
      this.#symbols.set(expr.name, expr);
    });
    const values = fakes.map((expr) => this.#valueOf(expr));
    const isSame =
      values.length === reals.length && values.every((value, i) => value === undefined || value === reals[i]);
    if (!isSame)
      this.problems.push(
        `${what} [${reals.join(", ")}] and [${fakes.map((expr) => printExpr(expr as SymExpr)).join(", ")}] of kernel and fake are not equal`,
      );
    return isSame;
  }

  /** Returns the value of a size of the fake; undefined where no result gives it. */
  #valueOf(expr: unknown): number | undefined {
    if (!(expr instanceof SymExpr)) return Number(expr);
    const isKnown = [...freeSymbols(expr).keys()].every((name) => this.#values.has(name));
    return isKnown ? Number(evaluate(expr, this.#values)) : undefined;
  }

  /** Compares the sizes that only the data decide with what the fake requires of them. */
  checkBounds(): void {
    for (const [name, symbol] of this.#symbols) {
      const { min, max } = this.#env.rangeOf(symbol);
      const value = this.#values.get(name)!;
      if (value < min || value > max)
        this.problems.push(`the kernel gives the size ${value}, which the fake bounds by [${min}, ${max}]`);
    }
    for (const condition of this.#env.assertions)
      if (this.#valueOf(condition) === 0)
        this.problems.push(`the sizes of the kernel break ${printExpr(condition)}, which the fake requires`);
  }
}
