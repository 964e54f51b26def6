import type { OpDefinition } from "../rows/define-op.js";
import type { KnownSchemas } from "../schema/known-schemas.js";

/** Finds the rows of operators: what derived rows and shape rules need of an `OperatorTable`. */
export interface OperatorRows {
  /** The schemas of all overloads that PyTorch has. */
  readonly known: KnownSchemas;
  /**
   * Returns the row of a target such as `aten.add.Tensor`, written or derived; undefined when
   * unknown.
   */
  get(target: string): OpDefinition | undefined;
  /**
   * Returns the row of a target.
   * @throws SconceError `UNKNOWN_OPERATOR`; for one of PyTorch's that has no row here
   * `UNSUPPORTED_OPERATOR`, or `UNIMPLEMENTED_OPERATOR` where none of the refused classes has it
   */
  require(target: string): OpDefinition;
  /** Returns the written rows of one name (`aten.add`), in definition order. */
  overloadsOf(packet: string): readonly OpDefinition[];
}
