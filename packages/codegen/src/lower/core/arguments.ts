/**
 * @file What the arguments and results of a lowering are, read from the text of its schema:
 * `LoweringArgs<"aten::silu(Tensor self) -> Tensor">` is `{ readonly self: LazyTensor }`.
 */
import type { IntLike, OpSchema, SchemaType } from "@sconce/ir";
import type { ArgsOf, BoundArgs, ResultOf, ScalarArg, SchemaTypes } from "@sconce/ops";
import { cannot } from "./call.js";
import { LazyTensor } from "./lazy.js";

/** A tensor, or a number in its place: PyTorch's wrapped number. */
export type Operand = LazyTensor | ScalarArg;

/** Returns an operand that has to be a tensor. Rejects the call where it is a number. */
export const tensorOperand = (operand: Operand, name: string): LazyTensor =>
  operand instanceof LazyTensor ? operand : cannot(`its ${name} is not a tensor`);

/** Types of lowerings, with `T` for `Tensor`: sizes may be symbolic, other integers are fixed. */
interface LoweringTypes<T> extends SchemaTypes<T, unknown, ScalarArg> {
  int: number;
  SymInt: IntLike;
}

/** The bound arguments of a schema, by name, defaults filled in, with `T` for `Tensor`. */
export type LoweringArgs<S extends string, T = LazyTensor> = ArgsOf<S, LoweringTypes<T>>;

/**
 * One tensor, a list of them, or several results, of which each is null where loops do not compute
 * it.
 */
export type LoweringResult<S extends string> = Nullable<ResultOf<S, LoweringTypes<LazyTensor>>>;
type Nullable<R> = R extends LazyTensor
  ? R
  : R extends readonly (LazyTensor | null)[]
    ? NullableItems<R>
    : readonly [];
type NullableItems<R extends readonly (LazyTensor | null)[]> = { readonly [K in keyof R]: R[K] | null };

/**
 * Refuses arguments of other kinds than the schema's: a number in the place of a tensor, and a
 * symbolic value where loops need a fixed one.
 *
 * @throws CannotLower
 */
export function checkArguments(schema: OpSchema, args: BoundArgs, takesNumbers: boolean): void {
  for (const { name, type } of schema.args) {
    if (args[name] === undefined) cannot(`it is bound by another schema, without "${name}"`);
    checkArgument(name, type, args[name], takesNumbers);
  }
}

function checkArgument(name: string, type: SchemaType, value: unknown, takesNumbers: boolean): void {
  const kind = KINDS[type.base];
  if (kind === undefined || value === null || (takesNumbers && type.base === "Tensor")) return;
  if (!type.list) {
    if (!kind.is(value)) cannot(`its ${name} is not ${kind.one}`);
    return;
  }
  for (const item of value as readonly unknown[])
    if (item !== null && !kind.is(item)) cannot(`its ${name} ${kind.list}`);
}

interface Kind {
  readonly is: (value: unknown) => boolean;
  readonly one: string;
  readonly list: string;
}
const FIXED: Kind = {
  is: (value) => typeof value === "number",
  one: "a fixed number",
  list: "is not fixed",
};
const KINDS: Readonly<Record<string, Kind>> = {
  Tensor: {
    is: (value) => value instanceof LazyTensor,
    one: "a tensor",
    list: "holds more than tensors",
  },
  int: FIXED,
  float: FIXED,
  bool: { is: (value) => typeof value === "boolean", one: "a fixed boolean", list: "is not fixed" },
};
