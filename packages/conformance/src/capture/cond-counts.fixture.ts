/** @file Models beside their twins in Python, as `oracle/cond_counts.py` records them. */
import { cond, sym, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";

type Model = (x: Tensor) => Tensor;
type Given = (x: Tensor, y: Tensor) => Tensor;

const call =
  (yes: Model, no: Model): Model =>
  (x) =>
    cond(x.sum().gt(0), yes, no, [x]);
const given =
  (value: Model, yes: Given, no: Given): Model =>
  (x) => {
    const y = value(x);
    return cond(x.sum().gt(0), yes, no, [x, y]);
  };

const sum: Model = (x) => x.nonzero().sum();
const most: Model = (x) => x.nonzero().max();
const sumOfNext: Model = (x) => x.nonzero().add(1).sum();
const other: Model = (x) => x.long().sum();
const sums = call(sum, sumOfNext);
const inner =
  (operand: Model): Model =>
  (x) =>
    cond(x.max().gt(1), sum, most, [operand(x)]);
const around = (x: Tensor): Tensor => {
  const y = x.mul(2);
  return cond(
    x.sum().gt(0),
    (x: Tensor) => y.nonzero().sum().add(x.sum()),
    (x: Tensor) => y.nonzero().add(1).sum().add(x.max()),
    [x],
  );
};
const byItem = (value: Model): Model => {
  const times = (y: Tensor): Tensor => y.mul(y.item());
  const plus = (y: Tensor): Tensor => y.add(y.item());
  return (x) => cond(x.sum().gt(0), times, plus, [value(x)]);
};

export const COND_COUNTS: Readonly<Record<string, Model>> = {
  "the first branch": call(sum, other),
  "the second branch": call(other, sum),
  "both branches": sums,
  "both branches, rows": sums,
  "twice in a branch": call((x) => x.nonzero().sum().add(x.nonzero().max()), other),
  "both results": call(
    (x) => x.nonzero().mul(2),
    (x) => x.nonzero().add(1),
  ),
  "before the call": (x) => x.nonzero().sum().add(call(sum, other)(x)),
  "after the call": (x) => call(sum, other)(x).add(x.nonzero().sum()),
  "two calls": (x) => call(sum, other)(x).add(call(sum, sum)(x)),
  sizes: call(
    (x) => x.newOnes(x.nonzero().size(0)),
    (x) => x.newZeros(x.nonzero().size(0)),
  ),
  "a multiple of a size": call(
    (x) => x.newOnes(x.nonzero().size(0)).sum(),
    (x) => x.newZeros(sym.mul(x.nonzero().size(0), 2)).sum(),
  ),
  "several counts": call(
    (x) => x.gt(2).nonzero().sum().add(x.nonzero().sum()),
    (x) => x.nonzero().sum().add(x.gt(1).nonzero().sum()),
  ),
  unique: call(
    (x) => torch.unique(x) as Tensor,
    (x) => (torch.unique(x) as Tensor).add(1),
  ),
  "unique in a row": call(
    (x) => (torch.uniqueConsecutive(x) as Tensor).sum(),
    (x) => (torch.uniqueConsecutive(x) as Tensor).max(),
  ),
  "masks of branches": call(
    (x) => x.at(x.gt(0)),
    (x) => x.at(x.le(0)),
  ),
  "sums of masks, rows": call(
    (x) => x.at(x.gt(0)).sum(),
    (x) => x.at(x.gt(0)).max(),
  ),
  "a mask that is an operand": given(
    (x) => x.gt(0),
    (x, y) => x.at(y),
    (x, y) => x.at(y).mul(2),
  ),
  "an operand of data-dependent size": given(
    (x) => x.at(x.gt(0)),
    (_x, y) => y.nonzero().sum(),
    (_x, y) => y.nonzero().sum().add(1),
  ),
  "a tensor around the call": around,
  "a nested call": call(
    inner((x) => x),
    (x) => x.nonzero().sum().add(1),
  ),
  "a nested call with another operand": call(
    inner((x) => x.mul(2)),
    (x) => x.nonzero().sum().add(1),
  ),
  "a condition": call(
    (x) => x.add(x.sum().gt(3).item() as never),
    (x) => x.mul(1),
  ),
  "three calls, one in another": call(
    (x) =>
      cond(
        x.max().gt(1),
        (y: Tensor) => cond(y.min().gt(0), sum, most, [y]),
        (y: Tensor) => y.nonzero().min(),
        [x],
      ),
    sum,
  ),
  "a write between": (x) => {
    const y = x.mul(2);
    return y
      .nonzero()
      .sum()
      .add(cond(y.add_(1).sum().gt(0), sum, most, [y]));
  },
  "an item": call(
    (x) => x.mul(x.sum().item()),
    (x) => x.add(1),
  ),
  "the same item": byItem((x) => x.sum()),
  "the same integer": byItem((x) => x.long().sum()),
};
