/** @file Models beside their twins in Python, as `oracle/cond_sizes.py` records them. */
import { cond, pythonTuple, type SymInt, sym, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";

type Size = SymInt | number;
type Branch = (x: Tensor, r: SymInt, c: SymInt) => unknown;
type Model = (x: Tensor, r: SymInt, c: SymInt) => unknown;

const branches =
  (yes: Branch, no: Branch): Model =>
  (x, r, c) =>
    cond(
      x.sum().gt(0),
      (x: Tensor) => yes(x, r, c),
      (x: Tensor) => no(x, r, c),
      [x],
    );
const ones =
  (sizes: (r: SymInt, c: SymInt) => readonly Size[]) =>
  (x: Tensor, r: SymInt, c: SymInt): Tensor =>
    x.newOnes(sizes(r, c));
const zeros =
  (sizes: (r: SymInt, c: SymInt) => readonly Size[]) =>
  (x: Tensor, r: SymInt, c: SymInt): Tensor =>
    x.newZeros(sizes(r, c));
const { add, mul } = sym;
const next = (size: SymInt): Size => add(size, 1);

const onesOfBoth = ones((r, c) => [r, c]);
const zerosOfBoth = zeros((r, c) => [r, c]);
const equal = branches(onesOfBoth, zerosOfBoth);
const other = branches(
  onesOfBoth,
  zeros((r, c) => [r, next(c)]),
);
const vectors = branches(
  ones((r) => [r]),
  zeros((_, c) => [c]),
);
const sized = branches(
  (x, r) => x.newOnes(x.size(0), r),
  (x, r) => x.newZeros(r, x.size(0)),
);

/** Models whose branches make tensors of dynamic integers. */
export const COND_SIZES: Readonly<Record<string, Model>> = {
  "one dimension": branches(
    ones((r) => [r]),
    zeros((r) => [r]),
  ),
  "one dimension, other sizes": vectors,
  "one dimension, one more": branches(
    ones((r) => [r]),
    zeros((r) => [next(r)]),
  ),
  "two dimensions": equal,
  "two dimensions, rows": equal,
  "two dimensions, other sizes": other,
  "two dimensions, other sizes, rows": other,
  "two dimensions, swapped": branches(
    onesOfBoth,
    zeros((r, c) => [c, r]),
  ),
  "two dimensions, both other": branches(
    onesOfBoth,
    zeros((r, c) => [next(r), next(c)]),
  ),
  "a known last size": branches(
    ones((r) => [r, 4]),
    zeros((_, c) => [c, 4]),
  ),
  "three dimensions": branches(
    ones((r, c) => [r, c, 2]),
    zeros((r, c) => [r, c, 2]),
  ),
  "three dimensions, other sizes": branches(
    ones((r, c) => [2, r, c]),
    zeros((r, c) => [2, next(r), c]),
  ),
  "three dimensions, swapped": branches(
    ones((r, c) => [r, c, r]),
    zeros((r, c) => [c, r, c]),
  ),
  "a product and a sum": branches(
    ones((r, c) => [mul(r, c)]),
    zeros((r, c) => [add(r, c)]),
  ),
  "a quotient": branches(
    ones((r, c) => [add(sym.floorDiv(r, 2), 1), c]),
    zerosOfBoth,
  ),
  "read afterwards": (x, r, c) => (other(x, r, c) as Tensor).mul(2),
  "counted afterwards": (x, r, c) => (other(x, r, c) as Tensor).sum().add(r),
  "made before": (x, r, c) => pythonTuple(onesOfBoth(x, r, c), other(x, r, c)),
  nested: branches(
    (x, r, c) =>
      cond(
        x.max().gt(1),
        (x: Tensor) => onesOfBoth(x, r, c),
        (x: Tensor) => zerosOfBoth(x, r, c),
        [x],
      ),
    zerosOfBoth,
  ),
  "two results": branches(
    (x, r, c) => pythonTuple(onesOfBoth(x, r, c), x.newOnes(c)),
    (x, r, c) => pythonTuple(zerosOfBoth(x, r, c), x.newZeros(r)),
  ),
  "two calls": (x, r, c) => pythonTuple(equal(x, r, c), vectors(x, r, c)),
  sums: branches(
    (x, r, c) => onesOfBoth(x, r, c).sum(),
    (x, r, c) => x.newZeros(c, r).sum(),
  ),
  transposed: branches(
    (x, r, c) => onesOfBoth(x, r, c).t(),
    (x, r, c) => zerosOfBoth(x, r, c).t(),
  ),
  "the size of a tensor": sized,
  "the size of a tensor, rows": sized,
  joined: branches((x, r, c) => torch.cat([onesOfBoth(x, r, c), zerosOfBoth(x, r, c)]), zerosOfBoth),
  changed: branches(
    (x, r, c) => onesOfBoth(x, r, c).sin(),
    (x, r, c) => zerosOfBoth(x, r, c).cos(),
  ),
  added: branches(
    (x, r, c) => onesOfBoth(x, r, c).add(x.newOnes(c)),
    (x, r, c) => zerosOfBoth(x, r, c).mul(x.newOnes(r, 1)),
  ),
};
