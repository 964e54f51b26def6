/** @file The kernels of regions and their memory, as users see them. */
import { type LoopProgram, type MemoryPlan, printNest, totalCost } from "@sconce/codegen";
import type { ExecutionPlan, KernelReport, PlannedValue } from "@sconce/ir";
import type { Bindings } from "@sconce/symbolic";
import type { KernelStep } from "./kernel-step.js";
import type { Kernels } from "./kernels.js";

/** A region whose kernels are made. */
interface MadeRegion {
  readonly loops: LoopProgram;
  readonly sizes: Bindings;
  readonly memory: MemoryPlan;
  readonly steps: readonly KernelStep[];
  readonly reasons: ReadonlyMap<number, string>;
  readonly kernels: Kernels;
}

/** Returns the kernels of one region. */
export function executionPlan({ loops, sizes, memory, steps, reasons, kernels }: MadeRegion): ExecutionPlan {
  const sources = kernels.sources();
  return {
    kernels: steps.map((step, at): KernelReport => {
      const reason = sizes.size === 0 ? undefined : reasonOf(step, reasons);
      return {
        nodes: step.nodes,
        ...(reason !== undefined && { perSizes: reason }),
        ...sources[at]!,
        loops: step.nests.map((nest) => printNest(nest, loops)).join("\n\n"),
        ...totalCost(loops, step.nests, sizes),
      };
    }),
    values: valuesOf(loops, memory, steps),
    pieces: memory.pieces,
  };
}

/** Returns why the kernel of a step is made for each set of sizes. */
const reasonOf = ({ nests }: KernelStep, reasons: ReadonlyMap<number, string>): string | undefined =>
  nests.map(({ output }) => reasons.get(output)).find((reason) => reason !== undefined);

function valuesOf(
  { buffers }: LoopProgram,
  memory: MemoryPlan,
  steps: readonly KernelStep[],
): PlannedValue[] {
  const ends = new Map(memory.dead.flatMap((ids, at) => ids.map((id) => [id, at] as const)));
  return steps.flatMap(({ writes }, from) =>
    writes.flatMap((id) => {
      const place = memory.places.get(id);
      const to = ends.get(id) ?? steps.length - 1;
      return place === undefined ? [] : [{ node: buffers[id]!.node, ...place, from, to }];
    }),
  );
}

/** Returns the plans of regions that run one behind the other. */
export function joinedPlans(plans: readonly ExecutionPlan[]): ExecutionPlan {
  const kernels: KernelReport[] = [];
  const values: PlannedValue[] = [];
  const pieces: number[] = [];
  for (const plan of plans) {
    const [before, piecesBefore] = [kernels.length, pieces.length];
    kernels.push(...plan.kernels);
    pieces.push(...plan.pieces);
    for (const { piece, from, to, ...value } of plan.values)
      values.push({ ...value, piece: piecesBefore + piece, from: before + from, to: before + to });
  }
  return { kernels, values, pieces };
}
