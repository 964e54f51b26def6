/** @file Runs the loops of a graph as modules of the toy. */

import { Tensor } from "sconce";
import { bindNest, bindSizes, elementKernel, type LoopProgram, sizeOf } from "sconce/loops";
import { emitModule, TOY } from "./emitter.js";

/** Runs a loop program on float32 tensors, one module for each nest. */
export function runLoops(program: LoopProgram, inputs: readonly Tensor[]): Tensor[] {
  const sizes = bindSizes(program, inputs);
  const lengths = program.buffers.map(({ shape }) =>
    shape.reduce((product, extent) => product * sizeOf(extent, sizes), 1),
  );
  const starts = lengths.map((_, id) => 4 * lengths.slice(0, id).reduce((sum, length) => sum + length, 0));
  const total = 4 * lengths.reduce((sum, length) => sum + length, 0);
  const memory = new WebAssembly.Memory({ initial: Math.ceil(total / 65536) + 1 });
  const elements = (id: number): Float32Array => new Float32Array(memory.buffer, starts[id], lengths[id]);
  program.inputs.forEach((id, at) => {
    if (id !== undefined) elements(id).set(inputs[at]!.toFloat64Array());
  });
  for (const nest of program.nests) {
    const kernel = elementKernel(bindNest(nest, sizes), program, sizes, TOY);
    const module = new WebAssembly.Module(emitModule(kernel, (id) => starts[id]!));
    const math = Math as unknown as WebAssembly.ModuleImports;
    (new WebAssembly.Instance(module, { env: { memory }, math }).exports["run"] as () => void)();
  }
  return program.outputs.map((output) => {
    if (output.kind !== "buffer") throw new TypeError("the toy gives tensors only");
    const shape = output.shape.map((extent) => sizeOf(extent, sizes));
    return Tensor.from([...elements(output.buffer)], shape, "float32");
  });
}
