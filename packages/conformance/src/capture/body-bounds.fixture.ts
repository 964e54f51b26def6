/** @file Models beside their twins in Python, as `oracle/body_bounds.py` records them. */
import { cond, map, nn, scan, sym, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";

type Branch = (x: Tensor) => Tensor;
type Body = (s: Model, x: Tensor) => unknown;

/** A model with a parameter and a buffer. */
export class Model extends nn.Module {
  readonly w = new nn.Parameter(torch.ones(4, 3));
  readonly b = new nn.Buffer(torch.ones(6));

  constructor(readonly body: Body) {
    super();
  }

  override forward(x: Tensor): unknown {
    return this.body(this, x);
  }
}

const { slice } = torch;
const mask: Branch = (x) => x.at(x.gt(0)).sum();
const count = (x: Tensor) => x.flatten().at(0).abs().int().item();
const first: Branch = (x) => x.at(slice(count(x))).sum();
const total: Branch = (x) => x.sum();
const columns: Branch = (x) => x.at(slice(), slice(count(x))).sum();
const select: Branch = (x) => mask(x.at(0));
const positive: Branch = (x) => x.at(x.gt(0));
const choice =
  (branch: Branch): Branch =>
  (x) =>
    cond(x.sum().gt(0), branch, total, [x]);
const choose =
  (branch: Branch): Body =>
  (_, x) =>
    choice(branch)(x);
const within =
  (branch: (s: Model, x: Tensor) => Tensor): Body =>
  (s, x) =>
    cond(x.sum().gt(0), (x: Tensor) => branch(s, x), total, [x]);
const outer =
  (branch: Branch): Body =>
  (_, x) =>
    cond(x.max().gt(1), branch, total, [x]);
const each =
  (function_: (r: Tensor, s: Model) => Tensor): Body =>
  (s, x) =>
    map((r: Tensor) => function_(r, s), x);
const ofRow =
  (branch: Branch): Branch =>
  (x) =>
    cond(x.sum().gt(0), branch, total, [x.at(0)]);
const doubled: Branch = (x) => map((r: Tensor) => r.mul(2), x);
const carried = (x: Tensor) =>
  scan((c: Tensor, r: Tensor) => [c.add(r), c.add(r)] as const, torch.zeros([]), x);
const checked = (y: Tensor): Tensor => {
  torch.check(sym.gt(y.size(0), 1));
  return y;
};
const byParameter = each((r, s) => mask(r.mul(s.w.at(0))));
const ofBuffer = within((s, x) => mask(s.b).add(x.sum()));
const row: Body = (_, x) => ofRow(mask)(x);

/** By name the sizes of the input and the model. */
export const BODY_BOUNDS: Readonly<Record<string, readonly [sizes: readonly number[], body: Body]>> = {
  mask: [[4, 3], choose(mask)],
  "mask, rows": [[4, 3], choose(mask)],
  "mask of one": [[1], choose(mask)],
  "mask of a row": [[1, 4], choose(mask)],
  slice: [[4, 3], choose(first)],
  "slice of a vector": [[4], choose(first)],
  "slice, rows": [[4, 3], choose(first)],
  "slice of a vector, rows": [[4], choose(first)],
  "slice of columns": [[4, 3], choose(columns)],
  "slice of columns, rows": [[4, 3], choose(columns)],
  "slice from one": [[4, 3], choose((x) => x.at(slice(1, count(x))).sum())],
  "slice from the end": [[4, 3], choose((x) => x.at(slice(sym.neg(count(x)), null)).sum())],
  "slice of a product": [[4], choose((x) => first(x.mul(2)))],
  nonzero: [[4, 3], choose((x) => x.nonzero().sum().float())],
  unique: [[4, 3], choose((x) => torch.unique(x).sum())],
  "masked select": [[4, 3], choose((x) => x.maskedSelect(x.gt(0)).sum())],
  "mask of a product": [[4], choose((x) => mask(x.mul(2)))],
  "mask of a select": [[4, 3], choose(select)],
  "mask of a select, rows": [[4, 3], choose(select)],
  "mask of a static slice": [[4], choose((x) => mask(x.at(slice(2))))],
  "mask of a view": [[4, 3], choose((x) => mask(x.view(2, 6)))],
  "mask of a reshape": [[4, 3], choose((x) => mask(x.reshape(-1)))],
  "mask of an expand": [[4], choose((x) => mask(x.at(slice(1)).expand(5)))],
  "mask of a cat": [[4], choose((x) => mask(torch.cat([x, x])))],
  "mask of ones": [[4, 3], choose((x) => mask(torch.ones(5)).add(x.sum()))],
  "mask of ones and a sum": [[4, 3], choose((x) => mask(torch.ones(5).add(x.sum())))],
  "mask of ones like it": [[4], choose((x) => mask(torch.onesLike(x)))],
  "mask of new ones": [[4], choose((x) => mask(x.newOnes(3)))],
  "mask of the largest": [[4], choose((x) => mask(x.topk(2)[0]))],
  "mask by a range": [[4, 3], choose((x) => torch.ones(5).at(torch.arange(5).gt(x.sum())).sum())],
  "a row as the operand": [[4, 3], row],
  "a row as the operand, rows": [[4, 3], row],
  "a slice of a row": [[4, 3], (_, x) => ofRow(first)(x)],
  "a parameter": [[4, 3], within((s, x) => mask(s.w).add(x.sum()))],
  "a parameter as an operand": [
    [4, 3],
    (s, x) =>
      cond(
        x.sum().gt(0),
        (x: Tensor, w: Tensor) => mask(w).add(x.sum()),
        (x: Tensor, _: Tensor) => total(x),
        [x, s.w],
      ),
  ],
  "a buffer": [[4, 3], ofBuffer],
  "a buffer, rows": [[4, 3], ofBuffer],
  "a product with a parameter": [[4, 3], within((s, x) => mask(s.w.mul(x)))],
  "a matrix product": [[5, 4], within((s, x) => mask(x.matmul(s.w)))],
  "a slice of a parameter": [[4, 3], within((s, x) => s.w.at(slice(count(x))).sum())],
  map: [[4, 3], each(mask)],
  "map, rows": [[4, 3], each(mask)],
  "map of slices": [[4, 3], each(first)],
  "map of slices, rows": [[4, 3], each(first)],
  "map of cond": [[4, 3], each(choice(mask))],
  "map of cond, rows": [[4, 3], each(choice(mask))],
  "map of matrices": [[4, 3, 2], each(choice(mask))],
  "map of cond of slices": [[4, 3], each(choice(first))],
  "map of cond of slices, rows": [[4, 3], each(choice(first))],
  "map with a parameter": [[4, 3], byParameter],
  "map with a parameter, rows": [[4, 3], byParameter],
  "cond of cond": [[4, 3], outer(choice(mask))],
  "cond of cond, rows": [[4, 3], outer(choice(mask))],
  "cond of cond of slices": [[4, 3], outer(choice(first))],
  "cond of cond of a row, rows": [[4, 3], outer(ofRow(mask))],
  "map of unknown items": [[7], (_, x) => doubled(positive(x))],
  "map of required items": [[7], (_, x) => doubled(checked(positive(x)))],
  "map of unknown rows": [
    [4, 3],
    (_, x) => map((r: Tensor, w: Tensor) => r.add(w.sum()), x.at(x.at(slice(), 0).gt(0)), x),
  ],
  "map of rows of unknown size": [[4, 3], (_, x) => doubled(positive(x).expand(3, -1))],
  "map of unknown items, twice": [
    [7],
    (_, x) => map(([a, b]: readonly [Tensor, Tensor]) => a.mul(b), [positive(x), x.at(x.lt(0))] as const),
  ],
  "map over a number": [[7], (_, x) => doubled(torch.ones(x.sum().int().item()))],
  "scan of unknown items": [[7], (_, x) => carried(positive(x))],
  "scan of required items": [[7], (_, x) => carried(checked(positive(x)))],
};
