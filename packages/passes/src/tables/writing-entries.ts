/**
 * @file The table's entries of in-place and `out=` overloads. PyTorch registers them with the
 * functional overload's (`register_inplace`, `out_wrapper` in `torch/_decomp` and
 * `torch/_prims_common/wrappers.py`). Lowering functionalizes before it looks into the table, so
 * they are for those who read the table, delete from it or call an entry.
 */
import type { FakeTensor, MetaValue } from "@sconce/ir";
import {
  type EmitArg,
  functionalArguments,
  knownSchemaText,
  knownTargets,
  type OpDefinition,
  type OperatorTable,
  writtenArguments,
} from "@sconce/ops";
import type { Decomposition } from "./decomposition.js";

/**
 * Overloads that PyTorch leaves out although their functional overload has an entry. Only its table
 * of decompositions shows this; a test compares with its recorded keys.
 */
export const NOT_REGISTERED: ReadonlySet<string> = new Set([
  "aten._euclidean_dist.out",
  "aten.addr_.default",
  "aten.arange.out",
  "aten.baddbmm_.default",
  "aten.bernoulli.out",
  "aten.clamp_max_.Tensor",
  "aten.clamp_max_.default",
  "aten.clamp_min_.Tensor",
  "aten.clamp_min_.default",
  "aten.fill.Scalar_out",
  "aten.fill.Tensor_out",
  "aten.floor_divide_.Scalar",
  "aten.floor_divide_.Tensor",
  "aten.logit_backward.grad_input",
  "aten.logsumexp.out",
  "aten.ones.out",
  "aten.squeeze_.default",
  "aten.squeeze_.dim",
  "aten.t_.default",
  "aten.unsafe_split.Tensor_out",
  "aten.unsafe_split_with_sizes.out",
  "aten.zeros.out",
]);

/**
 * Overloads that PyTorch has an entry for although it keeps their functional overload; compared
 * with the same keys.
 */
export const ALSO_REGISTERED: ReadonlySet<string> = new Set([
  "aten.cudnn_batch_norm.out",
  "aten.elu_.default",
  "aten.gelu_.default",
  "aten.hardtanh_.default",
  "aten.leaky_relu_.default",
  "aten.silu_backward.grad_input",
  "aten.std.out",
  "aten.upsample_bilinear2d.out",
  "aten.upsample_trilinear3d.out",
]);

/** Entries of the overloads that write, given those of the rows. */
export function* writingEntries(
  operators: OperatorTable,
  entries: ReadonlyMap<string, Decomposition>,
): Iterable<readonly [string, Decomposition]> {
  const packets = new Set([...entries.keys(), ...ALSO_REGISTERED].map(packetOf));
  for (const target of knownTargets()) {
    if (!packets.has(packetOf(target)) || entries.has(target) || NOT_REGISTERED.has(target)) continue;
    if (!knownSchemaText(target)!.includes("!")) continue;
    const row = operators.get(target);
    if (row?.functional === undefined) continue;
    const isComposite =
      row.tags.includes("composite") || operators.get(row.functional)!.tags.includes("composite");
    if (ALSO_REGISTERED.has(target) || (entries.has(row.functional) && !isComposite))
      yield [target, writingEntry(row, operators)];
  }
}

/** `aten.relu` of `aten.relu_.default` and of `aten.relu.out`. */
const packetOf = (target: string): string => target.slice(0, target.lastIndexOf(".")).replace(/_$/, "");

const made = new WeakSet<object>();

/** Returns whether an entry is one of those that the default table has for overloads that write. */
export const isWritingEntry = (entry: unknown): boolean => typeof entry === "function" && made.has(entry);

/** Returns the functional overload, and its results copied into what is written. */
function writingEntry(row: OpDefinition, operators: OperatorTable): Decomposition {
  const entry: Decomposition = (emit, given) => {
    const functional = operators.require(row.functional!);
    const bound = functionalArguments(row.schema, functional, given);
    const args: EmitArg[] = [];
    const kwargs: Record<string, EmitArg> = {};
    for (const { name, kwargOnly } of functional.schema.args) {
      if (kwargOnly) kwargs[name] = bound[name] as EmitArg;
      else args.push(bound[name] as EmitArg);
    }
    const result = emit.value(functional.target, args, kwargs);
    const results: readonly MetaValue[] = Array.isArray(result) ? result : [result];
    const written = writtenArguments(row.schema);
    const values = results.slice(results.length - written.length);
    const copies = written.map((arg, i) =>
      emit("aten.copy_.default", [given[arg.name], values[i] as FakeTensor]),
    );
    return copies.length === 1 ? copies[0]! : copies;
  };
  made.add(entry);
  return entry;
}
