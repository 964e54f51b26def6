/**
 * @file The schemas of the operator rows as types, so that kernels and lowerings are checked
 * against them.
 */
import type { AtenSchema } from "../schema/known-schemas.js";
import type { TargetOf } from "../schema/schema-types.js";
import type { dimOrderOps } from "./dim-order.js";
import type { quantizedOps } from "./quantized.js";

/** The schema of a row, to the letter; the rows of `aten::` have PyTorch's schemas. */
export type RowSchema =
  | AtenSchema
  | (typeof dimOrderOps)[number]["schemaText"]
  | (typeof quantizedOps)[number]["schemaText"];

/** Stands in a compile error for the schema that the row of a target has. */
interface SchemaOfRow<Target> {
  readonly target: Target;
}
type Namespace = RowSchema extends infer S ? (S extends `${infer N}::${string}` ? N : never) : never;

/**
 * The type of a parameter that takes a schema: `schema: CheckedSchema<S>`, from which S is
 * inferred. Text in a namespace of the rows that no row has does not compile: "not assignable to
 * SchemaOfRow<"aten.silu.default">". Other namespaces are free.
 */
export type CheckedSchema<S extends string> = S extends `${Namespace}::${string}`
  ? S extends RowSchema
    ? S
    : SchemaOfRow<TargetOf<S>>
  : S;
