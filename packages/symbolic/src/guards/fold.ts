/** @file One walk over a guard, for all that is made of guards: values, conditions, text. */
import type { GuardBinaryOp, GuardCompareOp, GuardNode, GuardSource } from "./ast.js";

/** Makes a part of what a guard is folded to, when it is needed. */
type Part<T> = () => T;
type NodeOf<Kind extends GuardNode["kind"]> = Extract<GuardNode, { readonly kind: Kind }>;

type Comparison = NodeOf<"compare">["rest"][number];

/** What a guard is folded to, by its parts. */
export interface GuardAlgebra<T> {
  source(source: GuardSource): T;
  number(node: NodeOf<"number">): T;
  constant(value: string | boolean | null): T;
  not(operand: T): T;
  negate(operand: T): T;
  binary(op: GuardBinaryOp, left: T, right: T, node: NodeOf<"binary">): T;
  compare(op: GuardCompareOp, left: T, right: T): T;
  /** Returns all parts, of which Python computes those up to the first that is false. */
  and(parts: readonly Part<T>[]): T;
  /** Some part, of which Python computes those up to the first that is true. */
  or(parts: readonly Part<T>[]): T;
  conditional(test: Part<T>, then: Part<T>, otherwise: Part<T>): T;
  call(node: NodeOf<"call">, args: readonly T[]): T;
}

/** Folds a guard. A chain of comparisons is all of them; each of its operands is made once. */
export function foldGuard<T>(guard: GuardNode, algebra: GuardAlgebra<T>): T {
  const fold = (node: GuardNode): T => foldGuard(node, algebra);
  switch (guard.kind) {
    case "source":
      return algebra.source(guard);
    case "number":
      return algebra.number(guard);
    case "constant":
      return algebra.constant(guard.value);
    case "unary": {
      const operand = fold(guard.operand);
      if (guard.op === "+") return operand;
      return guard.op === "not" ? algebra.not(operand) : algebra.negate(operand);
    }
    case "binary":
      return algebra.binary(guard.op, fold(guard.left), fold(guard.right), guard);
    case "compare": {
      const [[op, right], ...further] = guard.rest as [Comparison, ...Comparison[]];
      if (further.length === 0) return algebra.compare(op, fold(guard.first), fold(right));
      const operands = [guard.first, ...guard.rest.map(([, node]) => node)].map((node) =>
        once(() => fold(node)),
      );
      return algebra.and(
        guard.rest.map(
          ([each], i) =>
            () =>
              algebra.compare(each, operands[i]!(), operands[i + 1]!()),
        ),
      );
    }
    case "bool": {
      const parts = guard.values.map((node) => () => fold(node));
      return guard.op === "and" ? algebra.and(parts) : algebra.or(parts);
    }
    case "conditional": {
      const { test, then, otherwise } = guard;
      return algebra.conditional(
        () => fold(test),
        () => fold(then),
        () => fold(otherwise),
      );
    }
    case "call":
      return algebra.call(guard, guard.args.map(fold));
  }
}

function once<T>(make: Part<T>): Part<T> {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Returns `and`, `or` and `conditional` as Python computes them, for values whose truth is known.
 *
 * @param isTrue the truth of a value
 */
export const pythonChoices = <T>(
  isTrue: (value: T) => boolean,
  constant: (value: boolean) => T,
): Pick<GuardAlgebra<T>, "and" | "or" | "conditional"> => {
  const until =
    (end: boolean) =>
    (parts: readonly Part<T>[]): T => {
      let last = constant(!end);
      for (const part of parts) {
        last = part();
        if (isTrue(last) === end) return last;
      }
      return last;
    };
  return {
    and: until(false),
    or: until(true),
    conditional: (test, then, otherwise) => (isTrue(test()) ? then() : otherwise()),
  };
};
