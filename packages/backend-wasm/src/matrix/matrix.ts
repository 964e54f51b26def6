/**
 * @file Code of nests that are matrix products. A unit is a block of the result: its operands are
 * packed into panels, tiles of it are summed up in registers, and then the rest of the nest is
 * computed from the block while it is in the cache.
 */
import { elementsOf, type Index, type LoopNest, type LoopProgram, printLoops } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { KernelBuffer, KernelCode, OpenSizes } from "../kernel-code.js";
import { type Blocks, blocksOf } from "./blocks.js";
import { sizesOf } from "./counts.js";
import { depthwiseKernel } from "./depthwise.js";
import { type Direct, directOf } from "./direct.js";
import { type Epilogue, epilogueOf } from "./epilogue.js";
import { expandedForms } from "./expanded-operand.js";
import type { MatrixOptions } from "./options.js";
import { inSequence, phasesOf } from "./phases.js";
import { preparedOf } from "./prepared.js";
import { emitProduct, type Product, preparedIn } from "./product-code.js";
import { type MatrixPlan, matrixPlan } from "./product-plan.js";
import { winogradKernel } from "./winograd.js";

/**
 * Returns the code of a nest whose sizes are bound; undefined if it is not a product of float32
 * matrices, or one that ordinary code computes as fast.
 */
export function matrixKernel(
  nest: LoopNest,
  program: LoopProgram,
  sizes: Bindings,
  options: MatrixOptions,
): KernelCode | undefined {
  return convolutionKernel(nest, program, sizes, options) ?? productKernel(nest, program, sizes, options);
}

/** Returns the code of a convolution that is not one product of matrices. */
function convolutionKernel(
  nest: LoopNest,
  program: LoopProgram,
  sizes: Bindings,
  options: MatrixOptions,
): KernelCode | undefined {
  for (const one of [winogradKernel, depthwiseKernel, phasesKernel]) {
    const code = one(nest, program, sizes, options);
    if (code !== undefined) return code;
  }
  return undefined;
}

/** Returns a product for each phase of a transposed convolution. */
function phasesKernel(
  nest: LoopNest,
  program: LoopProgram,
  sizes: Bindings,
  options: MatrixOptions,
): KernelCode | undefined {
  const phases = phasesOf(nest);
  const codes: KernelCode[] = [];
  for (const phase of phases ?? []) {
    const code = productKernel(phase.nest, program, sizes, options, phase.place);
    if (code === undefined) return undefined;
    codes.push(code);
  }
  return codes.length === 0 ? undefined : inSequence(codes, `${codes.length} phases of strides`);
}

/** Shorter sums of a single row are not worth packing its columns. */
export const PACKED_DEPTH = 64;

function productKernel(
  nest: LoopNest,
  program: LoopProgram,
  sizes: Bindings,
  options: MatrixOptions,
  place?: Index,
): KernelCode | undefined {
  const plan = matrixPlan(nest, place);
  if (plan === undefined) return undefined;
  // Packing would take longer than the products.
  if (plan.m === 1 && plan.k < PACKED_DEPTH && !options.isConstant(plan.b.buffer)) return undefined;
  if (!isReadable(plan, options)) return undefined;
  const prepared = { a: options.isConstant(plan.a.buffer), b: options.isConstant(plan.b.buffer) };
  return productOf(plan, blocksOf(plan, options.relaxed), { program, sizes, options }, prepared);
}

/** Returns whether kernels can read the factors: panels of expanded ones are made of constants. */
export function isReadable({ b: { expanded } }: MatrixPlan, { isConstant }: MatrixOptions): boolean {
  return (
    expanded === undefined || [expanded.narrow, ...expanded.numbers].every(({ buffer }) => isConstant(buffer))
  );
}

/** What a product is a part of. */
export interface ProductContext {
  readonly program: LoopProgram;
  /** Undefined for code that gets them when it runs. */
  readonly sizes: Bindings | undefined;
  readonly options: MatrixOptions;
}

/**
 * Returns the code of a product in blocks.
 *
 * @param prepared which factors it reads in panels that are made before it runs
 */
export function productOf(
  plan: MatrixPlan,
  blocks: Blocks,
  { program, sizes, options }: ProductContext,
  prepared: { readonly a: boolean; readonly b: boolean },
): KernelCode {
  const { nest } = plan;
  const direct = directOf(plan, blocks);
  const epilogue = direct === undefined ? epilogueOf(plan, blocks, program, sizes) : inRegisters(direct);
  const { expanded: source } = plan.b;
  const columns = { axes: plan.columns, count: plan.n, steps: plan.k };
  const expanded = source && { source, forms: expandedForms(source, columns) };
  const [preparedA, preparedB] = [
    prepared.a ? preparedOf(plan, plan.a, blocks) : undefined,
    prepared.b && expanded === undefined ? preparedOf(plan, plan.b, blocks) : undefined,
  ];
  const read = new Set<number>(epilogue.reads);
  if (preparedA === undefined) read.add(plan.a.buffer);
  if (preparedB === undefined && expanded === undefined) read.add(plan.b.buffer);
  const memories: KernelBuffer[] = [...read].map((buffer) => ({ buffer, access: "read" }));
  memories.push({ buffer: nest.output, access: "write" });
  const given = sizes === undefined ? sizesOf(plan) : [];
  const parts = { plan, blocks, options, epilogue, direct, memories, preparedA, preparedB, given };
  const product: Product = { ...parts, expanded };
  return {
    memories,
    prepared: preparedIn(product),
    units: blocks.places * blocks.columnBlocks * blocks.rowBlocks,
    scratchBytes: blocks.scratch.bytes + epilogue.scratchBytes,
    imports: epilogue.imports,
    open: sizes === undefined ? { units: unitsOf(plan, blocks), given } : undefined,
    emit: (module, imports) => emitProduct(module, imports, product),
    get text() {
      return textOf(product, program);
    },
  };
}

/** Returns the units of a product. */
const unitsOf = ({ outer, rows, columns }: MatrixPlan, blocks: Blocks): OpenSizes["units"] => [
  { count: elementsOf(outer), per: 1 },
  { count: elementsOf(rows), per: blocks.rows },
  { count: elementsOf(columns), per: blocks.columns },
];

function textOf({ plan, blocks, options, direct }: Product, program: LoopProgram): string {
  const [m, n, k, places] = [plan.rows, plan.columns, plan.inner, plan.outer].map(
    (axes) => elementsOf(axes).text,
  );
  const tile = `${blocks.lanes}x${plan.numbers.columns}${options.relaxed ? " madd" : ""}`;
  const size = `matrix product ${m} x ${n} over ${k}, ${places} times, tiles of ${tile}`;
  const { expanded } = plan.b;
  const integers = expanded && `, ${expanded.narrow.dtype} in groups of ${expanded.expansion.group}`;
  const header = `${size}${integers ?? ""}${direct === undefined ? "" : ", results in registers"}`;
  return `${header}\n${printLoops({ ...program, nests: [plan.nest] })}`;
}

/** Returns what is left to do when results were computed in registers: nothing. */
const inRegisters = ({ loads }: Direct): Epilogue => ({
  reads: loads.map(({ buffer }) => buffer),
  imports: [],
  scratchBytes: 0,
  emit: () => () => {},
});
