/** @file Lowerings: rules that make the loops of an operator, typed by its schema. */
import type { OpSchema } from "@sconce/ir";
import { type ArgsOf, type BoundArgs, type CheckedSchema, parseSchema, tableOf } from "@sconce/ops";
import { checkArguments, type LoweringArgs, type LoweringResult, type Operand } from "./arguments.js";
import type { LoweringCall } from "./call.js";
import type { LazyTensor } from "./lazy.js";

/**
 * The results of a lowered call: one tensor, or several; null for one that loops do not compute.
 */
export type Lowered = LazyTensor | readonly (LazyTensor | null)[];

/** The loop lowering of one overload. Make one with {@link lowering}. */
export interface Lowering {
  /** The overload: `aten.silu.default`. */
  readonly target: string;
  /** The schema as PyTorch prints it. */
  readonly schemaText: string;
  /** The parsed schema. */
  readonly schema: OpSchema;
  /** Whether the result shows elements of the first argument: its consumers are that tensor's. */
  readonly isView: boolean;
  /**
   * Lowers a call, given its arguments by name.
   *
   * @throws CannotLower where the arguments are not of the schema's kinds, and for calls that the
   * rule rejects
   */
  readonly rule: (args: BoundArgs, call: LoweringCall<BoundArgs>) => Lowered;
}
/** Lowerings by overload. */
export type LoweringTable = Readonly<Record<string, Lowering>>;

/** A rule whose arguments and results are typed by a schema, with `T` for `Tensor`. */
export type LoweringRule<S extends string, T = LazyTensor> = (
  args: LoweringArgs<S, T>,
  call: LoweringCall<ArgsOf<S>>,
) => LoweringResult<S>;

/** A schema, or several that share a rule; one that differs from PyTorch's does not compile. */
type Schemas<S extends string> = Checked<S> | readonly Checked<S>[];
/** Nothing is inferred from the check, which would take the compiler four times as long. */
type Checked<S extends string> = S & NoInfer<Differs<S>>;
/** Shows PyTorch's schema in the compile error for one that differs. */
type Differs<S extends string> = [S] extends [CheckedSchema<S>]
  ? unknown
  : { readonly schemaOfPyTorch: CheckedSchema<S> };

/**
 * Makes the lowering of an overload, or of several. The schema types the rule: its arguments by
 * name, with lazy tensors, and its results. Sizes may be symbolic; other numbers are fixed.
 *
 * @throws SconceError `SCHEMA_SYNTAX`
 */
export const lowering = <const S extends string>(
  schemas: Schemas<S>,
  rule: LoweringRule<S>,
): readonly Lowering[] => lowered(schemas, rule);

/** As {@link lowering}, for rules that take numbers in the place of tensors. */
export const operandLowering = <const S extends string>(
  schemas: Schemas<S>,
  rule: LoweringRule<S, Operand>,
): readonly Lowering[] => lowered(schemas, rule, { takesNumbers: true });

/** As {@link lowering}, for operators whose results show elements of the first argument. */
export const viewLowering = <const S extends string>(
  schemas: Schemas<S>,
  rule: LoweringRule<S>,
): readonly Lowering[] => lowered(schemas, rule, { isView: true });

/**
 * Makes the table of a family: `defineLowerings([lowering(schema, rule)])`.
 *
 * @throws SconceError `DUPLICATE_KEY` for an overload that is given twice
 */
export const defineLowerings = (definitions: readonly (readonly Lowering[])[]): LoweringTable =>
  tableOf(definitions.flat().map((definition) => [definition.target, definition] as const));

interface LoweringOptions {
  readonly isView?: boolean;
  readonly takesNumbers?: boolean;
}
/** A rule of any schema. */
type AnyRule = (args: never, call: never) => Lowered;
/** Arguments have the types of the schema once they are checked. */
function lowered(
  schemas: string | readonly string[],
  rule: AnyRule,
  { isView = false, takesNumbers = false }: LoweringOptions = {},
): readonly Lowering[] {
  return [schemas].flat().map((schemaText) => {
    const schema = parseSchema(schemaText);
    const checked: Lowering["rule"] = (args, call) => {
      checkArguments(schema, args, takesNumbers);
      return rule(args as never, call as never);
    };
    return Object.freeze({ target: schema.target, schemaText, schema, isView, rule: checked });
  });
}
