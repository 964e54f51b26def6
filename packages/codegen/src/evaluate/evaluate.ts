/**
 * @file Runs loop programs in plain JavaScript, element by element. It defines the meaning of
 * loops: tests compare emitters with it.
 */
import { type Bindings, evaluateInt, type SymInt } from "@sconce/symbolic";
import { contiguousStrides, elementWriter, Storage, Tensor, type TypedArray } from "@sconce/tensor";
import type { Index } from "../ir/index-expr.js";
import type { LoopNest, LoopOutput, LoopProgram } from "../ir/loop-program.js";
import { ScalarCompiler, type Scope } from "./compile.js";

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

/** An index without axes as a number. */
export const sizeOf = (index: Index, sizes: Bindings): number =>
  new ScalarCompiler([], sizes, { axes: [], time: 0 }).index(index)();

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
): (Tensor | SymInt | Extract<LoopOutput, { kind: "constant" }>["value"])[] {
  const sizes = bindSizes(program, inputs, given);
  const shapeOf = (shape: readonly Index[]): number[] => shape.map((extent) => sizeOf(extent, sizes));
  const tensors = program.buffers.map(({ shape, dtype, id }) => {
    const at = program.inputs.indexOf(id);
    return at >= 0 ? rowMajor(inputs[at]!) : Tensor.empty(shapeOf(shape), dtype);
  });
  for (const nest of program.nests) runNest(nest, tensors, sizes);
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

/** The tensor's elements from the start of a storage, in row-major order. */
const rowMajor = (tensor: Tensor): Tensor => tensor.withLayout(contiguousStrides(tensor.shape), 0);

function runNest(nest: LoopNest, tensors: readonly Tensor[], sizes: Bindings): void {
  const scope: Scope = { axes: [], time: 0 };
  const compiler = new ScalarCompiler(
    tensors as readonly { dtype: Tensor["dtype"]; data: TypedArray }[],
    sizes,
    scope,
  );
  const slots = nest.axes.map(({ name }) => compiler.slot(name));
  const element = compiler.element(nest.value);
  const out = tensors[nest.output]!;
  const write = elementWriter(out.dtype, out.data);
  const walk = (depth: number, place: number): void => {
    if (depth === slots.length) {
      write(place, element());
      return;
    }
    const extent = out.shape[depth]!;
    for (let i = 0; i < extent; i++) {
      scope.axes[slots[depth]!] = i;
      scope.time++;
      walk(depth + 1, place * extent + i);
    }
  };
  walk(0, 0);
}
