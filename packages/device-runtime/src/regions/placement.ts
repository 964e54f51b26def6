/** @file Where the calls of a program ran, for the report of an executable. */
import type { NodeProfile, Placement } from "@sconce/ir";
import type { Device } from "../device/device.js";
import type { ProgramPlan } from "../plan/program-plan.js";
import type { RegionRunner } from "./region.js";

/** What an executable reports of its last run. */
export interface RunReport {
  /** The time of each node, if the run was asked for it. */
  readonly profile: readonly NodeProfile[];
  /** Nodes that values or sizes sent to the host, and why. */
  readonly hosted: ReadonlyMap<string, string>;
  /** Regions that ran on the device, in order. */
  readonly regions: readonly RegionRunner[];
  /** Kernels that ran. */
  readonly kernels: number;
  /** Tensors and bytes that went to the device and back. */
  readonly copies: Placement["copies"];
}

/** Returns the placement in the last run; before one, that of the plan. */
export function placementOf(
  { plan, device }: { readonly plan: ProgramPlan; readonly device: Device },
  planned: readonly RegionRunner[],
  last: RunReport | undefined,
): Placement {
  // Sizes that are fixed decide before the first run.
  const hosted = last?.hosted ?? new Map(planned.flatMap((region) => [...region.refused]));
  return {
    device: `${device.mode}: ${device.description}`,
    nodes: plan.nodes.map((placed) => {
      const { condition: _, ...rest } = placed;
      const reason = hosted.get(placed.node);
      return reason === undefined ? placed : { ...rest, place: "host", reason };
    }),
    regions: last?.regions.length ?? planned.length,
    kernels: last?.kernels ?? planned.reduce((count, region) => count + region.kernels, 0),
    copies: last?.copies ?? { toDevice: 0, toHost: 0, bytesToDevice: 0, bytesToHost: 0 },
    fallbacks: [...(last?.hosted ?? [])].map(([node]) => node),
  };
}
