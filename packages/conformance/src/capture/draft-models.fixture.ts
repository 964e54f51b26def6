/**
 * @file Further models for drafts: nested graphs, several operators without a right fake, items.
 */
import { check, cond, Dim, type ExportOptions, guard, library, sym, torch, tuple } from "@sconce/capture";
import { Tensor } from "@sconce/tensor";
import {
  doubled,
  fill,
  grid,
  ints,
  kept,
  numbers,
  options,
  pair,
  truth,
  wide,
} from "./draft-operators.fixture.js";

type Model = (...args: never[]) => unknown;
/** A model, its arguments and its `dynamicShapes`. */
export type DraftCase = readonly [Model, readonly unknown[], ExportOptions["dynamicShapes"]?];

const flipped = library
  .customOp("drafts::flipped", options, (x) => x.t().contiguous().clone().t())
  .registerFake((x) => torch.emptyLike(x));
const splitUp = library
  .customOp("drafts::split_up", { schema: "(Tensor x) -> (Tensor, Tensor)", mutatesArgs: [] }, (x) => [
    x.clone(),
    x.narrow(0, 0, 2).clone(),
  ])
  .registerFake((x) => [torch.emptyLike(x), torch.emptyLike(x)]);

const isPositive = (x: Tensor): Tensor => x.sum().gt(0);
const floats = (...values: readonly number[]): Tensor => Tensor.from([...values], { dtype: "float32" });

/** Adds one where an item is above 2. */
function stepped(x: Tensor, n: Tensor): Tensor {
  const k = n.item();
  return guard(sym.gt(k, 2)) ? x.add(1) : x.sub(1);
}

const BRANCHES: Readonly<Record<string, DraftCase>> = {
  branch_missing_fake: [
    (x: Tensor) =>
      cond(
        isPositive(x),
        (y) => (kept(y) as Tensor).sum(),
        (y) => y.sum(),
        [x],
      ),
    [numbers(6, -2)],
  ],
  other_branch_missing_fake: [
    (x: Tensor) =>
      cond(
        isPositive(x),
        (y) => y.sum(),
        (y) => (kept(y) as Tensor).sum(),
        [x],
      ),
    [numbers(6, -2)],
  ],
  branch_pair: [
    (x: Tensor) =>
      cond(
        isPositive(x),
        (y) => pair(y, 2)[1]!,
        (y) => y.sum(),
        [x],
      ),
    [numbers(6, -2)],
  ],
  branch_wrong_dtype: [
    (x: Tensor) =>
      cond(
        isPositive(x),
        (y) => wide(y).sum(),
        (y) => y.to("float64").sum(),
        [x],
      ),
    [numbers(6, -2)],
  ],
  branch_condition: [
    (x: Tensor, n: Tensor) => cond(isPositive(x), stepped, (y, _n) => y.clone(), [x, n]),
    [numbers(6), ints(3)],
  ],
  other_branch_condition: [
    (x: Tensor, n: Tensor) => cond(isPositive(x), (y, _n) => y.clone(), stepped, [x, n]),
    [numbers(6), ints(3)],
  ],
  condition_on_branches: [
    (x: Tensor) => {
      const y = cond(
        isPositive(x),
        (z) => z.add(1),
        (z) => z.sub(1),
        [x],
      );
      return truth(y.sum().gt(3)) ? y.add(1) : y;
    },
    [numbers(6)],
  ],
  items_around_branches: [
    (x: Tensor, n: Tensor, m: Tensor) => {
      const k = n.item();
      const given = guard(sym.gt(k, 2)) ? x.mul(2) : x;
      const yes = (z: Tensor, l: Tensor): Tensor => (guard(sym.lt(l.item(), 7)) ? z.add(1) : z.clone());
      const y = cond(isPositive(given), yes, (z, _l) => z.sub(1), [given, m]);
      return guard(sym.lt(k, 9)) ? y.add(3) : y;
    },
    [numbers(6), ints(3), ints(4)],
  ],
};

