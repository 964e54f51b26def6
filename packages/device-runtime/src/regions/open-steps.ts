/** @file The steps of a region whose code serves all sizes: they are made once. */
import {
  type Axis,
  fixedValue,
  type Index,
  type LoopNest,
  type LoopProgram,
  outerReductions,
  readsOf,
  rowGroups,
  sizeOf,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { Tensor } from "@sconce/tensor";
import type { Device } from "../device/device.js";
import type { KernelStep } from "./kernel-step.js";

/** Steps for all sizes. */
export interface OpenSteps {
  readonly steps: readonly KernelStep[];
  /** The buffers that they write, and those of values inside of them. */
  readonly outputs: ReadonlySet<number>;
  /** Why other nests are made for each set of sizes, by the buffers that they write. */
  readonly reasons: ReadonlyMap<number, string>;
  /** Whether they serve these sizes: no axis is empty. */
  readonly serve: (sizes: Bindings) => boolean;
}

/** Returns the steps of a region for all sizes; undefined where the device has none. */
export function openSteps(
  loops: LoopProgram,
  device: Device,
  constants: ReadonlyMap<number, Tensor>,
): OpenSteps | undefined {
  if (!("compileRegion" in device) || device.openNest === undefined) return undefined;
  const steps: KernelStep[] = [];
  const reasons = new Map<number, string>();
  const outputs = new Set<number>();
  const put = (nests: readonly LoopNest[], step: Omit<KernelStep, "nests" | "nodes">): void => {
    steps.push({ ...step, nests, nodes: [...new Set(nests.flatMap(({ nodes }) => nodes))] });
    for (const { output } of nests) outputs.add(output);
  };
  for (const group of rowGroups(loops.nests, loops)) {
    const hasNothing = group.parts.some(({ nest }) => nest.axes.some(isEmpty));
    const rows = hasNothing ? undefined : device.openRows?.(group, loops);
    if (rows === undefined) continue;
    const { parts, positions } = group;
    const writes = parts.flatMap(({ isStored, nest }) => (isStored ? [nest.output] : []));
    const nests = parts.map(({ nest }) => nest);
    put(nests, { writes, reads: rows.reads, at: positions.at(-1)!, rows });
  }
  for (const [at, nest] of loops.nests.entries()) {
    if (outputs.has(nest.output)) continue;
    const rows = nest.axes.some(isEmpty) ? NOTHING : device.openNest(nest, loops, constants);
    if (typeof rows === "string") reasons.set(nest.output, rows);
    else put([nest], { writes: [nest.output], reads: readsOf(nest.value), at, rows });
  }
  const extents = extentsOf(loops.nests);
  const serve = (sizes: Bindings): boolean => extents.every((extent) => sizeOf(extent, sizes) > 0);
  return { steps, outputs, reasons, serve };
}

/** Why a nest has no code for all sizes. */
const NOTHING = "an axis of it has no places";
const isEmpty = ({ extent }: Axis): boolean => fixedValue(extent) === 0;

/** Returns all extents that are not numbers, once each. */
function extentsOf(nests: readonly LoopNest[]): readonly Index[] {
  const found = new Map<string, Index>();
  for (const nest of nests) {
    const axes = [...nest.axes, ...[...outerReductions(nest.value)].flatMap((reduce) => reduce.axes)];
    for (const { extent } of axes) if (extent.terms.length > 0) found.set(extent.text, extent);
  }
  return [...found.values()];
}
