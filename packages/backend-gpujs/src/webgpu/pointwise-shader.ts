/**
 * @file Plain pointwise nests as gpu.js kernels on WebGPU: sums, products with constants, choices
 * and copies of float32, which gpu.js computes to the last bit. All else needs features that only
 * WGSL has: integers, bits, workgroup memory, functions that are exact enough.
 */
import {
  bindIndex,
  forEachScalar,
  type LoopNest,
  type LoopProgram,
  type Scalar,
  type ScalarFn,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { dialectOf, EXACT } from "../emit/dialect.js";
import { extremeOf } from "../emit/extremes.js";
import { lengthsOf } from "../emit/facts.js";
import { writeKernel } from "../emit/kernel-writer.js";
import { type CallScalar, isWideProduct } from "../emit/zeros.js";
import type { Translator } from "../gpujs/translator.js";
import type { Shader } from "./shader.js";

/**
 * Functions that are the same in gpu.js's shaders; greatest and least are not, which have to test
 * for NaN by bits.
 */
const PLAIN: ReadonlySet<ScalarFn> = new Set<ScalarFn>([
  ...(["add", "sub", "mul", "neg", "abs", "floor", "ceil"] as const),
  ...(["eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not"] as const),
]);
const MOST_WORKGROUPS = 65535;
const DIALECT = dialectOf("webgpu");

/**
 * The shader that gpu.js makes of a nest for fixed sizes; undefined where the nest is not for it.
 */
export function pointwiseShader(
  nest: LoopNest,
  program: LoopProgram,
  bindings: Bindings,
  translator: Translator,
): Shader | undefined {
  const lengthOf = lengthsOf(program, (index) => bindIndex(index, bindings));
  if (!isPlain(nest, program, lengthOf)) return undefined;
  const kernel = writeKernel(nest, program, bindings, DIALECT);
  const made = translator.translate(kernel);
  if (made === undefined) return undefined;
  const sizes = [...kernel.output, 1, 1].slice(0, 3);
  const groups = sizes.map((size, d) => Math.ceil(size / made.workgroupSize[d]!));
  if (groups.some((count) => count > MOST_WORKGROUPS)) return undefined;
  const words = [...sizes, groups[0]! * made.workgroupSize[0]!];
  for (const id of kernel.reads) words.push(lengthOf(id), 1, 1, lengthOf(id));
  return {
    language: "gpu.js",
    source: made.wgsl,
    reads: kernel.reads,
    workgroups: groups as [number, number, number],
    uniform: Uint32Array.from(words),
  };
}

function isPlain(nest: LoopNest, program: LoopProgram, lengthOf: (buffer: number) => number): boolean {
  if (program.buffers[nest.output]!.dtype !== "float32") return false;
  let isPlainSoFar = lengthOf(nest.output) < EXACT;
  forEachScalar(nest.value, (scalar) => {
    isPlainSoFar &&= isPlainScalar(scalar, lengthOf);
  });
  return isPlainSoFar;
}

function isPlainScalar(scalar: Scalar, lengthOf: (buffer: number) => number): boolean {
  switch (scalar.kind) {
    case "load":
      return scalar.dtype === "float32" && lengthOf(scalar.buffer) < EXACT;
    case "constant":
      return Number.isFinite(Math.fround(Number(scalar.value))) && !Object.is(scalar.value, -0);
    case "call":
      return PLAIN.has(scalar.fn) && isHeld(scalar) && !needsBits(scalar);
    case "select":
      return isHeld(scalar) && extremeOf(scalar) === undefined;
    case "index":
      // Only compared: what computes with it is a cast or an integer.
      return true;
    default:
      return false;
  }
}
const ITSELF: ReadonlySet<ScalarFn> = new Set(["eq", "ne", "le", "ge"]);
const isHeld = ({ dtype }: Scalar): boolean => dtype === "float32" || dtype === "bool";
/**
 * Expressions that need bits. WGSL evaluates constant expressions, which must be finite. Compilers
 * simplify sums and products with a known zero, even those of NaN and of other zeros. An infinity
 * times a subnormal number is NaN where subnormal numbers count as zeros. They assume that there is
 * no NaN, so that everything is equal to itself.
 */
function needsBits(call: CallScalar): boolean {
  const { fn, args } = call;
  const isZero = (arg: Scalar): boolean => arg.kind === "constant" && Number(arg.value) === 0;
  if (args.every(({ kind }) => kind === "constant")) return true;
  if (ITSELF.has(fn) && args[0] === args[1]) return true;
  return isWideProduct(call) || ((fn === "add" || fn === "sub") && args.some(isZero));
}
