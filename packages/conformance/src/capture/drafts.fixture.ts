/** @file Models with decisions on data and with specifications that do not hold, as PyTorch's. */
import { Dim, guard, guardInt, type SymBool, sym, torch, tuple } from "@sconce/capture";
import { Tensor } from "@sconce/tensor";
import { fixtureJson } from "../fixtures.js";
import { type DraftCase, FURTHER_DRAFTS } from "./draft-models.fixture.js";
import {
  doubled,
  fill,
  grid,
  halves,
  ints,
  kept,
  numbers,
  pair,
  right,
  truth,
  turned,
  twice,
  wide,
} from "./draft-operators.fixture.js";

/** A failure: type, expression, result or kind of guard, occurrences. */
export type RecordedFailure = readonly [string, string, string | null, (number | null)?];

/** What PyTorch's `draft_export` gives. */
export interface RecordedDraft {
  readonly code: string;
  /** The code of nested graphs. */
  readonly graphs?: Readonly<Record<string, string>>;
  readonly ranges: Readonly<Record<string, string>>;
  readonly failures: readonly RecordedFailure[];
  /** The kinds of calls of operators without a right fake. */
  readonly profiles: Readonly<Record<string, number>>;
}

export const RECORDED = fixtureJson("capture/drafts.json.gz") as Readonly<Record<string, RecordedDraft>>;

