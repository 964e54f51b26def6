/** @file Where the values of a run lie, and its kernels with all of their parameters. */
import { placeBytes, placeValues } from "./memory.js";
import type { ModulePlan, RunSizes } from "./plan.js";

/** A kernel: it takes addresses, sizes, the address of scratch memory, and a range of units. */
export type Entry = (...parameters: number[]) => void;

/** What kernels are computed with. */
interface Computing {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly threads?: { readonly count: number } | undefined;
}

/** One kernel with all of its parameters. */
interface Call {
  readonly entry: Entry;
  readonly parameters: readonly number[];
  readonly clears: readonly (readonly [address: number, bytes: number])[];
  /** Its number among the kernels of the plan. */
  readonly step: number;
}

/** A run for one set of sizes. */
export interface Layout {
  readonly sizes: RunSizes;
  /** Addresses of constants, then of values. */
  readonly places: readonly number[];
  readonly calls: readonly Call[];
  /** Bytes of scratch memory of each thread. */
  readonly scratchBytes: number;
  /** Where free memory begins. */
  readonly end: number;
}

/** Returns the addresses of constants, and where they end. */
export function placeConstants({ constants }: ModulePlan): {
  readonly places: readonly number[];
  readonly end: number;
} {
  const places: number[] = [];
  let end = 0;
  for (const [, bytes] of constants) {
    places.push(end);
    end += placeBytes(bytes);
  }
  return { places, end };
}

/** Places the values of a run behind the constants. */
export function layoutOf(
  plan: ModulePlan,
  sizes: RunSizes,
  constants: ReturnType<typeof placeConstants>,
  { exports, threads }: Computing,
): Layout {
  const arena = placeValues(plan.values.map(([from, to], at) => [sizes.bytes[at]!, from, to]));
  const places = [...constants.places, ...arena.offsets.map((offset) => constants.end + offset)];
  const scratch = constants.end + arena.end;
  const first = constants.places.length;
  const calls = plan.steps.flatMap(([kernel, operands, clears = []], at): Call[] => {
    const units = sizes.units[at]!;
    if (units === 0) return [];
    const given = sizes.given[at] ?? [];
    return [
      {
        entry: exports[`k${kernel}`] as Entry,
        parameters: [...operands.map((place) => places[place]!), ...given, scratch, 0, units],
        clears: clears.map((place) => [places[place]!, sizes.bytes[place - first]!] as const),
        step: at,
      },
    ];
  });
  const scratchBytes = placeBytes(plan.scratch);
  return { sizes, places, calls, scratchBytes, end: scratch + scratchBytes * (threads?.count ?? 1) };
}
