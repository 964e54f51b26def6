/** @file Shared by the tests of this folder: a device, and programs of one nest. */
import {
  atom,
  axis,
  constant,
  evaluateLoops,
  type Index,
  type LoopProgram,
  type Scalar,
} from "@sconce/codegen";
import type { DeviceBuffer, KernelDevice } from "@sconce/device-runtime";
import { isSconceError } from "@sconce/errors";
import type { DType, Tensor } from "@sconce/tensor";
import { openWebgpuNode } from "./open-node.js";
import type { WgslDevice } from "./wgsl-device.js";

/** Returns a device, or undefined after a line with the reason why tests are skipped. */
export async function openTestDevice(asHardware = false): Promise<WgslDevice | undefined> {
  try {
    return await openWebgpuNode({ allowSoftware: true, asHardware });
  } catch (error) {
    if (!isSconceError(error, "NO_WEBGPU")) throw error;
    console.warn(`WebGPU tests are skipped: ${error.message}; ${error.fix}`);
    return undefined;
  }
}

/** Returns whether mode `webgpu` runs here; a line says why not. */
export async function hasWebgpu(): Promise<boolean> {
  const device = await openTestDevice();
  await device?.dispose();
  return device !== undefined;
}

export const load = (buffer: number, index: Index, dtype: DType): Scalar => ({
  kind: "load",
  dtype,
  buffer,
  index,
});
export const fixed = (value: number | boolean, dtype: DType): Scalar => ({ kind: "constant", dtype, value });
export const call = (
  fn: Extract<Scalar, { kind: "call" }>["fn"],
  dtype: DType,
  ...args: Scalar[]
): Scalar => ({
  kind: "call",
  dtype,
  fn,
  args,
});

/**
 * Returns a program that computes one flat tensor of `length` elements from the inputs, which have
 * the ids 0, 1, ...
 */
export function elementProgram(
  inputs: readonly { readonly dtype: DType; readonly numel: number }[],
  length: number,
  dtype: DType,
  value: (i: Index) => Scalar,
): LoopProgram {
  const i = axis("i0", constant(length));
  const output = inputs.length;
  const shape = [constant(length)];
  return {
    buffers: [
      ...inputs.map((input, id) => ({
        id,
        dtype: input.dtype,
        shape: [constant(input.numel)],
        kind: "input" as const,
        node: `x${id}`,
      })),
      { id: output, dtype, shape, kind: "value", node: "y" },
    ],
    nests: [{ id: 0, output, axes: [i], value: value(atom(i)), nodes: ["y"] }],
    inputs: inputs.map((_, id) => id),
    outputs: [{ kind: "buffer", buffer: output, shape, node: "y" }],
  };
}

/** Returns what a program's one nest gives on the device. */
export async function onDevice(
  program: LoopProgram,
  inputs: readonly Tensor[],
  device: KernelDevice,
): Promise<Tensor> {
  const [nest] = program.nests;
  const { dtype, shape } = program.buffers[nest!.output]!;
  const buffers: DeviceBuffer[] = [];
  for (const input of inputs) buffers.push(await device.upload(input));
  const kernel = await device.compile(nest!, program, { sizes: new Map() });
  const made = await kernel.run((id) => buffers[id]!);
  try {
    return await device.download(
      made,
      dtype,
      shape.map((extent) => extent.constant),
    );
  } finally {
    for (const buffer of [...buffers, made]) device.free(buffer);
  }
}

/** Returns the results of all nests of a program on the device. */
export async function allOnDevice(
  program: LoopProgram,
  inputs: readonly Tensor[],
  device: KernelDevice,
): Promise<Tensor[]> {
  const buffers = new Map<number, DeviceBuffer>();
  for (const [at, input] of inputs.entries()) buffers.set(program.inputs[at]!, await device.upload(input));
  for (const nest of program.nests) {
    const kernel = await device.compile(nest, program, { sizes: new Map() });
    buffers.set(nest.output, await kernel.run((id) => buffers.get(id)!));
  }
  const results: Tensor[] = [];
  for (const output of program.outputs) {
    if (output.kind !== "buffer") continue;
    const shape = output.shape.map((extent) => extent.constant);
    const { dtype } = program.buffers[output.buffer]!;
    results.push(await device.download(buffers.get(output.buffer)!, dtype, shape));
  }
  for (const buffer of buffers.values()) device.free(buffer);
  return results;
}

/** Returns what it gives element by element in JavaScript. */
export const inJavaScript = (program: LoopProgram, inputs: readonly Tensor[]): Tensor =>
  evaluateLoops(program, inputs)[0] as Tensor;
