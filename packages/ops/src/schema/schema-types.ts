/**
 * @file Reads schema text at the type level, so that a rule's parameters are typed by its own schema:
 * `ArgsOf<"aten::silu(Tensor self) -> Tensor">` is `{ readonly self: FakeTensor }`.
 */
import type {
  DeviceLiteral,
  FakeTensor,
  LayoutName,
  MemoryFormat,
  ScalarLiteral,
  SymInt,
  SymScalar,
} from "@sconce/ir";
import type { DType } from "@sconce/tensor";

/** What a `Scalar` argument may be: a Python number, or a symbolic one. */
export type ScalarArg = ScalarLiteral | SymScalar;

interface BaseTypes {
  Tensor: FakeTensor;
  Scalar: ScalarArg;
  int: SymInt;
  SymInt: SymInt;
  float: number;
  bool: boolean;
  str: string;
  ScalarType: DType;
  Layout: LayoutName;
  Device: DeviceLiteral;
  MemoryFormat: MemoryFormat;
  Generator: null;
}

type Base<N extends string> = N extends keyof BaseTypes ? BaseTypes[N] : unknown;
type StripAlias<T extends string> = T extends `${infer A}(${string})${infer B}` ? `${A}${B}` : T;
type Type<T extends string> = T extends `${infer E}[${string}]?`
  ? readonly Type<E>[] | null
  : T extends `${infer E}[${string}]`
    ? readonly Type<E>[]
    : T extends `${infer E}?`
      ? Base<E> | null
      : Base<T>;
type NameOf<N extends string> = N extends `${infer A}=${string}` ? A : N;
/** `Tensor(a -> *) self` has spaces inside of its type. */
type Piece<P extends string> = P extends `${infer A}(${infer L})${infer B} ${infer N}`
  ? Entry<`${A}(${L})${B}`, N>
  : P extends `${infer T} ${infer N}`
    ? Entry<T, N>
    : unknown;
type Entry<T extends string, N extends string> = { readonly [K in NameOf<N>]: Type<StripAlias<T>> };
type Pieces<A extends string> = A extends `${infer P}, ${infer Rest}` ? Piece<P> & Pieces<Rest> : Piece<A>;

/** The bound arguments of a schema, by name, defaults filled in. */
export type ArgsOf<S extends string> = S extends `${string}::${string}(${infer A}) -> ${string}`
  ? Pieces<A>
  : never;
