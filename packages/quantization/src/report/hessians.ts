/** @file What the scheme `gptq` knows of the inputs of layers. */
import { type ExportedProgram, isRef, type ProgramRunner } from "@sconce/ir";
import { castTensor, Tensor } from "@sconce/tensor";
import { noSamples } from "../errors.js";
import { layerWeights } from "../weights/layers.js";
import { ownInputs, type Sample } from "./measure.js";

/** The position of the input of linear layers. */
const INPUTS: Readonly<Record<string, number>> = {
  "aten.linear.default": 0,
  "aten.addmm.default": 1,
  "aten.mm.default": 0,
  "aten.matmul.default": 0,
};

/**
 * Returns for each weight of linear layers, by name, the sum of `x x^T` over the inputs `x` of its
 * layers: a square matrix, row by row. Weights of other layers have none.
 * @throws SconceError `NO_SAMPLES`, and what runs throw
 */
export function layerHessians(
  program: ExportedProgram,
  samples: readonly Sample[],
  run: ProgramRunner,
): ReadonlyMap<string, Float64Array> {
  if (samples.length === 0) throw noSamples();
  const found = new Map<string, Float64Array>();
  const readers = new Map<string, { readonly name: string; readonly size: number }[]>();
  for (const { target, tensor, channelAxis, layers } of layerWeights(program)) {
    for (const layer of layers) {
      const node = program.graph.node(layer);
      const input = node.args[INPUTS[node.target] ?? -1];
      if (!isRef(input) || tensor.ndim !== 2) continue;
      const size = tensor.shape[1 - channelAxis]!;
      found.set(target, found.get(target) ?? new Float64Array(size * size));
      readers.set(input.name, [...(readers.get(input.name) ?? []), { name: target, size }]);
    }
  }
  for (const sample of samples) {
    run(program, ownInputs(sample), (node, value) => {
      const own = readers.get(node.name);
      if (own === undefined || !(value instanceof Tensor)) return;
      const { data, storageOffset, numel } = castTensor(value, "float32").contiguous();
      const inputs = (data as Float32Array).subarray(storageOffset, storageOffset + numel);
      for (const { name, size } of own) addProducts(found.get(name)!, inputs, size);
    });
  }
  return found;
}

function addProducts(sums: Float64Array, inputs: Float32Array, size: number): void {
  for (let start = 0; start < inputs.length; start += size) {
    for (let i = 0; i < size; i++) {
      const value = inputs[start + i]!;
      if (value === 0) continue;
      for (let j = 0; j < size; j++) sums[i * size + j]! += value * inputs[start + j]!;
    }
  }
}