/** The models by their names in `draft_exports.py`. */
export const DRAFTS: Readonly<Record<string, DraftCase>> = {
  tensor_condition: [(x: Tensor) => (truth(x.sum().gt(3)) ? x.add(1) : x.sub(1)), [numbers(6)]],
  item_condition: [
    (n: Tensor, x: Tensor) => {
      const k = n.item();
      return guard(sym.gt(k, 2)) ? x.add(k) : x;
    },
    [ints(3), numbers(6)],
  ],
  negated: [
    (n: Tensor, x: Tensor) => {
      const k = n.item();
      return guard(sym.gt(k, 5)) ? x : x.add(k);
    },
    [ints(2), numbers(6)],
  ],
  narrowed: [(n: Tensor, x: Tensor) => x.narrow(0, 0, n.item()), [ints(3), numbers(6)]],
  viewed: [(n: Tensor, x: Tensor) => x.view(n.item(), -1), [ints(3), numbers(6)]],
  two_items: [
    (n: Tensor, m: Tensor, x: Tensor) => {
      const k = n.item();
      const l = m.item();
      const first = guard(sym.eq(sym.add(k, l), 7)) ? x.add(1) : x;
      return guard(sym.lt(k, l)) ? first.mul(2) : first;
    },
    [ints(3), ints(4), numbers(6)],
  ],
  loop: [
    (n: Tensor, x: Tensor) => {
      const k = n.item();
      let y = x;
      for (let i = 0; i < 3; i++) if (guard(sym.gt(k, i))) y = y.add(1);
      return y;
    },
    [ints(3), numbers(6)],
  ],
  counted: [
    (n: Tensor, x: Tensor) => {
      const k = guardInt(n.item());
      let y = x;
      for (let i = 0; i < k; i++) y = y.add(i);
      return y;
    },
    [ints(3), numbers(6)],
  ],
  found: [
    (x: Tensor) => {
      const y = x.nonzero();
      return guard(sym.eq(sym.add(sym.mul(y.size(0), 2), 1), 11)) ? y.add(1) : y;
    },
    [numbers(6, -2)],
  ],
  conjunction: [
    (n: Tensor, x: Tensor) => {
      const k = n.item();
      return guard(sym.gt(k, 1)) && guard(sym.lt(k, 5)) ? x.add(k) : x;
    },
    [ints(2), numbers(6)],
  ],
  float_condition: [
    (n: Tensor, x: Tensor) => {
      const k = n.item();
      return guard(sym.gt(k, 0.25)) ? x.mul(k) : x;
    },
    [Tensor.from([0.5]), numbers(6)],
  ],
  bool_condition: [
    (n: Tensor, x: Tensor) => (guard(n.item() as unknown as SymBool) ? x.mul(2) : x),
    [Tensor.from([true]), numbers(6)],
  ],
  mixed: [
    (n: Tensor, x: Tensor) => {
      const k = n.item();
      return guard(sym.lt(k, x.size(0))) ? x.mul(2) : x;
    },
    [ints(2), numbers(24).view(6, 4)],
    [null, { 0: Dim("b") }],
  ],
  several_conditions: [
    (x: Tensor) => {
      let y = x;
      if (truth(y.sum().gt(0))) y = y.add(1);
      if (truth(y.sum().lt(0))) y = y.add(1);
      for (let i = 0; i < 2; i++) if (truth(y.max().gt(0))) y = y.add(1);
      return y;
    },
    [numbers(6)],
  ],
  written: [
    (x: Tensor) => {
      x.add_(1);
      return guard(sym.eq(x.select(0, 0).item(), 1)) ? x.mul(2) : x;
    },
    [numbers(6)],
  ],
  sized: [
    (n: Tensor, x: Tensor) => {
      const k = n.item();
      const y = torch.ones(k);
      return guard(sym.eq(y.size(0), 2)) ? x.view(k, 3) : y;
    },
    [ints(2), numbers(6)],
  ],
  repeated: [(n: Tensor) => torch.repeatInterleave(torch.tensor([1, 2]), n).view(5), [ints(2, 3)]],
  constant_size: [(x: Tensor) => (guard(sym.eq(x.size(0), 4)) ? x.add(1) : x), [grid()], [{ 0: Dim("b") }]],
  equal_sizes: [(x: Tensor, y: Tensor) => x.add(y), [grid(), grid()], [{ 0: Dim("b") }, { 0: Dim("c") }]],
  several_sizes: [
    (x: Tensor, y: Tensor) => x.add(y),
    [grid(), grid()],
    [
      { 0: Dim("b"), 1: Dim("d") },
      { 0: Dim("c"), 1: null },
    ],
  ],
  least_size: [(x: Tensor) => (guard(sym.gt(x.size(0), 2)) ? x.add(1) : x), [grid()], [{ 0: Dim("b") }]],
  viewed_size: [(x: Tensor) => x.view(2, 2, 3), [grid()], [{ 0: Dim("b", { max: 16 }) }]],
  dynamic_size: [(x: Tensor) => x.view(2, 2, 3), [grid()], [{ 0: Dim.DYNAMIC }]],
  nothing_wrong: [(x: Tensor) => x.add(1), [grid()], [{ 0: Dim("b") }]],
  data_and_size: [
    (x: Tensor, n: Tensor) => {
      const k = n.item();
      const y = guard(sym.eq(k, 3)) ? x.add(1) : x;
      return guard(sym.eq(y.size(0), 4)) ? twice(y) : y;
    },
    [grid(), ints(3)],
    [{ 0: Dim("b") }, null],
  ],
  missing_fake: [(x: Tensor) => kept(x).add(1), [numbers(6, -2)]],
  missing_fakes: [
    (x: Tensor) => {
      const y = kept(x);
      const z = kept(x.mul(2));
      const [a, b] = pair(x, 2);
      return tuple(y.add(1), z, a, b);
    },
    [numbers(6, -2)],
  ],
  decision_on_missing_fake: [
    (x: Tensor) => {
      const y = kept(x);
      return guard(sym.gt(y.size(0), 2)) ? y.to("float64") : y;
    },
    [numbers(6, -2)],
  ],
  missing_fake_of_other_strides: [(x: Tensor) => turned(x).add(1), [grid()]],
  wrong_size: [(x: Tensor) => doubled(x).add(1), [numbers(6)]],
  wrong_dynamic_size: [
    (x: Tensor) => tuple(doubled(x).add(1), doubled(x.mul(2))),
    [numbers(6)],
    [{ 0: Dim("b") }],
  ],
  wrong_dtype: [(x: Tensor) => wide(x).add(1), [numbers(6)]],
  wrong_item: [
    (x: Tensor) => {
      const [a, b] = halves(x) as [Tensor, Tensor];
      return tuple(a.add(1), b);
    },
    [numbers(6)],
  ],
  right_fake: [
    (x: Tensor) => {
      const y = right(x);
      return guard(sym.eq(y.size(0), 3)) ? y.mul(2) : y;
    },
    [numbers(6, -2)],
  ],
  trivial_fake: [
    (x: Tensor) => {
      const y = x.add(1);
      fill(y, 2);
      return guard(sym.eq(y.sum().item(), 12)) ? y.mul(2) : y;
    },
    [numbers(6)],
  ],
  ...FURTHER_DRAFTS,
};
