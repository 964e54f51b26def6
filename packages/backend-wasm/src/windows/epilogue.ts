/** @file The rest of a nest around its window, on four channels at once. */
import type { LoopNest, ReduceScalar, Scalar } from "@sconce/codegen";
import type { Vector, VectorWriter } from "../emit/vector/lines.js";
import { walkFloats, writeScalar } from "../emit/vector/scalars.js";
import { type Roles, type Steps, stepsOf } from "./window-plan.js";

/** Functions that have an instruction. */
const SIMPLE: ReadonlySet<string> = new Set(["add", "sub", "mul", "div", "neg", "abs", "sqrt"]);

/** What is computed from a window, by instructions of vectors. */
export interface WindowEpilogue {
  /** Loads besides the window, each once. */
  readonly loads: readonly Steps[];
  /** Numbers that it needs. */
  readonly constants: readonly number[];
  /** Computes the value of four channels from their window and from what loads push. */
  readonly write: (w: VectorWriter, window: Vector, load: (at: number) => Vector) => Vector;
}

/** The sums alone. */
export const SUMS: WindowEpilogue = { loads: [], constants: [], write: (_, window) => window };

/** Returns the epilogue of a nest; undefined if its value needs more than vectors of float32. */
export function windowEpilogue(
  { value }: LoopNest,
  reduce: ReduceScalar,
  roles: Roles,
): WindowEpilogue | undefined {
  const places = new Map<Scalar, number>();
  const [loads, constants]: [Steps[], number[]] = [[], []];
  const isPlain = walkFloats<true>(
    value,
    {
      constant: (number) => {
        constants.push(number);
        return true;
      },
      load: (scalar) => {
        const steps = stepsOf(scalar, roles);
        if (steps === undefined || ![0, 1].includes(steps.channel) || steps.column < 0) return undefined;
        places.set(scalar, loads.push(steps) - 1);
        return true;
      },
      call: (fn, [, second]) => {
        // A value is compared with a number behind it alone.
        const isBound = (fn === "max" || fn === "min") && !Number.isNaN(second!.value);
        return SIMPLE.has(fn) || isBound || undefined;
      },
    },
    new Map([[reduce, true]]),
  );
  if (isPlain === undefined) return undefined;
  return {
    loads,
    constants,
    write: (w, window, load) =>
      writeScalar(w, value, (scalar) => load(places.get(scalar)!), new Map([[reduce, window]])),
  };
}
