/**
 * @file Recorded calls on a device: each call as a program of one node, lowered, and run there nest
 * by nest.
 */
import { bindNest, bindSizes, type LoopProgram, lowerToLoops, sizeOf } from "@sconce/codegen";
import type { KernelDevice } from "@sconce/device-runtime";
import { isSconceError } from "@sconce/errors";
import type { OperatorTable } from "@sconce/ops";
import { CallProgram, type CaseOutcome, type OpCase, outcomeProblem, prepareCase } from "@sconce/ops-cases";
import { isFloatDType, type Tensor } from "@sconce/tensor";
import { type DeviceBuffer, judge, rangeOfTensor } from "./index.js";

export interface DeviceOutcome {
  /** What is wrong with the result; undefined for a pass. */
  readonly problem: string | undefined;
  /** Why loops or the device do not take this call; such a call is not run. */
  readonly refused?: string;
}

/** Runs a call on a device. */
export async function checkOnDevice(
  one: OpCase,
  operators: OperatorTable,
  device: KernelDevice,
): Promise<DeviceOutcome> {
  const prepared = prepareCase(one);
  let outcome: CaseOutcome;
  try {
    const call = new CallProgram(one.target, prepared.args, prepared.kwargs, operators);
    const loops = lowerToLoops(call.program.graph, { operators });
    const refused = whyNot(loops, call.inputs, device);
    if (refused !== undefined) return { problem: undefined, refused };
    outcome = { result: call.resultOf((await runOnDevice(loops, call.inputs, device)) as Tensor[]) };
  } catch (error) {
    if (isSconceError(error) && ["NOT_LOWERED", "VALUE_RANGE", "NOT_ON_DEVICE"].includes(error.code))
      return { problem: undefined, refused: error.message };
    outcome = { error };
  }
  return { problem: outcomeProblem(one, prepared, outcome, { mayCopy: true }) };
}

/** Returns why the device does not take the program, or not on these inputs. */
function whyNot(program: LoopProgram, inputs: readonly Tensor[], device: KernelDevice): string | undefined {
  const refused = program.nests.map((nest) => device.whyNot(nest, program)).find((why) => why !== undefined);
  if (refused !== undefined) return refused;
  const sizes = bindSizes(program, inputs);
  const nests = program.nests.map((nest) => bindNest(nest, sizes));
  const ranges = new Map(
    program.inputs.flatMap((id, at) =>
      id === undefined || isFloatDType(inputs[at]!.dtype) ? [] : [[id, rangeOfTensor(inputs[at]!)] as const],
    ),
  );
  return judge(nests, program, ranges, device.target.integers).problems.values().next().value;
}

/** Runs a whole loop program on a device, in the plainest way: every buffer lives until the end. */
export async function runOnDevice(
  program: LoopProgram,
  inputs: readonly Tensor[],
  device: KernelDevice,
): Promise<unknown[]> {
  const sizes = bindSizes(program, inputs);
  const buffers = new Map<number, DeviceBuffer>();
  try {
    for (const [at, id] of program.inputs.entries())
      if (id !== undefined) buffers.set(id, await device.upload(inputs[at]!));
    for (const nest of program.nests) {
      const kernel = await device.compile(nest, program, { sizes });
      buffers.set(nest.output, await kernel.run((id) => buffers.get(id)!));
    }
    const results: unknown[] = [];
    for (const output of program.outputs) {
      if (output.kind !== "buffer") results.push(output.value);
      else {
        const { dtype } = program.buffers[output.buffer]!;
        const shape = output.shape.map((extent) => sizeOf(extent, sizes));
        results.push(await device.download(buffers.get(output.buffer)!, dtype, shape));
      }
    }
    return results;
  } finally {
    for (const buffer of new Set(buffers.values())) device.free(buffer);
  }
}
