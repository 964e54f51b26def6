/** A key of a Python access path. */
export type GuardKey = string | number;

/** An input, or a property of one: `L['x'].size()[0]`, `L['d']['k'][0]`, `L['n']`. */
export interface GuardSource {
  readonly kind: "source";
  /** The argument's name. */
  readonly root: string;
  /** Written as `L['x']` rather than as `x`. */
  readonly local: boolean;
  /** Item keys and, as `{ attribute }`, attribute names that lead from the argument to the leaf. */
  readonly path: readonly (GuardKey | { readonly attribute: string })[];
  /** What is read of the leaf; undefined for the leaf itself. */
  readonly property?: "size" | "stride" | "storage_offset";
  /** Which dimension of `size()` or `stride()`. */
  readonly index?: number;
}

/** Arithmetic of Python that guards use. */
export type GuardBinaryOp = "+" | "-" | "*" | "/" | "//" | "%" | "**";
/** Comparisons of Python that guards use. */
export type GuardCompareOp = "==" | "!=" | "<" | "<=" | ">" | ">=";

/**
 * A guard as a tree. It is only ever interpreted: nothing in it can reach anything but its sources.
 */
export type GuardNode =
  | GuardSource
  /** `exact` only for integers beyond 2^53. */
  | { readonly kind: "number"; readonly value: number; readonly float: boolean; readonly exact?: bigint }
  | { readonly kind: "constant"; readonly value: string | boolean | null }
  | { readonly kind: "unary"; readonly op: "-" | "+" | "not"; readonly operand: GuardNode }
  | {
      readonly kind: "binary";
      readonly op: GuardBinaryOp;
      readonly left: GuardNode;
      readonly right: GuardNode;
    }
  | {
      readonly kind: "compare";
      readonly first: GuardNode;
      readonly rest: readonly (readonly [GuardCompareOp, GuardNode])[];
    }
  | { readonly kind: "bool"; readonly op: "and" | "or"; readonly values: readonly GuardNode[] }
  | {
      readonly kind: "conditional";
      readonly test: GuardNode;
      readonly then: GuardNode;
      readonly otherwise: GuardNode;
    }
  | { readonly kind: "call"; readonly fn: GuardFunction; readonly args: readonly GuardNode[] };

/** Functions that PyTorch's guard printer writes. */
export type GuardFunction =
  | "max"
  | "min"
  | "abs"
  | "round"
  | "float"
  | "int"
  | "cast_symbool_to_symint_guardless"
  | "math.trunc"
  | "math.floor"
  | "math.ceil"
  | "math.sqrt"
  | "math.isnan"
  | "math.cos"
  | "math.sin"
  | "math.tan"
  | "math.cosh"
  | "math.sinh"
  | "math.tanh"
  | "math.acos"
  | "math.asin"
  | "math.atan"
  | "math.log2"
  | "torch.sym_float"
  | "torch.sym_max"
  | "torch.sym_min"
  | "torch._sym_sqrt";

/** Every {@link GuardFunction}, and how many arguments it takes. */
export const GUARD_FUNCTIONS: ReadonlyMap<string, readonly [min: number, max: number]> = new Map([
  ["max", [1, 64]],
  ["min", [1, 64]],
  ["torch.sym_max", [1, 64]],
  ["torch.sym_min", [1, 64]],
  ["round", [1, 2]],
  ...[
    "abs",
    "float",
    "int",
    "cast_symbool_to_symint_guardless",
    "math.trunc",
    "math.floor",
    "math.ceil",
    "math.sqrt",
    "math.isnan",
    "math.cos",
    "math.sin",
    "math.tan",
    "math.cosh",
    "math.sinh",
    "math.tanh",
    "math.acos",
    "math.asin",
    "math.atan",
    "math.log2",
    "torch.sym_float",
    "torch._sym_sqrt",
  ].map((name): [string, readonly [number, number]] => [name, [1, 1]]),
]);
