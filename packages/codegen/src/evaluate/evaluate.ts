/**
 * @file Runs loop programs in plain JavaScript, element by element. It defines the meaning of
 * loops: tests compare emitters with it.
 */
import { internalError } from "@sconce/errors";
import { type Bindings, evaluateInt, type IntLike } from "@sconce/symbolic";
import { contiguousStrides, Storage, Tensor } from "@sconce/tensor";
import { bindNest } from "../ir/bind.js";
import type { Index, IndexAtom } from "../ir/index-expr.js";
import type { LoopOutput, LoopProgram } from "../ir/loop-program.js";
import { JAVASCRIPT } from "../javascript/print.js";
import { type ElementData, runJavaScript } from "../javascript/run.js";
import { elementKernel } from "../schedule/element.js";

/**
 * Returns the values of symbols, from the shapes of the inputs and from `given`.
 */
export function bindSizes(
  program: LoopProgram,
  inputs: readonly (Tensor | undefined)[],
  given: Bindings = new Map(),
): Map<string, number> {
  const sizes = new Map(given);
  program.inputs.forEach((id, at) => {
    const tensor = inputs[at];
    if (id === undefined || tensor === undefined) return;
    program.buffers[id]!.shape.forEach((extent, d) => {
      const [only] = extent.terms;
      const item =
        extent.terms.length === 1 && extent.constant === 0 && only!.coefficient === 1 ? only!.atoms : [];
      if (item.length === 1 && item[0]!.kind === "size" && item[0]!.expr.op === "Symbol")
        sizes.set(item[0]!.expr.name, tensor.shape[d]!);
    });
  });
  return sizes;
}

/** Returns an index without axes as a number. */
export function sizeOf({ terms, constant }: Index, sizes: Bindings): number {
  let total = constant;
  for (const { coefficient, atoms } of terms) {
    let factor = coefficient;
    for (const item of atoms) factor *= atomOf(item, sizes);
    total += factor;
  }
  return total;
}
function atomOf(item: IndexAtom, sizes: Bindings): number {
  switch (item.kind) {
    case "size":
      return evaluateInt(item.expr, sizes);
    case "quotient":
    case "remainder": {
      const [a, b] = [sizeOf(item.numerator, sizes), sizeOf(item.denominator, sizes)];
      const over = Math.floor(a / b);
      return item.kind === "quotient" ? over : a - over * b;
    }
    default:
      throw internalError(`a size depends on ${item.kind === "axis" ? item.name : "a tensor"}`);
  }
}

/**
 * Runs a loop program on the tensors of its placeholders, row-major, and returns its results.
 *
 * @param inputs one for each placeholder, `undefined` where it holds no tensor
 * @param given values of symbols that no input's shape shows
 */
export function evaluateLoops(
  program: LoopProgram,
  inputs: readonly (Tensor | undefined)[],
  given?: Bindings,
): (Tensor | IntLike | Extract<LoopOutput, { kind: "constant" }>["value"])[] {
  const sizes = bindSizes(program, inputs, given);
  const shapeOf = (shape: readonly Index[]): number[] => shape.map((extent) => sizeOf(extent, sizes));
  const tensors = program.buffers.map(({ shape, dtype, id }) => {
    const at = program.inputs.indexOf(id);
    return at >= 0 ? rowMajor(inputs[at]!) : Tensor.empty(shapeOf(shape), dtype);
  });
  for (const nest of program.nests) {
    const kernel = elementKernel(bindNest(nest, sizes), program, sizes, JAVASCRIPT);
    runJavaScript(kernel, (id) => tensors[id] as ElementData);
  }
  return program.outputs.map((output) => {
    if (output.kind === "constant") return output.value;
    if (output.kind === "size")
      return typeof output.value === "number" ? output.value : evaluateInt(output.value, sizes);
    const { dtype, storage } = tensors[output.buffer]!;
    const isInput = program.inputs.includes(output.buffer);
    return new Tensor({
      dtype,
      shape: shapeOf(output.shape),
      storage: isInput ? new Storage(storage.bytes.slice()) : storage,
    });
  });
}

/** Returns the tensor's elements from the start of a storage, in row-major order. */
const rowMajor = (tensor: Tensor): Tensor => tensor.withLayout(contiguousStrides(tensor.shape), 0);
