/** @file Values whose dtype is another one than the program says. */
import { type ExportedProgram, FakeTensor, type MetaValue, type Node, rebuild } from "@sconce/ir";
import { isFloatDType } from "@sconce/tensor";

/** PyTorch's rule gives float64 and int64, and its kernel floats of the input's precision. */
const TARGET = "quantized_decomposed.choose_qparams_per_token.default";

/**
 * Returns the program with the dtypes that runs have: loops are made for dtypes, and compute in
 * them.
 */
export function withRealDTypes(program: ExportedProgram): ExportedProgram {
  const real = new Map<string, readonly MetaValue[]>();
  const graph = rebuild(program.graph, (node) => {
    const val = node.target === TARGET ? parametersOf(node, program) : pickedOf(node, real);
    if (val === undefined) return true;
    if (Array.isArray(val)) real.set(node.name, val as readonly MetaValue[]);
    return { ...node, meta: { ...node.meta, val } };
  });
  return graph === program.graph ? program : program.with({ graph });
}

/** Returns the results of the call; undefined where its input is not known. */
function parametersOf({ args: [input], meta }: Node, { graph }: ExportedProgram): MetaValue | undefined {
  const given = graph.find((input as { readonly name?: string }).name ?? "")?.meta.val;
  if (!(given instanceof FakeTensor) || !Array.isArray(meta.val)) return undefined;
  const isKept = isFloatDType(given.dtype) && given.dtype !== "float16";
  const dtype = isKept ? given.dtype : "float32";
  return (meta.val as readonly FakeTensor[]).map((one) => new FakeTensor({ ...one, dtype }));
}

function pickedOf(node: Node, real: ReadonlyMap<string, readonly MetaValue[]>): MetaValue | undefined {
  if (node.target !== "operator.getitem") return undefined;
  const [from, at] = node.args as readonly [{ readonly name: string }, number];
  return real.get(from.name)?.[at];
}
