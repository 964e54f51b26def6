/** @file Operators that write, on copies of what they write to. */
import type { Node, OperatorLiteral } from "@sconce/ir";
import { type GraphRunner, type HigherOrder, resolved, valuesOf } from "./higher-order-call.js";
import type { TensorAccess } from "./tensor-access.js";
import type { CallArgument, CallKwargs, NodeArgument, RuntimeValue } from "./values.js";

/** A mutating operator on copies of its bases: its results, then the bases' new values. */
export const autoFunctionalizedV2: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [operator]: readonly NodeArgument<T>[],
  kwargs: CallKwargs<T>,
  node: Node,
) {
  const { target } = operator as OperatorLiteral;
  const { schema } = runner.operators.require(target);
  const bases = ((kwargs["_all_bases"] ?? []) as readonly (T | null)[]).map((base) =>
    base === null ? base : runner.tensors.clone(base),
  );
  const view = (name: string): CallArgument<T> => mutatedView(runner.tensors, name, kwargs, bases);
  const given: Record<string, CallArgument<T>> = {};
  for (const { name } of schema.args) {
    if (Object.hasOwn(kwargs, name)) given[name] = kwargs[name];
    else if (Object.hasOwn(kwargs, `_${name}_length`)) {
      const length = kwargs[`_${name}_length`] ?? null;
      given[name] =
        length === null ? null : Array.from({ length: Number(length) }, (_, i) => view(`${name}_${i}`));
    } else if (Object.hasOwn(kwargs, `_${name}_base_index`)) given[name] = view(name);
  }
  const result = yield* resolved(runner.callOperator(target, [], given, node));
  return [...(schema.returns.length === 0 ? [null] : valuesOf<T>(result)), ...bases];
};

function mutatedView<T>(
  tensors: TensorAccess<T>,
  name: string,
  kwargs: CallKwargs<T>,
  bases: readonly (T | null)[],
): CallArgument<T> {
  const index = kwargs[`_${name}_base_index`];
  if (index === null || index === undefined) return null;
  const base = bases[Number(index)] as T;
  const part = (what: string): CallArgument<T> => kwargs[`_${name}_${what}`];
  if (part("size") !== undefined) {
    const [size, stride] = [part("size") as number[], part("stride") as number[]];
    return tensors.asStrided(base, size, stride, Number(part("storage_offset")));
  }
  if (part("slice_dim") === undefined) return base;
  const [dim, start] = [Number(part("slice_dim")), Number(part("slice_start"))];
  const { shape, strides, storageOffset } = tensors.layoutOf(base);
  const end = Math.min(Number(part("slice_end")), shape[dim]!);
  return tensors.asStrided(
    base,
    shape.with(dim, end - start),
    strides,
    storageOffset + start * strides[dim]!,
  );
}

/**
 * The first version: an operator on copies of the arguments that it writes to, which follow its
 * results.
 */
export const autoFunctionalized: HigherOrder = function* <T>(
  runner: GraphRunner<T>,
  [operator]: readonly NodeArgument<T>[],
  kwargs: CallKwargs<T>,
  node: Node,
) {
  const { target } = operator as OperatorLiteral;
  const { schema } = runner.operators.require(target);
  const { tensors } = runner;
  const copyOf = (value: CallArgument<T>): CallArgument<T> => {
    if (value === null || value === undefined) return null;
    return Array.isArray(value)
      ? (value as readonly CallArgument<T>[]).map(copyOf)
      : tensors.clone(value as T);
  };
  const written = schema.args.filter(({ alias }) => alias?.write === true).map(({ name }) => name);
  const copies = Object.fromEntries(written.map((name) => [name, copyOf(kwargs[name])]));
  const result = yield* resolved(runner.callOperator(target, [], { ...kwargs, ...copies }, node));
  const own = schema.returns.length === 0 ? [null] : valuesOf<T>(result);
  return [...own, ...written.map((name) => copies[name] as RuntimeValue<T>)];
};
