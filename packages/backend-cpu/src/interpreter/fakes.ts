import { FakeTensor, type SymScalar } from "@sconce/ir";
import { bigInteger, SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import type { CallArgument, RuntimeValue } from "../kernel/kernel.js";

/** Returns the fake twin of a real tensor: what meta rules and decompositions see of it. */
function fakeOf(tensor: Tensor): FakeTensor {
  const { dtype, shape, strides, storageOffset } = tensor;
  return new FakeTensor({ dtype, shape, strides, storageOffset });
}

/**
 * The pairing of real tensors with the fakes that represent them while a rule runs. Identity is
 * kept both ways, since rules return one of their arguments to say "the same tensor".
 */
export class FakePairs {
  readonly #reals = new Map<FakeTensor, Tensor>();
  readonly #fakes = new Map<Tensor, FakeTensor>();

  fake(tensor: Tensor): FakeTensor {
    let fake = this.#fakes.get(tensor);
    if (fake === undefined) {
      fake = fakeOf(tensor);
      this.#fakes.set(tensor, fake);
      this.#reals.set(fake, tensor);
    }
    return fake;
  }

  /** Returns the tensor that a fake represents, undefined for one that a rule made. */
  real(fake: FakeTensor): Tensor | undefined {
    return this.#reals.get(fake);
  }

  /** Returns the value with every tensor replaced by its fake. */
  toFakes(value: unknown): unknown {
    if (value instanceof Tensor) return this.fake(value);
    return Array.isArray(value) ? value.map((item) => this.toFakes(item)) : value;
  }

  /**
   * Returns the value with every fake replaced by its tensor and symbolic scalars by their numbers.
   */
  toReals(value: unknown): CallArgument {
    if (value instanceof FakeTensor) return this.real(value);
    if (Array.isArray(value)) return value.map((item) => this.toReals(item));
    return scalarOf(value) as CallArgument;
  }
}

/** Symbolic scalars of rules that ran on real values hold plain numbers. */
function scalarOf(value: unknown): unknown {
  const scalar = value as Partial<SymScalar> | null;
  if (typeof scalar !== "object" || scalar === null) return value;
  switch (scalar.kind) {
    case "SymInt":
      return scalar.expr instanceof SymExpr && scalar.expr.op === "Integer"
        ? BigInt(scalar.expr.value)
        : scalar.expr;
    case "SymBool":
      return scalar.expr;
    case "SymFloat":
      return Number.isInteger(scalar.expr) ? { kind: "float", value: scalar.expr } : scalar.expr;
    default:
      return value;
  }
}

/** Returns a run-time scalar as rules know it. */
export function symbolicOf(value: RuntimeValue): unknown {
  if (typeof value === "boolean") return { kind: "SymBool", expr: value };
  if (typeof value === "bigint") return { kind: "SymInt", expr: bigInteger(value) };
  if (typeof value === "number")
    return { kind: Number.isInteger(value) ? "SymInt" : "SymFloat", expr: value };
  if (typeof value === "object" && value !== null && "kind" in value && value.kind === "float") {
    return { kind: "SymFloat", expr: value.value };
  }
  return value;
}
