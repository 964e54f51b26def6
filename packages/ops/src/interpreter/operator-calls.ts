/** @file Higher-order calls of one operator, and those that only show something. */
import { type Node, type OperatorLiteral, parseTreeSpec, unflattenTree } from "@sconce/ir";
import { type DType, resultType } from "@sconce/tensor";
import { invalidArgument } from "../rows/errors.js";
import { type GraphRunner, type HigherOrder, resolved, type Values, valuesOf } from "./higher-order-call.js";
import { formatted } from "./python-format.js";
import type { CallArgument, CallKwargs, NodeArgument, RuntimeValue, Steps } from "./values.js";

const PRINT = "higher_order.print";

/** An operator with an ordering token: the token passes through, results follow. */
export const withEffects: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [token, operator, ...args]: readonly NodeArgument<T>[],
  kwargs: CallKwargs<T>,
  node: Node,
) {
  const { target } = operator as OperatorLiteral;
  if (target === PRINT) return [token as RuntimeValue<T>, printLine(runner, args, kwargs)];
  const result = yield* resolved(runner.callOperator(target, args as CallArgument<T>[], kwargs, node));
  return [token as RuntimeValue<T>, ...valuesOf<T>(result)];
};

/** Prints a text with values in it. */
// biome-ignore lint/correctness/useYield: it waits for nothing
export const printed: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  args: readonly NodeArgument<T>[],
  kwargs: CallKwargs<T>,
) {
  return printLine(runner, args, kwargs);
};

function printLine<T>(
  runner: GraphRunner<T>,
  [format, ...args]: readonly NodeArgument<T>[],
  kwargs: CallKwargs<T>,
): null {
  runner.print(
    formatted(format as string, args as Values<T>, kwargs as Readonly<Record<string, RuntimeValue<T>>>),
  );
  return null;
}

/** An operator on operands of the dtype that they and the result promote to. */
export const outDtype: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [operator, dtype, ...args]: readonly NodeArgument<T>[],
  _kwargs: CallKwargs<T>,
  node: Node,
) {
  const { target } = operator as OperatorLiteral;
  const wanted = (dtype as unknown as { readonly dtype: DType }).dtype;
  const { tensors } = runner;
  const facts = args.map((arg) => (tensors.isTensor(arg) ? tensors.layoutOf(arg as T) : undefined));
  const common = resultType([
    { dtype: wanted, rank: "dimensioned" },
    ...facts
      .filter((one) => one !== undefined)
      .map((one) => ({
        dtype: one.dtype,
        rank: one.shape.length > 0 ? ("dimensioned" as const) : ("zeroDim" as const),
      })),
  ]);
  const cast = (value: NodeArgument<T>, to: DType): Steps<RuntimeValue<T>> =>
    converted(runner, value as T, to, node);
  const given: CallArgument<T>[] = [];
  for (const [i, arg] of args.entries())
    given.push(facts[i] === undefined ? (arg as CallArgument<T>) : yield* cast(arg, common));
  const result = yield* resolved(runner.callOperator(target, given, {}, node));
  return yield* cast(result, wanted);
};

/** Returns a tensor in another dtype. */
export function* converted<T>(
  runner: GraphRunner<T>,
  tensor: T,
  dtype: DType,
  node: Node,
): Steps<RuntimeValue<T>> {
  if (runner.tensors.layoutOf(tensor).dtype === dtype) return tensor;
  const kwargs = { dtype: { kind: "dtype", dtype } } as const;
  return (yield* resolved(
    runner.callOperator("aten._to_copy.default", [tensor], kwargs, node),
  )) as RuntimeValue<T>;
}

/**
 * An operator on values that a tree makes its arguments of: `(args, kwargs)`, as JSON of
 * `treespec_dumps`.
 */
export const flatApply: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [operator, spec, ...leaves]: readonly NodeArgument<T>[],
  _kwargs: CallKwargs<T>,
  node: Node,
) {
  const { target } = operator as OperatorLiteral;
  const tree = typeof spec === "string" ? unflattenTree(leaves, parseTreeSpec(spec)) : undefined;
  if (typeof target !== "string" || !Array.isArray(tree) || tree.length !== 2 || !Array.isArray(tree[0]))
    throw invalidArgument(
      "flat_apply takes an operator, the text of a tree of (args, kwargs), and its leaves",
    );
  const [args, kwargs] = tree as [readonly CallArgument<T>[], CallKwargs<T>];
  return (yield* resolved(runner.callOperator(target, args, kwargs, node))) as RuntimeValue<T>;
};

/** Marks values of a module, and gives them as they are. */
// biome-ignore lint/correctness/useYield: it waits for nothing
export const tracepoint: HigherOrder = function* <T>(
  _runner: GraphRunner<T>,
  args: readonly NodeArgument<T>[],
) {
  return args as Values<T>;
};
