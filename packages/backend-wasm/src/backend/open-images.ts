/** @file Kernels of images for any number of images: units of one follow those of another. */
import {
  type Axis,
  bindNest,
  constant,
  fixedValue,
  forEachAtom,
  forEachScalar,
  type Index,
  indicesOf,
  isWithin,
  isZeroOutside,
  type LoopNest,
  type LoopProgram,
  outerReductions,
  partsOf,
  product,
  type Scalar,
  sizeOf,
  symbolsOf,
} from "@sconce/codegen";
import { type Bindings, freeSymbols } from "@sconce/symbolic";
import type { KernelCode } from "../kernel-code.js";
import { depthwiseKernel } from "../matrix/depthwise.js";
import type { MatrixOptions } from "../matrix/options.js";
import { winogradKernel } from "../matrix/winograd.js";
import { windowKernel } from "../windows/code.js";

/** The value of each symbol in nests that are looked at, and in code for any number of images. */
const STAND_IN = 2;

/** A nest as it is in some sizes. */
export interface StandIn {
  readonly nest: LoopNest;
  readonly sizes: Bindings;
}
export function standInOf(nest: LoopNest, program: LoopProgram, value: number): StandIn {
  const sizes: Bindings = new Map([...symbolsOf(nest, program)].map((name) => [name, value]));
  return { nest: bindNest(nest, sizes), sizes };
}

/**
 * Code for any number of images; undefined if the nest is another one or depends on other sizes.
 */
export function openImages(
  nest: LoopNest,
  program: LoopProgram,
  options: MatrixOptions,
): KernelCode | undefined {
  const axis = imageAxis(nest, program);
  if (axis === undefined) return undefined;
  const standIn = standInOf(nest, program, STAND_IN);
  const code = imageKernel(standIn, program, options);
  const each = code === undefined ? 0 : code.units / sizeOf(axis.extent, standIn.sizes);
  if (code === undefined || !Number.isInteger(each)) return undefined;
  const { memories, prepared, scratchBytes, imports, emit } = code;
  return {
    memories,
    prepared,
    units: 0,
    scratchBytes,
    imports,
    emit,
    open: {
      units: [
        { count: axis.extent, per: 1 },
        { count: constant(each), per: 1 },
      ],
      given: [],
    },
    get text() {
      return code.text;
    },
  };
}

/** Returns the code of a nest whose sizes are bound, one image after another. */
export const imageKernel = (
  { nest, sizes }: StandIn,
  program: LoopProgram,
  options: MatrixOptions,
): KernelCode | undefined =>
  windowKernel(nest, program, sizes, options) ??
  winogradKernel(nest, program, sizes, options) ??
  depthwiseKernel(nest, program, sizes, options);

/** Returns the first axis, if its extent alone depends on symbols. */
function imageAxis({ axes, value }: LoopNest, { buffers }: LoopProgram): Axis | undefined {
  const [first, ...others] = axes;
  if (first === undefined || fixedValue(first.extent) !== undefined) return undefined;
  const isFree = (index: Index): boolean => !hasSymbols(index);
  let isOpen = others.every(({ extent }) => isFree(extent));
  let [hasChoices, isInside] = [false, true];
  // The kernels put zeros around an image instead of reading there.
  const padded = new Set(
    [...outerReductions(value)].flatMap(({ body }) => partsOf(body).filter(isZeroOutside)),
  );
  forEachScalar(value, (scalar) => {
    isOpen &&= isOpenScalar(scalar, first.name, isFree);
    hasChoices ||= scalar.kind === "select" && !padded.has(scalar);
    if (scalar.kind === "load") isInside &&= isWithin(scalar.index, product(buffers[scalar.buffer]!.shape));
  });
  // What is not chosen is read all the same where it lies inside, for any number of images.
  return isOpen && (isInside || !hasChoices) ? first : undefined;
}

function hasSymbols(index: Index): boolean {
  let found = false;
  forEachAtom(index, (item) => {
    if (item.kind === "size") found ||= freeSymbols(item.expr).size > 0;
    if (item.kind === "value") found = true;
  });
  return found;
}
/**
 * Returns whether a scalar is the same in code for any number of images: loads take them in order.
 */
function isOpenScalar(scalar: Scalar, axis: string, isFree: (index: Index) => boolean): boolean {
  if (scalar.kind === "reduce") return scalar.axes.every(({ extent }) => isFree(extent));
  return indicesOf(scalar).every((index) => isFree(index) && isPlain(index, axis, scalar.kind === "load"));
}
/** Returns whether an axis is in no division, and in no term outside of loads. */
function isPlain(index: Index, axis: string, isLoad: boolean): boolean {
  let isPlain = true;
  const visit = (one: Index, isInside: boolean): void => {
    for (const { atoms } of one.terms)
      for (const item of atoms)
        if (item.kind === "axis") isPlain &&= item.name !== axis || (isLoad && !isInside);
        else if (item.kind === "quotient" || item.kind === "remainder")
          for (const part of [item.numerator, item.denominator]) visit(part, true);
  };
  visit(index, false);
  return isPlain;
}
