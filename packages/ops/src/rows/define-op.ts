import { checkOptions, markObject, type OptionNames } from "@sconce/errors";
import type { FakeTensor, MetaValue, OpSchema } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { parseSchema } from "../schema/schema.js";
import type { ArgsOf } from "../schema/schema-types.js";
import { COPY } from "../this-copy.js";
import type { Emit } from "./emit.js";
import { checkedRule } from "./results.js";

/** Tags of PyTorch (`torch.Tag`) and ours. */
export type OpTag =
  /** In the core ATen set. */
  | "core"
  /**
   * CompositeImplicitAutograd: decomposed when dispatched, before functionalization, unless
   * preserved.
   */
  | "composite"
  | "pointwise"
  | "reduction"
  /** Draws random numbers: never folded, merged or treated as pure. */
  | "nondeterministic_seeded"
  | "dynamic_output_shape"
  | "data_dependent_output"
  | "maybe_aliasing_or_mutating"
  /** Has an effect besides its results (assertions): dead-code elimination keeps it. */
  | "effect"
  /** `op(a, b)` equals `op(b, a)` in the first two arguments. */
  | "commutative"
  /**
   * In PyTorch's decompositions but absent from the default table: `decompose` runs only when asked
   * for.
   */
  | "not_in_default_table"
  /**
   * It has a kernel and nothing that says what its calls give: what a program records of them is
   * taken, as drafts record it.
   */
  | "without_fake"
  /** PyTorch's dispatcher always decomposes it, although its schema does not mark it composite. */
  | "always_decomposed";

/** Context of meta rules. */
export interface MetaContext {
  /** Decides conditions on symbolic sizes, and makes new symbols. */
  readonly env: SymEnv;
  /** Whether the operator writes its result to its first operand. */
  readonly isInPlace?: boolean;
}

/** Returns dtype, sizes and strides of the results; refuses bad input with PyTorch's reasons. */
export type MetaRule<A> = (args: A, context: MetaContext) => MetaValue;
/** Rewrites a call into others, in PyTorch's sequence. */
export type DecomposeRule<A> = (emit: Emit, args: A) => MetaValue;
/** Emits the calls of a kernel; undefined where it makes none for these arguments. */
export type KernelCallsRule<A> = (emit: Emit, args: A) => MetaValue | undefined;

/** Everything backend-neutral about one overload. */
export interface OpRow<S extends string = string> {
  /** The schema as PyTorch prints it. */
  readonly schema: S;
  /** What the operator is: `core`, `pointwise`, `reduction`. @defaultValue none */
  readonly tags?: readonly OpTag[];
  /** One sentence, where the name does not say it. */
  readonly doc?: string;
  /** May be left out when `decompose` is there: the decomposition then runs on fakes. */
  readonly meta?: MetaRule<ArgsOf<S>>;
  /** Emits the operator as calls of others. @defaultValue none */
  readonly decompose?: DecomposeRule<ArgsOf<S>>;
  /**
   * Emits what PyTorch's kernel calls, where that is not what `decompose` of a composite emits.
   * Mixed precision casts these calls in runs, although programs record the results as if it did
   * not. @defaultValue none
   */
  readonly kernelCalls?: KernelCallsRule<ArgsOf<S>>;
}

const ROW: OptionNames<OpRow> = {
  schema: true,
  tags: true,
  doc: true,
  meta: true,
  decompose: true,
  kernelCalls: true,
};

/** A row made ready: schema parsed, rules untyped for generic callers. */
export interface OpDefinition<S extends string = string> {
  /** The name that calls use: `aten.add.Tensor`. */
  readonly target: string;
  /** The parsed schema. */
  readonly schema: OpSchema;
  /** The schema as PyTorch prints it, with the namespace. */
  readonly schemaText: S;
  /** What the operator is: `core`, `pointwise`, `reduction`. */
  readonly tags: readonly OpTag[];
  /** What it computes, in one sentence; undefined for PyTorch's own. */
  readonly doc: string | undefined;
  /** Computes the result without values; undefined when the decomposition does. */
  readonly meta: MetaRule<BoundArgs> | undefined;
  /** Emits the operator as calls of others; undefined when it has no decomposition. */
  readonly decompose: DecomposeRule<BoundArgs> | undefined;
  /** Emits what PyTorch's kernel calls, which mixed precision casts; undefined for most. */
  readonly kernelCalls?: KernelCallsRule<BoundArgs>;
  /** Target of the functional overload that an in-place or `out=` overload was derived from. */
  readonly functional?: string;
}

/**
 * Arguments bound to schema names, defaults filled in, literals unwrapped by their schema types.
 */
export type BoundArgs = Readonly<Record<string, BoundValue>>;
/** A bound argument: a fake tensor, a symbolic scalar, or a plain value. */
export type BoundValue = MetaValue | unknown;

/**
 * Defines an operator; its rules are typed by its schema. What they return is checked against the
 * schema each time: a shape rule fails with `SHAPE_RULE`, a decomposition with
 * `DECOMPOSITION_RESULT`.
 *
 * @throws SconceError `SCHEMA_SYNTAX`
 */
export function defineOp<const S extends string>(row: OpRow<S>): OpDefinition<S> {
  checkOptions("defineOp", row, ROW);
  const schema = parseSchema(row.schema);
  const meta = row.meta as MetaRule<BoundArgs> | undefined;
  const decompose = row.decompose as DecomposeRule<BoundArgs> | undefined;
  const kernelCalls = row.kernelCalls as KernelCallsRule<BoundArgs> | undefined;
  const definition: OpDefinition<S> = {
    target: schema.target,
    schema,
    schemaText: row.schema,
    tags: row.tags ?? [],
    doc: row.doc,
    meta: meta && checkedRule("SHAPE_RULE", schema, meta),
    decompose: decompose && checkedRule("DECOMPOSITION_RESULT", schema, decompose),
    ...(kernelCalls && { kernelCalls }),
  };
  return Object.freeze(markObject(definition, `operator ${schema.target}`, COPY));
}

export type { FakeTensor };
