/** @file Iterations that read each value several times, as `oracle/iterated.py` has them. */

import { exportProgram, nn, torch } from "@sconce/capture";
import { evaluateLoops, lowerToLoops, printLoops } from "@sconce/codegen";
import type { Backend, ExportedProgram } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { runDecompositions } from "@sconce/passes";
import { type DType, Tensor, type Tensor as Traced } from "@sconce/tensor";
import { fixtureJson } from "../fixtures.js";

/** One iteration from one start, and what PyTorch has after so many steps. */
export interface Iterated {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly start: readonly number[];
  readonly out: Readonly<Record<string, readonly number[]>>;
}
export const ITERATED = fixtureJson("iterated/cases.json") as readonly Iterated[];

const operators = defaultOperators();

type Step = (x: Traced, start: Traced) => Traced;

const { add, mul, sub } = torch;
function rungeKutta(y: Traced): Traced {
  const slope = (value: Traced): Traced => mul(torch.neg(value), value);
  const first = slope(y);
  const second = slope(add(y, mul(first, 0.05)));
  const third = slope(add(y, mul(second, 0.05)));
  const fourth = slope(add(y, mul(third, 0.1)));
  const sum = add(add(add(first, mul(second, 2)), mul(third, 2)), fourth);
  return add(y, mul(sum, 0.1 / 6));
}

const STEPS: Readonly<Record<string, Step>> = {
  logistic: (x) => mul(mul(x, 3.7), torch.rsub(x, 1)),
  squares: (x) => sub(mul(x, x), 0.5),
  newton: (x, start) => mul(add(x, torch.div(start, x)), 0.5),
  "runge-kutta": rungeKutta,
  choice: (x) => torch.where(torch.gt(x, 0.5), sub(x, mul(x, 0.375)), add(x, mul(x, x))),
  casts: (x) => add(add(mul(x.half().float(), 0.75), mul(mul(x, 4).int().float(), 0.0625)), 0.25),
  flips: (x) => mul(add(torch.flip(x, [0]), mul(x, 0.5)), 0.625),
  "whole numbers": (x) => torch.remainder(add(mul(x, x), mul(x, 3)), 101),
  "whole choice": (x) => torch.where(torch.gt(x, 40), sub(x, 37), add(add(x, x), 5)),
};

/** Returns the value that an iteration starts from. */
const startOf = ({ start, shape, dtype }: Iterated): Tensor =>
  Tensor.from([...start], [...shape], dtype as DType);

/** Returns the program of so many steps. */
function iterated(one: Iterated, steps: number): ExportedProgram {
  const step = STEPS[one.name]!;
  class Iteration extends nn.Module {
    override forward(start: Traced): Traced {
      let x = start;
      for (let at = 0; at < steps; at++) x = step(x, start);
      return x;
    }
  }
  return exportProgram(new Iteration(), [startOf(one)]);
}

/**
 * Returns what differs from PyTorch's values after so many steps on a backend, for each `every`th
 * case.
 */
export async function differences(backend: Backend, steps: number, every = 1): Promise<string[]> {
  const found: string[] = [];
  for (const one of ITERATED.filter((_, at) => at % every === 0)) {
    const executable = await backend.compile(iterated(one, steps));
    const [got] = await executable.run([startOf(one)]);
    executable.dispose();
    const values = [...(got as Tensor).toFloat64Array()].join();
    if (values !== one.out[steps]!.join())
      found.push(`${one.name} of ${one.dtype} [${one.shape}]: ${values}`);
  }
  return found;
}

/**
 * Returns what is wrong with 30 steps as loops: other values than PyTorch's, or a text that is too
 * long.
 */
export function loopDifference(one: Iterated): string | undefined {
  const { graph } = runDecompositions(iterated(one, 30));
  const loops = lowerToLoops(graph, { operators });
  const [got] = evaluateLoops(loops, [startOf(one)]);
  const [values, wanted] = [(got as Tensor).toFloat64Array(), one.out["30"]!];
  // Signs of zeros count.
  const isSame = values.length === wanted.length && wanted.every((value, i) => Object.is(value, values[i]));
  if (!isSame) return values.join();
  const { length } = printLoops(loops);
  return length < 100 * graph.size ? undefined : `${length} characters for ${graph.size} nodes`;
}
