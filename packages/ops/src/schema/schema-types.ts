/**
 * @file Reads schema text at the type level, so that a rule's parameters are typed by its own
 * schema: `ArgsOf<"aten::silu(Tensor self) -> Tensor">` is `{ readonly self: FakeTensor }`.
 */
import type {
  DeviceLiteral,
  FakeTensor,
  IntLike,
  LayoutName,
  MemoryFormat,
  ScalarLiteral,
  SymScalar,
} from "@sconce/ir";
import type { DType, Tensor } from "@sconce/tensor";

/** What a `Scalar` argument may be: a Python number, or a symbolic one. */
export type ScalarArg = ScalarLiteral | SymScalar;

/**
 * The JavaScript type of each schema type: `T` for `Tensor`, `I` for `int` and `SymInt`, `S` for
 * `Scalar`.
 */
export interface SchemaTypes<T, I, S> {
  /** A tensor. */
  Tensor: T;
  /** A Python number or bool. */
  Scalar: S;
  /** A Python integer. */
  int: I;
  /** An integer that may be symbolic. */
  SymInt: I;
  /** A Python float. */
  float: number;
  /** A Python bool. */
  bool: boolean;
  /** A string. */
  str: string;
  /** A dtype. */
  ScalarType: DType;
  /** A layout. */
  Layout: LayoutName;
  /** A device. */
  Device: DeviceLiteral;
  /** A memory format. */
  MemoryFormat: MemoryFormat;
  /** A generator of random numbers; programs hold none. */
  Generator: null;
}

/** Types of shape rules and decompositions: fake tensors, sizes that may be symbolic. */
export type FakeTypes = SchemaTypes<FakeTensor, IntLike, ScalarArg>;

/** Types of kernels: real tensors, sizes that are numbers. */
export type RuntimeTypes = SchemaTypes<Tensor, number, ScalarLiteral>;

type AnyTypes = SchemaTypes<unknown, unknown, unknown>;
type Base<N extends string, M extends AnyTypes> = N extends keyof M ? M[N] : unknown;
type StripAlias<T extends string> = T extends `${infer A}(${string})${infer B}` ? `${A}${B}` : T;
type Type<T extends string, M extends AnyTypes> = T extends `${infer E}[${string}]?`
  ? readonly Type<E, M>[] | null
  : T extends `${infer E}[${string}]`
    ? readonly Type<E, M>[]
    : T extends `${infer E}?`
      ? Base<E, M> | null
      : Base<T, M>;
type NameOf<N extends string> = N extends `${infer A}=${string}` ? A : N;
/** `Tensor(a -> *) self` has spaces inside of its type. */
type Piece<P extends string, M extends AnyTypes> = P extends `${infer A}(${infer L})${infer B} ${infer N}`
  ? Entry<`${A}(${L})${B}`, N, M>
  : P extends `${infer T} ${infer N}`
    ? Entry<T, N, M>
    : unknown;
type Entry<T extends string, N extends string, M extends AnyTypes> = {
  readonly [K in NameOf<N>]: Type<StripAlias<T>, M>;
};
type Pieces<A extends string, M extends AnyTypes> = A extends `${infer P}, ${infer Rest}`
  ? Piece<P, M> & Pieces<Rest, M>
  : Piece<A, M>;

/** The bound arguments of a schema, by name, defaults filled in. */
export type ArgsOf<
  S extends string,
  M extends AnyTypes = FakeTypes,
> = S extends `${string}::${string}(${infer A}) -> ${string}` ? Pieces<A, M> : never;

/** Arguments by position, up to the `*`; those with a default may be left out. */
type Positions<A extends string, M extends AnyTypes> = A extends `${infer P}, ${infer Rest}`
  ? P extends "*"
    ? []
    : [...Position<P, M>, ...Positions<Rest, M>]
  : Position<A, M>;
type Position<P extends string, M extends AnyTypes> = P extends `${infer A}(${infer L})${infer B} ${infer N}`
  ? Place<Type<StripAlias<`${A}(${L})${B}`>, M>, N>
  : P extends `${infer T} ${infer N}`
    ? Place<Type<T, M>, N>
    : [];
