/**
 * @file Entries of the default table that PyTorch has beside those of the rows. Reads of sizes and
 * dtypes become their values; some entries are in the table and never read, since PyTorch's
 * dispatcher has another implementation first.
 */
import type { OpDefinition, OperatorTable } from "@sconce/ops";
import type { Decomposition } from "./decomposition.js";

/** Calls that read something of a tensor that is known while a program is retraced. */
const READS: readonly string[] = [
  "aten._is_zerotensor.default",
  "aten.can_cast.default",
  "aten.get_device.default",
  "aten.is_complex.default",
  "aten.is_conj.default",
  "aten.is_floating_point.default",
  "aten.is_inference.default",
  "aten.is_neg.default",
  "aten.is_signed.default",
  "aten.promote_types.default",
  "aten.result_type.Scalar",
  "aten.result_type.Scalar_Scalar",
  "aten.result_type.Scalar_Tensor",
  "aten.result_type.Tensor",
  "aten.size.int",
  "aten.stride.int",
  "aten.sym_is_contiguous.default",
  "aten.sym_size.int",
  "aten.sym_stride.int",
];

/**
 * Operators that lowering keeps, or decomposes before it reads the table, though the table has an
 * entry.
 */
const UNREAD: readonly string[] = [
  "aten._upsample_nearest_exact1d.default",
  "aten._upsample_nearest_exact2d.default",
  "aten._upsample_nearest_exact3d.default",
  "aten.cudnn_batch_norm.default",
  "aten.mish_backward.default",
  "aten.silu_backward.default",
  "aten.upsample_nearest1d.default",
  "aten.upsample_nearest2d.default",
  "aten.upsample_nearest3d.default",
];

const own = new WeakSet<object>();
const unread = new WeakSet<object>();

/** Returns whether an entry is one of these, which need no checks. */
export const isOwnEntry = (entry: object): boolean => own.has(entry);

/** Returns whether lowering passes over an entry. Entries that are set in its place are read. */
export const isUnreadEntry = (entry: object): boolean => unread.has(entry);

/** Entries of reads, and entries that are there for those who look them up or call them. */
export function* furtherEntries(operators: OperatorTable): Iterable<readonly [string, Decomposition]> {
  for (const target of READS) {
    const meta = operators.get(target)?.meta;
    if (meta !== undefined) yield [target, owned((emit, args) => meta(args, { env: emit.env }))];
  }
  for (const target of UNREAD) {
    const rule: OpDefinition["decompose"] = operators.get(target)?.decompose;
    if (rule === undefined) continue;
    const entry = owned((emit, args) => rule(emit, args));
    unread.add(entry);
    yield [target, entry];
  }
}

function owned(entry: Decomposition): Decomposition {
  own.add(entry);
  return entry;
}
