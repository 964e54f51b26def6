import type { DecomposeRule, EmitArg } from "@sconce/ops";

/**
 * A decomposition of one overload; its arguments come by the names of the schema, defaults filled
 * in.
 */
export type Decomposition = DecomposeRule<Readonly<Record<string, EmitArg>>>;
