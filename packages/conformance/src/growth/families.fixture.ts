/** @file Families of programs that can have any number of calls. */
import { Dim, torch } from "@sconce/capture";
import type { Tensor as Traced } from "@sconce/tensor";
import { FAMILIES_OF_SIZES } from "./families-of-sizes.fixture.js";
import { FAMILIES_OF_VIEWS } from "./families-of-views.fixture.js";
import { chain, type Family } from "./family.fixture.js";

const { add, mul, sub } = torch;

const CHAINS: Readonly<Record<string, Family>> = {
  logistic: chain(3, [8], (x) => mul(mul(x, 3.7), torch.rsub(x, 1))),
  squares: chain(1, [8], (x) => mul(x, x)),
  newton: chain(3, [], (x, _, start) => mul(add(x, torch.div(start, x)), 0.5)),
  "choices by value": chain(6, [8], (x) =>
    torch.where(torch.gt(x, 0.5), sub(x, mul(x, 0.3)), add(x, mul(x, x))),
  ),
  "choices of two conditions": chain(6, [8], (x) =>
    torch.where(torch.logicalAnd(torch.gt(x, 0.1), torch.lt(x, 0.8)), mul(x, 0.9), add(x, 0.05)),
  ),
  clamps: chain(2, [8], (x) => torch.clamp(mul(x, 1.3), -0.9, 0.9)),
  halves: chain(3, [8], (x) => mul(mul(x, 3.7), torch.rsub(x, 1)), "float16"),
  integers: chain(4, [8], (x) => torch.remainder(add(mul(x, x), mul(x, 3)), 101), "int64"),
  "casts back and forth": chain(6, [8], (x) => add(mul(x.half().float(), 0.5), mul(x.int().float(), 0.25))),
  "complex products": {
    calls: 2,
    inputs: [[4]],
    run: ([x], steps) => {
      let z = torch.complex(x!, x!);
      for (let at = 0; at < steps; at++) z = mul(z, mul(z, 0.5));
      return torch.real(z);
    },
  },
  "cumulative sums": chain(2, [8], (x) => mul(torch.cumsum(x, 0), 0.5)),
  sorts: chain(2, [8], (x) => mul(torch.sort(x)[0], -1)),
  "index chains": chain(2, [8], (x) => torch.indexSelect(x, 0, torch.argsort(x))),
  "gathers in gathers": chain(
    4,
    [8],
    (x) => torch.remainder(add(torch.gather(x, 0, x), torch.gather(x, 0, x)), 4),
    "int64",
  ),
  "matrix chains": chain(2, [4, 4], (x) => torch.mm(x, mul(x, 0.1))),
  einsums: chain(4, [4, 4], (x) => mul(torch.einsum("ij,jk->ik", [x, x]), 0.3)),
  ffts: chain(3, [8], (x) => mul(torch.real(torch.fft.fft(x)), 0.2)),
  softmax: chain(1, [4, 8], (x) => torch.softmax(x, -1)),
  "distances from means": chain(2, [4, 8], (x) => sub(x, torch.mean(x, -1, true))),
  reductions: chain(3, [4, 8], (x) => add(x, mul(torch.sum(x, -1, true), 0.01))),
};

const last = (values: readonly Traced[]): Traced => values.at(-1)!;
const scaled = (x: Traced, steps: number): Traced[] =>
  Array.from({ length: steps }, (_, at) => mul(x, 0.1 * at));

/** Writes to all parts of a tensor. */
const writesTo = (partsOf: (x: Traced, count: number) => readonly Traced[]): Family => ({
  calls: 2,
  inputs: (steps) => [[steps, 2]],
  run: ([x], steps) => {
    const y = mul(x!, 1);
    for (const part of partsOf(y, steps)) part.add_(1);
    return y;
  },
});

const WIDE: Readonly<Record<string, Family>> = {
  "wide joins": { calls: 1, inputs: [[2]], run: ([x], steps) => torch.cat(scaled(x!, steps)) },
  "wide stacks": {
    calls: 1,
    inputs: [[2]],
    run: ([x], steps) => torch.sum(torch.stack(scaled(x!, steps)), 0),
  },
  "wide sums": {
    calls: 2,
    inputs: [[2]],
    run: ([x], steps) => scaled(x!, steps).reduce((sum, one) => add(sum, one)),
  },
  "many outputs": { calls: 1, inputs: [[2]], run: ([x], steps) => scaled(x!, steps) },
  "many inputs": {
    calls: 1,
    inputs: (steps) => Array.from({ length: steps }, () => [2]),
    run: (inputs) => inputs.reduce((sum, one) => add(sum, one)),
  },
  "many constants": {
    calls: 2,
    inputs: [[4]],
    run: ([x], steps) => {
      let sum = x!;
      for (let at = 0; at < steps; at++) sum = add(sum, torch.full([4], at * 0.1));
      return sum;
    },
  },
  "each call reads all earlier": {
    calls: 1,
    inputs: [[4]],
    // As many edges as other families have calls.
    run: ([x], steps) => {
      const all = [x!];
      while ((all.length * all.length) / 2 < steps) all.push(mul(torch.sum(torch.stack(all), 0), 0.1));
      return last(all);
    },
  },
  splits: {
    calls: 2,
    inputs: (steps) => [[steps, 2]],
    run: ([x]) =>
      torch.cat(
        torch
          .split(x!, 1)
          .map((part) => mul(part, 0.5))
          .reverse(),
      ),
  },
  "writes to the parts of a split": writesTo((x) => torch.split(x, 1)),
  "writes to parts of sizes": writesTo((x, count) => torch.split(x, new Array<number>(count).fill(1))),
  "writes to chunks": writesTo((x, count) => torch.chunk(x, count)),
  "writes to rows": writesTo((x) => torch.unbind(x)),
  "writes to sections": writesTo((x, count) => torch.tensorSplit(x, count)),
  "writes to one buffer": {
    calls: 1,
    inputs: [[4]],
    run: ([x], steps) => {
      const y = mul(x!, 1.5);
      for (let at = 0; at < steps; at++) y.add_(0.1);
      return y;
    },
  },
  "writes to views": {
    calls: 2,
    inputs: [[4, 2]],
    run: ([x], steps) => {
      const y = mul(x!, 1.5);
      for (let at = 0; at < steps; at++) y.select(0, at % 4).add_(0.1);
      return y;
    },
  },
  "size expressions": {
    calls: 4,
    inputs: [[8]],
    dynamic: () => Dim("rows", { min: 2, max: 64 }),
    run: ([x], steps) => {
      const sums: Traced[] = [];
      let grown = x!;
      for (let at = 0; at < steps; at++) {
        grown = torch.cat([grown, torch.narrow(x!, 0, 0, 1)]);
        sums.push(torch.sum(grown));
      }
      return torch.stack(sums);
    },
  },
  "a symbolic chain": {
    calls: 3,
    inputs: [[8, 4]],
    dynamic: () => Dim("rows", { min: 2, max: 64 }),
    run: ([x], steps) => {
      let y = x!;
      for (let at = 0; at < steps; at++) y = mul(mul(y, 3.7), torch.rsub(y, 1));
      return y;
    },
  },
};

/** All families by name. */
export const FAMILIES: Readonly<Record<string, Family>> = {
  ...CHAINS,
  ...WIDE,
  ...FAMILIES_OF_VIEWS,
  ...FAMILIES_OF_SIZES,
};