type Place<T, N extends string> = N extends `${string}=${string}` ? [value?: T] : [value: T];
/** Arguments behind the `*`, by name. */
type Keywords<A extends string, M extends AnyTypes> = A extends `${string}*, ${infer Rest}`
  ? [options: KeywordPieces<Rest, M>]
  : [];
type KeywordPieces<A extends string, M extends AnyTypes> = A extends `${infer P}, ${infer Rest}`
  ? KeywordPiece<P, M> & KeywordPieces<Rest, M>
  : KeywordPiece<A, M>;
type KeywordPiece<P extends string, M extends AnyTypes> = P extends `${infer T} ${infer N}`
  ? N extends `${infer K}=${string}`
    ? { readonly [Name in K]?: Type<T, M> }
    : { readonly [Name in N]: Type<T, M> }
  : unknown;
/** Options of which none is required may be left out as a whole. */
type Optional<K extends readonly unknown[]> = K extends [options: infer O]
  ? object extends O
    ? [options?: O]
    : [options: O]
  : [];

/**
 * The arguments of a call of a schema: by position, then keyword-only ones in an object.
 * `CallOf<"a::f(Tensor x, int n=1, *, str s='')-> Tensor", RuntimeTypes>` is `[Tensor, number?, {
 * s?: string }?]`.
 */
export type CallOf<
  S extends string,
  M extends AnyTypes = RuntimeTypes,
> = S extends `${string}(${infer A}) -> ${string}`
  ? [...Positions<A, M>, ...Optional<Keywords<A, M>>]
  : readonly unknown[];

/** As {@link CallOf}, with the defaults filled in. */
export type FilledCallOf<
  S extends string,
  M extends AnyTypes = RuntimeTypes,
> = S extends `${string}(${infer A}) -> ${string}`
  ? Required<[...Positions<A, M>, ...FilledKeywords<Keywords<A, M>>]>
  : readonly unknown[];
type FilledKeywords<K extends readonly unknown[]> = K extends [options: infer O]
  ? [options: Required<O>]
  : [];

/** `Tensor(a!) values` is the type of a return and its name. */
type Return<R extends string, M extends AnyTypes> =
  StripAlias<R> extends `${infer T} ${string}` ? Type<T, M> : Type<StripAlias<R>, M>;
/** `N` is `null` where a mask may leave results out. */
type Returns<R extends string, M extends AnyTypes, N> = R extends `${infer P}, ${infer Rest}`
  ? readonly [Return<P, M> | N, ...Returns<Rest, M, N>]
  : readonly [Return<R, M> | N];
type Leaves<A extends string> = A extends `${string}bool[${string}] ${string}mask` ? null : never;

/**
 * The result of a schema: one value, a tuple, or null for `()`. Results that a mask
 * (`bool[3] output_mask`) leaves out are null.
 */
export type ResultOf<
  S extends string,
  M extends AnyTypes = FakeTypes,
> = S extends `${string}::${string}(${infer A}) -> ${infer R}`
  ? R extends "()"
    ? null
    : R extends `(${infer Items})`
      ? Returns<Items, M, Leaves<A>>
      : Return<R, M>
  : never;

/**
 * The target of a schema: `TargetOf<"aten::silu(Tensor self) -> Tensor">` is `"aten.silu.default"`.
 */
export type TargetOf<S extends string> = S extends `${infer N}::${infer Name}(${string}`
  ? Name extends `${string}.${string}`
    ? `${N}.${Name}`
    : `${N}.${Name}.default`
  : never;

/** Returns the target of a schema, see {@link TargetOf}; only the head of the text is read. */
export function targetOf<const S extends string>(schema: S): TargetOf<S> {
  const head = schema.slice(0, schema.indexOf("(")).replace("::", ".");
  const [, , overload] = head.split(".");
  return (overload === undefined ? `${head}.default` : head) as TargetOf<S>;
}
