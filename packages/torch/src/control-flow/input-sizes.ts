/**
 * @file Equal sizes of the inputs of control flow. TorchDynamo traces the functions with other
 * symbols. Then it checks the export's sizes: that of a later input must be that of the first one
 * which the functions made equal to it.
 */
import { FakeTensor, flattenValue } from "@sconce/ir";
import { type BoolLike, eq, type IntLike, type ShapeEnv, SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import type { Tracer } from "../trace/tracer.js";
import type { BodyTracer } from "./body-tracer.js";
import { knownOf } from "./flow-call.js";

/** The sizes before functions are traced. */
export class InputSizes {
  readonly #parent: Tracer;
  readonly #before: ShapeEnv | undefined;

  /** TorchDynamo compiles only calls that no other one contains. */
  constructor(parent: Tracer) {
    this.#parent = parent;
    this.#before = parent.isNested || parent.isStrict ? undefined : parent.env.clone();
  }

  /** Whether TorchDynamo compiles the call. */
  get isCompiled(): boolean {
    return this.#before !== undefined;
  }

  /**
   * Adds guards as if they had been asked before the functions were traced: those of equal inputs,
   * then `conditions`.
   *
   * @param given what the call passes, in order, in containers at will
   * @param tracers the traces of the functions, in order; what they close over follows
   */
  guard(
    given: readonly unknown[],
    tracers: readonly BodyTracer[],
    conditions: readonly BoolLike[] = [],
  ): void {
    const before = this.#before;
    if (before === undefined) return;
    const closures = tracers.flatMap(({ lifted }) => lifted.map(({ outer }) => outer.val));
    const inputs = [
      ...flattenValue(given).leaves.flatMap((leaf) => (leaf instanceof Tensor ? [knownOf(leaf)] : [])),
      ...closures.filter((val) => val instanceof FakeTensor),
    ];
    const equalities = this.#equalities(
      before,
      inputs.flatMap(({ shape }) => shape),
    );
    if (equalities.length + conditions.length > 0)
      this.#parent.env.guardEarlier(before, [...equalities, ...conditions]);
  }

  #equalities(before: ShapeEnv, sizes: readonly IntLike[]): BoolLike[] {
    const { env } = this.#parent;
    const first = new Map<string, SymExpr>();
    return sizes.flatMap((size) => {
      const value = size instanceof SymExpr ? env.simplify(size) : size;
      if (!(size instanceof SymExpr && value instanceof SymExpr)) return [];
      const other = first.get(value.key);
      if (other === undefined) first.set(value.key, size);
      if (other === undefined || before.staticallyKnown(eq(size, other)) === true) return [];
      return [eq(size, other)];
    });
  }
}
