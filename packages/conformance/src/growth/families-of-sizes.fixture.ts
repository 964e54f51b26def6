/** @file Families of programs whose parts have symbolic sizes. */
import { Dim, torch } from "@sconce/capture";
import type { Tensor as Traced } from "@sconce/tensor";
import type { Family } from "./family.fixture.js";

const { cat, mul } = torch;

/** How a tensor is made of the input, and divided; `dim` is that of the parts. */
interface Division extends Pick<Family, "inputs" | "dynamic"> {
  readonly dim: number;
  readonly whole: (x: Traced, count: number) => Traced;
  readonly partsOf: (whole: Traced, count: number, x: Traced) => readonly Traced[];
}

/** Rows of any number, with as many columns as parts. */
const columns = {
  dim: 1,
  inputs: (steps: number) => [[6, steps]],
  dynamic: () => Dim("rows", { min: 2, max: 1000 }),
  whole: (x: Traced) => mul(x, 1),
};
/** As many times the input as there are parts. */
const repeated = {
  dim: 0,
  inputs: [[3, 2]],
  dynamic: () => Dim("rows", { min: 2, max: 1000 }),
  whole: (x: Traced, count: number) => cat(new Array<Traced>(count).fill(x)),
};

const readsOf = ({ dim, whole, partsOf, ...sizes }: Division): Family => ({
  ...sizes,
  calls: 2,
  run: ([x], steps) => {
    const halves = partsOf(whole(x!, steps), steps, x!).map((part) => mul(part, 0.5));
    return cat(halves.reverse(), dim);
  },
});
const writesTo = ({ dim: _, whole, partsOf, ...sizes }: Division): Family => ({
  ...sizes,
  calls: 2,
  run: ([x], steps) => {
    const y = whole(x!, steps);
    for (const part of partsOf(y, steps, x!)) part.add_(1);
    return y;
  },
});

const KINDS: Readonly<Record<string, Division>> = {
  "columns of symbolic rows": { ...columns, partsOf: (whole) => torch.split(whole, 1, 1) },
  "columns of symbolic rows by sizes": {
    ...columns,
    partsOf: (whole, count) => torch.split(whole, new Array<number>(count).fill(1), 1),
  },
  "unbound columns of symbolic rows": {
    ...columns,
    partsOf: (whole) => torch.unbind(whole, 1).map((part) => part.unsqueeze(1)),
  },
};

/** Families of parts that are read, and of parts that are written to. */
export const FAMILIES_OF_SIZES: Readonly<Record<string, Family>> = {
  // After a write, each later split reads all sizes again: such programs have as many operands as
  // the square of the parts, as PyTorch's have.
  "parts of symbolic sizes": readsOf({
    ...repeated,
    partsOf: (whole, count, x) =>
      torch.split(
        whole,
        Array.from({ length: count }, () => x.size(0)),
      ),
  }),
  ...Object.fromEntries(
    Object.entries(KINDS).flatMap(([name, division]) => [
      [name, readsOf(division)],
      [`writes to ${name}`, writesTo(division)],
    ]),
  ),
};
