/** @file Results of the calls of a mixed precision region. */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import {
  autocastDtype,
  type BoundArgs,
  bindArgs,
  emitFrom,
  isAutocastEligible,
  metaOfBound,
  type OpDefinition,
  type OperatorTable,
} from "@sconce/ops";
import type { ShapeEnv } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";

/** Returns whether autocast has a kernel for an operator: it gives new tensors. */
export const isCast = (target: string): boolean => autocastDtype(target, "bfloat16", []) !== undefined;

/** What the rules of a region need. */
export interface CastContext {
  readonly operators: OperatorTable;
  readonly env: ShapeEnv;
  /** The dtype of the region. */
  readonly dtype: DType;
}

/**
 * Returns the result of a call: the rule's for the dtypes that autocast gives its tensors. Autocast
 * does not know most composites, but sees what they are made of.
 */
export function castMeta(context: CastContext, row: OpDefinition, bound: BoundArgs): MetaValue {
  const { operators, env, dtype } = context;
  const wanted = autocastDtype(row.target, dtype, dtypesIn(Object.values(bound)));
  if (wanted !== undefined) {
    const cast = Object.entries(bound).map(([name, value]) => [name, castFakes(value, wanted)] as const);
    return metaOfBound(operators, row, Object.fromEntries(cast) as BoundArgs, env);
  }
  const { decompose, tags } = row;
  if (decompose === undefined || !tags.includes("composite")) return metaOfBound(operators, row, bound, env);
  const emit = emitFrom(env, (name, args, kwargs) => {
    const inner = operators.require(name);
    return castMeta(context, inner, bindArgs(inner.schema, args, kwargs));
  });
  return decompose(emit, bound);
}

/** Returns a value with its tensors in another dtype. */
function castFakes(value: unknown, dtype: DType): unknown {
  if (Array.isArray(value)) return (value as readonly unknown[]).map((item) => castFakes(item, dtype));
  const isCast = value instanceof FakeTensor && value.dtype !== dtype && isAutocastEligible(value.dtype);
  return isCast ? new FakeTensor({ ...value, dtype }) : value;
}

const dtypesIn = (values: readonly unknown[]): DType[] =>
  values.flatMap((value) => {
    if (value instanceof FakeTensor) return [value.dtype];
    return Array.isArray(value) ? dtypesIn(value as readonly unknown[]) : [];
  });
