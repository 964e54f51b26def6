/**
 * @file What a backend returned, compared with what the program says: count, kinds, shapes and
 * dtypes.
 */
import { countText } from "@sconce/errors";
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  type Graph,
  lineOf,
  type MetaValue,
  type Node,
  type OutputSpec,
  unwrapFloat,
  type Value,
  withLine,
} from "@sconce/ir";
import { MUTATIONS } from "@sconce/ops";
import { printExpr } from "@sconce/symbolic";
import { dtypeInfo, isFloatDType, requiredBytes, Tensor } from "@sconce/tensor";
import { type BackendLabel, backendFault, described, wrongOutput } from "./errors.js";
import { RunSizes } from "./sizes.js";

/**
 * Reads the sizes of a run's inputs, which the run may change in place. What it returns gives the
 * run's outputs, or throws when they are not what the program says.
 */
export type OutputCheck = (inputs: readonly Value[]) => (outputs: unknown) => readonly Value[];

/**
 * Prepares the check of a program's outputs. @throws (when checking) SconceError `BACKEND_OUTPUT`,
 * `PLUGIN_FAILED`
 */
export function outputCheck(program: ExportedProgram, backend: BackendLabel): OutputCheck {
  const { outputSpecs } = program.graphSignature;
  const expected = outputSpecs.filter(({ kind }) => !MUTATIONS.has(kind) && kind !== "TOKEN");
  const check = (sizes: RunSizes, outputs: unknown): readonly Value[] => {
    if (!Array.isArray(outputs))
      throw backendFault(backend, `returned ${described(outputs)} from run, not an array of outputs`);
    if (outputs.length !== expected.length) {
      const what = `${countText(outputs.length, "output")} where the program has ${expected.length}`;
      throw wrongOutput(backend, what, expected.map((spec, i) => placeOf(program, spec, i)).join(", "));
    }
    for (const [i, spec] of expected.entries()) {
      const problem = problemOf(program, spec, outputs[i], sizes);
      if (problem !== undefined && !isAutocastResult(program, spec, outputs[i], sizes))
        throw wrongOutput(backend, `${problem} as output ${i}`, placeOf(program, spec, i));
    }
    return outputs as readonly Value[];
  };
  return (inputs) => {
    const sizes = RunSizes.of(program, inputs);
    return (outputs) => check(sizes, outputs);
  };
}

function placeOf({ graph }: ExportedProgram, { arg }: OutputSpec, i: number): string {
  const node = graph.find(arg.name);
  if (node === undefined) return `output ${i}`;
  return withLine(`output ${i}, node "${node.name}"${targetOf(node)}`, lineOf(graph, node.name));
}

const targetOf = ({ op, target }: Node): string => (op === "call_function" ? ` (${target})` : "");

/** Returns why a value is not what the program says; undefined when it is. */
function problemOf(
  { graph }: ExportedProgram,
  { arg }: OutputSpec,
  value: unknown,
  sizes: RunSizes,
): string | undefined {
  const meta = graph.find(arg.name)?.meta.val;
  switch (arg.kind) {
    case "tensor":
      return tensorProblem(meta, value, sizes);
    case "symint":
      return intProblem(meta, value, sizes);
    case "symfloat":
      return typeof value === "number" ? undefined : `${described(value)} where the program has a float`;
    case "symbool":
      return typeof value === "boolean" ? undefined : `${described(value)} where the program has a bool`;
    case "constant":
      return constantProblem(arg.value, value);
    default:
      return undefined;
  }
}

