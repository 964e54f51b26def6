/**
 * @file What is too much work for kernels. Kernels compute cells on their own: a scan, a sort or a scatter has each cell look at
 * all others or at all sources, which the host does in one go. Long ones are the host's.
 */
import { type LoopNest, outerReductions, volumeOf } from "@sconce/codegen";
import type { Device } from "../device.js";

/** By what is too much told. */
export type WorkLimit = Pick<Device, "turnsPerCell" | "turnsOf">;

/** The device's measure, or the one that was asked for. */
export const limitOf = (device: WorkLimit, turnsPerCell = device.turnsPerCell): WorkLimit => ({
  turnsPerCell,
  turnsOf: (nest) => device.turnsOf?.(nest),
});

/** Cells that the host computes in the time that it takes to go there and back, some tenths of a millisecond. */
const DETOUR = 8192;

/** Cells of a nest, and turns of inner loops of each. */
interface Turns {
  readonly cells: number;
  readonly each: number;
}
function turnsOf({ axes, value }: LoopNest): Turns {
  const each = [...outerReductions(value)].reduce((total, reduce) => total + volumeOf(reduce.axes), 0);
  return { cells: volumeOf(axes), each };
}
const allTurns = ({ cells, each }: Turns): number => cells * Math.max(1, each);

/** Why a nest of known sizes is the host's; undefined for those that are the device's. */
export function whyTooMuch(nest: LoopNest, limit: WorkLimit): string | undefined {
  if (nest.hint === undefined || nest.hint.kind === "contraction") return undefined;
  const turns = turnsOf(nest);
  const { cells, each } = turns;
  const taken = limit.turnsOf?.(nest) ?? allTurns(turns);
  if (taken <= limit.turnsPerCell * (cells + each + DETOUR)) return undefined;
  return `${cells} cells look at ${each} others each: ${count(taken)} turns of a kernel, where the host goes through them once`;
}

const count = (turns: number): string => (turns < 1e6 ? String(Math.round(turns)) : turns.toExponential(1));
