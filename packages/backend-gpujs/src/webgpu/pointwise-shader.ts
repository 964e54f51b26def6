/**
 * @file Plain pointwise nests as gpu.js kernels on WebGPU: sums, products with constants, choices
 * and copies of float32, which gpu.js computes to the last bit. All else needs features that only
 * WGSL has: integers, bits, workgroup memory, functions that are exact enough.
 */
import {
  forEachStatement,
  guardFloats,
  hasReduction,
  type Kernel,
  type KernelOp,
  type KernelOperand,
  type LetStatement,
  type LoopNest,
  type LoopProgram,
  operandsOf,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { dialectOf, EXACT } from "../emit/dialect.js";
import { gridKernel } from "../emit/grid-kernel.js";
import { printGpujs } from "../emit/print-gpujs.js";
import type { Translator } from "../gpujs/translator.js";
import type { Shader } from "../wgsl/print-wgsl.js";

/**
 * Functions that are the same in gpu.js's shaders; greatest and least are not, which have to test
 * for NaN by bits.
 */
const PLAIN: ReadonlySet<KernelOp> = new Set<KernelOp>([
  ...(["add", "sub", "mul", "neg", "abs", "floor", "ceil", "select"] as const),
  ...(["eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not"] as const),
]);
const MOST_WORKGROUPS = 65535;
const DIALECT = dialectOf("webgpu");

/**
 * Returns the shader that gpu.js makes of a nest for fixed sizes; undefined where the nest is not
 * for it.
 */
export function pointwiseShader(
  nest: LoopNest,
  program: LoopProgram,
  bindings: Bindings,
  translator: Translator,
): Shader | undefined {
  if (program.buffers[nest.output]!.dtype !== "float32" || hasReduction(nest.value)) return undefined;
  // What has to be guarded needs functions that look at bits, and is not plain.
  const kernel = guardFloats(gridKernel(nest, program, bindings, DIALECT));
  if (!isPlain(kernel)) return undefined;
  const printed = printGpujs(kernel, DIALECT);
  const made = translator.translate(printed);
  if (made === undefined) return undefined;
  const sizes = kernel.launch.grid;
  const groups = sizes.map((size, d) => Math.ceil(size / made.workgroupSize[d]!));
  if (groups.some((count) => count > MOST_WORKGROUPS)) return undefined;
  const words = [...sizes, groups[0]! * made.workgroupSize[0]!];
  for (const { access, length } of kernel.memories) if (access === "read") words.push(length, 1, 1, length);
  return {
    language: "gpu.js",
    source: made.wgsl,
    reads: printed.reads,
    workgroups: groups as [number, number, number],
    uniform: Uint32Array.from(words),
  };
}

function isPlain({ memories, body }: Kernel): boolean {
  let isPlainSoFar = memories.every(({ type, length }) => type === "float32" && length < EXACT);
  forEachStatement(body, (statement) => {
    isPlainSoFar &&= operandsOf(statement).every(isPlainOperand);
    if (statement.kind === "let") isPlainSoFar &&= isPlainLet(statement);
  });
  return isPlainSoFar;
}

/**
 * Returns whether a shader computes the same. WGSL evaluates constant expressions, which must be
 * finite.
 */
function isPlainLet({ op, args, value }: LetStatement): boolean {
  if (value.type === "index") return op !== "cast";
  if (!PLAIN.has(op) || !["float32", "bool"].includes(value.type)) return false;
  return !args.every(({ kind }) => kind === "literal");
}
const isPlainOperand = (operand: KernelOperand): boolean =>
  operand.kind !== "literal" ||
  (Number.isFinite(Math.fround(Number(operand.value))) && !Object.is(operand.value, -0));