const ITEMS: Readonly<Record<string, DraftCase>> = {
  remainder: [
    (n: Tensor, x: Tensor) => {
      const k = n.item();
      const y = guard(sym.eq(sym.mod(k, 2), 0)) ? x.add(1) : x;
      return guard(sym.gt(sym.floorDiv(k, 2), 1)) ? y.mul(2) : y;
    },
    [ints(4), numbers(6)],
  ],
  alternatives: [
    (n: Tensor, x: Tensor) => {
      const k = n.item();
      return guard(sym.eq(k, 1)) || guard(sym.eq(k, 4)) ? x.add(k) : x;
    },
    [ints(4), numbers(6)],
  ],
  list_of_items: [
    (n: Tensor, x: Tensor) => {
      const [a, b, c] = n.tolist() as never[];
      const parts = x.split([a!, b!, c!]);
      return guard(sym.lt(a!, b!)) ? tuple(parts[0]!.add(1), parts[1]!, parts[2]!) : tuple(...parts);
    },
    [ints(2, 3, 1), numbers(6)],
  ],
  factory: [
    (n: Tensor, x: Tensor) => {
      const y = torch.arange(n.item());
      return guard(sym.lt(y.size(0), x.size(0))) ? y.add(1) : y;
    },
    [ints(3), numbers(6)],
  ],
  product_of_sizes: [
    (n: Tensor, x: Tensor) => torch.zeros(n.item(), 2).reshape(-1).add(x),
    [ints(3), numbers(6)],
  ],
  two_selections: [
    (x: Tensor, y: Tensor) => torch.maskedSelect(x, x.gt(0)).add(torch.maskedSelect(y, y.gt(2))),
    [numbers(6, -2), numbers(6)],
  ],
  selection_and_constant: [
    (x: Tensor) => torch.maskedSelect(x, x.gt(0)).add(torch.ones(3)),
    [numbers(6, -2)],
  ],
};

const FAKES: Readonly<Record<string, DraftCase>> = {
  chained_missing_fakes: [
    (x: Tensor) => {
      const y = kept(x);
      const z = kept(y.mul(2));
      return guard(sym.eq(z.size(0), 3)) ? z.add(1) : y;
    },
    [numbers(6, -2)],
  ],
  kinds_of_calls: [
    (x: Tensor, g: Tensor) => {
      const [a, b] = pair(x, 2);
      const [c, d] = pair(g, 3);
      const [e, f] = pair(a, 2);
      return tuple(a, b, c, d, e, f);
    },
    [numbers(6, -2), grid()],
  ],
  missing_and_wrong: [
    (x: Tensor) => {
      const y = kept(x);
      const z = doubled(x);
      const w = wide(z);
      return tuple(y, z.add(1), w);
    },
    [numbers(6, -2)],
  ],
  wrong_strides: [(x: Tensor) => flipped(x).add(1), [grid()]],
  wrong_second: [
    (x: Tensor) => {
      const [a, b] = splitUp(x);
      return tuple(a.add(1), b.mul(2));
    },
    [numbers(6)],
  ],
  wrong_first_size_twice: [(x: Tensor) => doubled(doubled(x)), [numbers(6)]],
  missing_and_decision: [
    (x: Tensor, n: Tensor) => {
      const k = n.item();
      const y = kept(guard(sym.gt(k, 1)) ? x.add(k) : x);
      return guard(sym.gt(y.sum().item(), 2.5)) ? y.mul(2) : y;
    },
    [numbers(6, -2), ints(3)],
  ],
};

const SIZES: Readonly<Record<string, DraftCase>> = {
  two_floats: [
    (a: Tensor, b: Tensor, x: Tensor) => {
      const [p, q] = [a.item(), b.item()];
      return guard(sym.gt(p, q)) ? x.mul(sym.add(p, q)) : x;
    },
    [floats(2.5), floats(0.5), numbers(6)],
  ],
  item_is_size: [
    (n: Tensor, x: Tensor) => (guard(sym.eq(n.item(), x.size(1))) ? x.add(1) : x),
    [ints(4), numbers(24).view(6, 4)],
    [null, { 0: Dim("b"), 1: Dim("c") }],
  ],
  check_before: [
    (n: Tensor, x: Tensor) => {
      const k = n.item();
      check(sym.gt(k, 2));
      const y = guard(sym.gt(k, 2)) ? x.add(1) : x;
      return guard(sym.gt(k, 3)) ? y.mul(2) : y;
    },
    [ints(4), numbers(6)],
  ],
  any_and_all: [
    (x: Tensor) => {
      const y = truth(x.gt(3).any()) ? x.add(1) : x;
      return truth(y.gt(-1).all()) ? y.mul(2) : y;
    },
    [numbers(6)],
  ],
  selected_row: [
    (x: Tensor, n: Tensor) => {
      const row = x.select(0, n.item());
      return truth(row.sum().gt(5)) ? row.add(1) : row;
    },
    [grid(), ints(1)],
  ],
  padded: [
    (x: Tensor, n: Tensor) => {
      const y = torch.cat([x, torch.zeros(n.item())]);
      return guard(sym.gt(y.size(0), 7)) ? y.add(1) : y;
    },
    [numbers(6), ints(2)],
  ],
  missing_fake_after_write: [
    (x: Tensor) => {
      const y = x.mul(2);
      fill(y, 3);
      return kept(y).add(1);
    },
    [numbers(6)],
  ],
};

/** The models by their names in `draft_exports.py`. */
export const FURTHER_DRAFTS: Readonly<Record<string, DraftCase>> = {
  ...BRANCHES,
  ...ITEMS,
  ...FAKES,
  ...SIZES,
};
