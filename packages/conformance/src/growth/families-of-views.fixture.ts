/** @file Families of programs that move elements. */
import { nn, torch } from "@sconce/capture";
import type { Tensor as Traced } from "@sconce/tensor";
import { chain, type Family } from "./family.fixture.js";

const { add, mul } = torch;
const F = nn.functional;

/** Joins of a value with itself, which have as many elements as calls. */
const doubled =
  (join: (x: Traced) => Traced) =>
  ([x]: readonly Traced[], steps: number): Traced => {
    let y = x!;
    for (let size = 2; size < steps; size *= 2) y = join(y);
    return y;
  };

export const FAMILIES_OF_VIEWS: Readonly<Record<string, Family>> = {
  flips: chain(3, [8, 8], (x) => add(torch.flip(x, [0]), mul(x, 0.5))),
  rolls: chain(3, [8, 8], (x) => add(torch.roll(x, [1], [0]), mul(x, -0.5))),
  pads: chain(1, [4, 4], (x) => F.pad(x, [1, 0])),
  "views of views": chain(1, [24], (x, at) => torch.reshape(x, at % 2 === 0 ? [4, 6] : [6, 4])),
  "reshapes that do not cancel": chain(3, [210], (x, at) =>
    torch.relu(torch.transpose(torch.reshape(x, at % 2 === 0 ? [10, 21] : [6, 35]), 0, 1)),
  ),
  permutes: chain(1, [2, 3, 4], (x) => torch.permute(x, [2, 0, 1])),
  "permutes and products": chain(2, [2, 2, 2], (x) => mul(torch.permute(x, [2, 0, 1]), 0.9)),
  transposes: chain(3, [8, 8], (x) => add(torch.transpose(x, 0, 1), mul(x, 0.5))),
  slices: chain(3, [8], (x) => mul(torch.narrow(torch.cat([x, x]), 0, 1, 8), 0.9)),
  "slices of one value": {
    calls: 2,
    inputs: [[16]],
    run: ([x], steps) =>
      Array.from({ length: steps }, (_, at) => torch.narrow(x!, 0, at % 7, 2)).reduce((a, b) => add(a, b)),
  },
  "cats of cats": chain(2, [4], (x, _, start) => torch.cat([torch.narrow(x, 0, 0, 4), start])),
  "cats with itself": { calls: 1, inputs: [[2]], run: doubled((x) => torch.cat([x, x])) },
  "stacks with itself": {
    calls: 1,
    inputs: [[2]],
    run: doubled((x) => torch.reshape(torch.stack([x, x]), [-1])),
  },
  stacks: chain(2, [2], (x) => torch.sum(torch.stack([x, x]), 0)),
  expands: chain(4, [8], (x) => mul(torch.sum(x.unsqueeze(0).expand(3, -1), 0), 0.33)),
  repeats: chain(3, [8], (x) => mul(torch.narrow(x.repeat(2), 0, 3, 8), 0.9)),
  broadcasts: {
    calls: 3,
    inputs: [[4, 4]],
    run: ([x], steps) => {
      const row = torch.sum(x!, 0, true);
      let y = x!;
      for (let at = 0; at < steps; at++) y = add(mul(y, row), mul(row, 0.1));
      return y;
    },
  },
  "sums of neighbors": chain(4, [40], (x) =>
    torch.cat([add(torch.narrow(x, 0, 0, 39), torch.narrow(x, 0, 1, 39)), torch.narrow(x, 0, 0, 1)]),
  ),
  "pools of pools": chain(1, [1, 1, 8, 8], (x) => F.maxPool2d(x, 3, 1, 1)),
  "layer norms": chain(1, [4, 8], (x) => F.layerNorm(x, [8])),
};
