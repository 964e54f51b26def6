/** @file Devices and programs for the tests of legality. */
import { bindNest, hasSizes, readsOf, sortIterations } from "@sconce/codegen";
import {
  between,
  bindCall,
  type Device,
  type DeviceTarget,
  intersection,
  judge,
  judgeCall,
  planSteps,
  point,
  type Range,
  rangeOfDType,
  type Step,
  type ValueRanges,
  whyTooMuch,
} from "@sconce/device-runtime";
import { finish } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { isFloatDType } from "@sconce/tensor";
import type { Mode } from "../device/mode.js";
import { dialectOf } from "../emit/dialect.js";
import { whyNotExpressible, whyNotHeld } from "../emit/refusals.js";
import { program } from "../programs.fixture.js";
import { wgslTarget, whyNoLane, whyNotWgsl } from "../webgpu/support.js";

const operators = defaultOperators();

/** Returns what a mode of gpu.js allows, as its device says it. */
function targetOf(mode: Mode): DeviceTarget {
  const dialect = dialectOf(mode);
  const whyNot: Device["whyNot"] = (nest, loops) => whyNotExpressible(nest, loops, dialect);
  const device = { whyNot, whyNotHeld, target: dialect };
  return { name: "gpujs", device, limit: { iterationsPerElement: 100 }, operators };
}
const webgpu: DeviceTarget = {
  name: "gpujs",
  device: {
    whyNot: (nest, loops) => whyNotWgsl(nest, loops, 7),
    whyNotHeld: whyNoLane,
    target: wgslTarget(true),
  },
  limit: { iterationsPerElement: 100, iterationsOf: (nest) => sortIterations(nest, wgslTarget(true)) },
  operators,
};
/** WebGPU with the fewest buffers that it guarantees, and a mode with few, no NaN and no bits. */
export const TARGETS = { webgpu, webasm: targetOf("webasm"), headlessgl: targetOf("headlessgl") } as const;

/** Ranges of the integers that programs are given. */
const RANGES = [point(0), between(0, 1), between(-3, 5), between(-(2 ** 12), 2 ** 12)];

/** The steps of a program on a device. */
const planned = (given: ExportedProgram, target: DeviceTarget) => finish(planSteps(given, target));

/** Returns the number of fused nests, and what is illegal in them, though the calls are not. */
export function checkFusion(
  given: ExportedProgram,
  target: DeviceTarget,
): { readonly nests: number; readonly problems: readonly string[] } {
  const { steps } = planned(given, target);
  const problems = steps.flatMap((step) => [
    ...illegalAlways(step, target),
    ...illegalNow(step, given, target),
  ]);
  return {
    nests: steps.reduce((nests, { device }) => nests + (device?.loops.nests.length ?? 0), 0),
    problems,
  };
}

function illegalAlways({ device }: Step, target: DeviceTarget): string[] {
  const { maxReads } = target.device.target;
  return (device?.loops.nests ?? []).flatMap((nest) => {
    const reads = new Set(nest.nodes).size > 1 ? readsOf(nest.value).size : 0;
    const tooMany = reads > maxReads ? `it reads ${reads} buffers of ${maxReads}` : undefined;
    const tooMuch = hasSizes(nest) ? undefined : whyTooMuch(nest, target.limit);
    const why = target.device.whyNot(nest, device!.loops) ?? tooMany ?? tooMuch;
    return why === undefined ? [] : [`${nest.nodes.join(", ")}: ${why}`];
  });
}

/** Nests that are illegal for integers in a range for which all calls of their region are legal. */
function illegalNow(
  { device, inputs }: Step,
  { symbolHints }: ExportedProgram,
  {
    device: {
      target: { integers },
    },
    limit,
  }: DeviceTarget,
): string[] {
  if (device === undefined) return [];
  const { loops, checks } = device;
  const nests = loops.nests.map((nest) => bindNest(nest, symbolHints));
  return RANGES.flatMap((range) => {
    const known: ValueRanges = new Map();
    const given = new Map<number, Range>();
    loops.inputs.forEach((id, at) => {
      if (id === undefined || isFloatDType(loops.buffers[id]!.dtype)) return;
      const own = intersection(range, rangeOfDType(loops.buffers[id]!.dtype));
      known.set(inputs[at]!, own);
      given.set(id, own);
    });
    const bound = checks.map((call) => bindCall(call, symbolHints));
    const failed = bound.some((check) => {
      const isTooMuch = check.nests.some((nest) => whyTooMuch(nest, limit) !== undefined);
      return judgeCall(check, known, integers, rangeOfDType) !== undefined || isTooMuch;
    });
    if (failed) return [];
    const inexact = [...judge(nests, loops, given, integers).problems];
    const tooMuch = nests.flatMap((nest) => [[nest, whyTooMuch(nest, limit)] as const]);
    return [...inexact, ...tooMuch].flatMap(([nest, why]) =>
      why === undefined ? [] : [`${nest.nodes.join(", ")} in ${range.low} to ${range.high}: ${why}`],
    );
  });
}

/** Returns a program of calls that read many inputs, in which values have several readers. */
export function wideProgram(seed: number): ExportedProgram {
  let state = seed + 1;
  const below = (end: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  const names = Array.from({ length: 24 }, (_, i) => `x${i}`);
  const inputs = names.map((name) => `%${name}: f32[4, 4]`).join(", ");
  const any = (): string => `%${names[Math.max(0, names.length - 1 - below(20))]}`;
  const lines = Array.from({ length: 40 }, (_, i) => {
    const [a, b, c] = [any(), any(), any()];
    const calls = [
      `aten.add.Tensor(${a}, ${b})`,
      `aten.maximum.default(${a}, ${b})`,
      `aten.addcmul.default(${a}, ${b}, ${c})`,
      `aten.sin.default(${a})`,
      `aten.permute.default(${a}, [1, 0])`,
      `aten.mm.default(${a}, ${b})`,
      `aten._softmax.default(${a}, 1, false)`,
    ];
    names.push(`n${i}`);
    return `%n${i}: f32[4, 4] = ${calls[below(calls.length)]}`;
  });
  return program(inputs, lines.join("\n"), "n39, n38, n30");
}