/** Returns why a value is not the tensor that metadata describes; `sizes` binds symbols. */
function tensorProblem(meta: MetaValue | undefined, value: unknown, sizes: RunSizes): string | undefined {
  const want = (): string => (meta instanceof FakeTensor ? typeText(meta) : "a tensor");
  if (!(value instanceof Tensor)) return `${described(value)} where the program has ${want()}`;
  const memory = memoryProblem(value);
  if (memory !== undefined) return memory;
  if (!(meta instanceof FakeTensor)) return undefined;
  const got = (): string => `${value.dtype}[${value.shape.join(", ")}]`;
  if (value.dtype !== meta.dtype || (value.ndim !== meta.ndim && !sizes.areSmall))
    return `${got()} where the program has ${want()}`;
  // `squeeze` takes a size of 1 away that the program has as a dynamic one.
  if (value.ndim !== meta.ndim) return undefined;
  for (const [d, size] of meta.shape.entries()) {
    const expected = sizes.expected(size, value.shape[d]!);
    if (expected === undefined || expected === value.shape[d] || sizes.areSmall) continue;
    const known = typeof size === "number" ? "" : `, whose size ${d} is ${expected} in this run`;
    return `${got()} where the program has ${want()}${known}`;
  }
  return undefined;
}

/**
 * Returns whether only the dtype differs, in a program with autocast regions. A strict export
 * records the values of such a region without autocast (PyTorch too runs it with autocast, and
 * returns what that gives).
 */
function isAutocastResult(
  { graph }: ExportedProgram,
  { arg }: OutputSpec,
  value: unknown,
  sizes: RunSizes,
): boolean {
  const meta = graph.find(arg.name)?.meta.val;
  if (!(value instanceof Tensor) || !(meta instanceof FakeTensor) || !hasAutocast(graph)) return false;
  const areFloats = isFloatDType(value.dtype) && isFloatDType(meta.dtype);
  return (
    areFloats && tensorProblem(new FakeTensor({ ...meta, dtype: value.dtype }), value, sizes) === undefined
  );
}

const hasAutocast = (graph: Graph): boolean =>
  graph
    .nodes()
    .some(({ target, args }) => target === "higher_order.wrap_with_autocast" && args[2] === true) ||
  [...graph.subgraphs.values()].some(hasAutocast);

const typeText = ({ dtype, shape }: FakeTensor): string =>
  `${dtype}[${shape.map((size) => printExpr(size)).join(", ")}]`;

/** Returns a tensor that describes more memory than it has. */
function memoryProblem({ dtype, shape, strides, storageOffset, storage }: Tensor): string | undefined {
  const sizes = [...shape, ...strides, storageOffset];
  const isWhole = strides.length === shape.length && sizes.every((n) => Number.isSafeInteger(n) && n >= 0);
  const bytes = isWhole ? requiredBytes(shape, strides, storageOffset, dtypeInfo(dtype).itemSize) : 0;
  if (isWhole && bytes <= storage.byteLength) return undefined;
  const layout = `shape [${shape.join(", ")}], strides [${strides.join(", ")}], offset ${storageOffset}`;
  return isWhole
    ? `a tensor (${layout}) that needs ${bytes} bytes and has ${storage.byteLength}`
    : `a tensor with an invalid layout (${layout})`;
}

function intProblem(meta: MetaValue | undefined, value: unknown, sizes: RunSizes): string | undefined {
  const isInteger = typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
  if (!isInteger) return `${scalarText(value)} where the program has an int`;
  if (typeof meta !== "object" || meta === null || !("kind" in meta) || meta.kind !== "SymInt")
    return undefined;
  const expected = sizes.expected(meta.expr, Number(value));
  if (expected === undefined || expected === Number(value)) return undefined;
  return `${String(value)} where the program has ${printExpr(meta.expr)}, which is ${expected} in this run`;
}

function constantProblem(constant: Argument, value: unknown): string | undefined {
  const want = unwrapFloat(constant);
  // Dtypes, devices and the like are handed through as they are.
  if (typeof want === "object" && want !== null) return undefined;
  if (Object.is(want, value) || want === value) return undefined;
  return `${scalarText(value)} where the program has the constant ${scalarText(want)}`;
}

const scalarText = (value: unknown): string =>
  value === null || ["number", "bigint", "boolean"].includes(typeof value)
    ? String(value)
    : typeof value === "string"
      ? JSON.stringify(value)
      : described(value);
