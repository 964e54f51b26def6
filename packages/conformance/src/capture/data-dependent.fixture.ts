/**
 * @file Programs whose views, sizes and ranges only the data decide, as
 * `oracle/data_dependent.py` records them, and the same models in TypeScript.
 */
import {
  check,
  cond,
  Dim,
  type ExportOptions,
  float,
  pythonTuple,
  type Size,
  slice,
  sym,
  torch,
} from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { fixtureJson } from "../fixtures.js";

/** A tensor: its dtype, its shape, and its elements in order. */
export type RecordedTensor = readonly [dtype: string, shape: readonly number[], values: readonly number[]];

interface Record {
  readonly twins: Readonly<{ [name: string]: { readonly program: string; readonly lowered: string | null } }>;
  readonly files: Readonly<{
    [name: string]: {
      readonly file: string;
      readonly loaded: string;
      readonly lowered: string | null;
      readonly inputs: readonly RecordedTensor[];
      readonly outputs: readonly RecordedTensor[];
    };
  }>;
}

/** What PyTorch makes of the models. */
export const recorded = fixtureJson("capture/data-dependent.json.gz") as Record;

/** A model, its example inputs, and what is dynamic of them. */
export type Twin = readonly [
  model: (...args: never[]) => unknown,
  args: readonly unknown[],
  dynamicShapes?: ExportOptions["dynamicShapes"],
  options?: ExportOptions,
];

const x = torch.arange(12).to("float32").reshape(4, 3);
const [one, two, three, five] = [1, 2, 3, 5].map((n) => torch.tensor(n)) as [Tensor, Tensor, Tensor, Tensor];
const half = torch.tensor(2.5);
const [ones, flag] = [torch.ones(3), torch.tensor(true)];
const twelve = torch.arange(12).to("float32");
const ROWS = [{ 0: Dim.DYNAMIC }, null];
const ALL = [{ 0: Dim.DYNAMIC }];
const AUTO = { 0: Dim.AUTO };
const DEFERRED = { preferDeferredRuntimeAssertsOverGuards: true };
const rows = torch.ones(8, 4);
const FOURS = [{ 0: Dim("r").mul(4) }];
const ODDS = [{ 0: Dim("r").mul(2).add(1) }];
const repeated = torch.tensor([3, 1, 3, 2, 2]).to("float32");
const SIZES = [null, Dim.DYNAMIC, Dim.DYNAMIC];
const from = (start: Size): ReturnType<typeof slice> => slice(start, null);
const to = (stop: Size): ReturnType<typeof slice> => slice(null, stop);

type Branch = (x: Tensor, r: Size, c: Size) => Tensor;
const branches =
  (yes: Branch, no: Branch) =>
  (x: Tensor, r: Size, c: Size): unknown =>
    cond(
      x.sum().gt(0),
      (t) => yes(t, r, c),
      (t) => no(t, r, c),
      [x],
    );

type Fn1 = (x: Tensor) => unknown;
type Fn2 = (x: Tensor, i: Tensor) => unknown;
type Fn3 = (x: Tensor, i: Tensor, j: Tensor) => unknown;
const takes1 = (model: Fn1): Fn1 => model;
const takes2 = (model: Fn2): Fn2 => model;
const takes3 = (model: Fn3): Fn3 => model;

const written = (x: Tensor, write: (y: Tensor) => void): Tensor => {
  const y = x.clone();
  write(y);
  return y;
};

type Condition = (n: Size, k: Size) => ReturnType<typeof sym.gt>;
/** Two numbers with these conditions. */
const related = (...conditions: readonly Condition[]): Twin => [
  takes2((i, j) => {
    const [n, k] = [i.item(), j.item()];
    for (const condition of conditions) check(condition(n, k));
    return torch.ones(2).mul(n).add(k);
  }),
  [two, three],
];

/** The models by name. */
export const twins: Readonly<{ [name: string]: Twin }> = {
  start_end: [takes3((x, i, j) => x.at(slice(i.item(), j.item())).mul(2)), [x, two, three]],
  start: [takes2((x, i) => x.at(from(i.item())).mul(2)), [x, two]],
  start_step: [takes2((x, i) => x.at(slice(i.item(), null, 2)).mul(2)), [x, two]],
  negative_start: [takes2((x, i) => x.at(from(sym.neg(i.item()))).mul(2)), [x, two]],
  end: [takes2((x, i) => x.at(to(i.item())).mul(2)), [x, two]],
  column_start: [takes2((x, i) => x.at(":", from(i.item())).mul(2)), [x, two]],
  bounded_start: [
    takes2((x, i) => {
      check(sym.ge(i.item(), 0));
      return x.at(from(i.item())).mul(2);
    }),
    [x, two],
  ],
  dynamic_start: [takes2((x, i) => x.at(from(i.item())).add(1)), [x, two], ROWS],
  dynamic_end: [takes2((x, i) => x.at(to(i.item())).add(1)), [x, two], ROWS],
  two_slices: [takes3((x, i, j) => x.at(from(i.item())).at(to(j.item())).mul(2)), [x, two, three]],
  slice_reshape: [takes2((x, i) => x.at(from(i.item())).reshape(-1).mul(2)), [x, two]],
  returned_slice: [takes2((x, i) => x.at(from(i.item()))), [x, two]],
  nonzero_slice: [takes1((x) => x.at(to(x.gt(3).nonzero().size(0))).mul(1)), [x]],
  nonzero_start: [
    takes1((x) =>
      x
        .flatten()
        .at(from(x.gt(3).nonzero().size(0)))
        .mul(1),
    ),
    [x],
  ],
  row: [takes2((x, i) => x.at(i).mul(1)), [x, two]],
  two_rows: [takes3((x, i, j) => x.at(i).add(x.at(j))), [x, two, three]],
  element: [takes3((x, i, j) => x.at(i, j.sub(1)).mul(2)), [x, two, three]],
  row_column: [takes2((x, i) => x.at(i, "1:").mul(2)), [x, two]],
  dynamic_row: [takes2((x, i) => x.at(i).add(1)), [x, two], ROWS],
  select: [takes2((x, i) => x.select(1, i.item()).add(1)), [x, one]],
  narrow: [takes2((x, i) => x.narrow(0, i.item(), 2).add(1)), [x, two]],
  narrow_length: [takes2((x, i) => x.narrow(0, 1, i.item()).add(1)), [x, two]],
  narrow_bounded: [
    takes2((x, i) => {
      check(sym.ge(i.item(), 0));
      return x.narrow(0, i.item(), 1).add(1);
    }),
    [x, two],
  ],
  narrow_both: [takes3((x, i, j) => x.narrow(0, i.item(), sym.sub(j.item(), 2)).add(1)), [x, two, three]],
  narrow_dynamic: [takes2((x, i) => x.narrow(0, i.item(), 2).add(1)), [x, two], ROWS],
  write_narrow: [
    takes3((x, i, v) => {
      x.narrow(0, i.item(), 1).copy_(v);
      return x.mul(1);
    }),
    [x.clone(), two, torch.ones(1, 3)],
  ],
  write_row: [takes2((x, i) => written(x, (y) => y.setAt(i, 7))), [x, two]],
  write_tensor: [takes3((x, i, v) => written(x, (y) => y.setAt(i, v))), [x, two, ones]],
  write_element: [takes3((x, i, j) => written(x, (y) => y.setAt([i, j.sub(1)], 7))), [x, two, three]],
  write_start: [takes2((x, i) => written(x, (y) => y.setAt([from(i.item())], 7))), [x, two]],
  write_end: [takes2((x, i) => written(x, (y) => y.setAt([to(i.item())], 7))), [x, two]],
  write_bounded: [
    takes2((x, i) => {
      check(sym.ge(i.item(), 0));
      check(sym.lt(i.item(), 4));
      return written(x, (y) => y.setAt(i.item(), 7));
    }),
    [x, two],
  ],
  write_input: [
    takes2((x, i) => {
      x.setAt(i, 7);
      return x.add(1);
    }),
    [x.clone(), two],
  ],
  tensor_of_size: [takes1((x) => torch.tensor(x.size(0)).add(1)), [x], ALL],
  tensor_of_list: [takes1((x) => torch.tensor([x.size(0), 2, sym.mul(x.size(0), 2)]).add(1)), [x], ALL],
  tensor_of_lists: [
    takes1((x) =>
      torch
        .tensor([
          [x.size(0), 1],
          [2, x.size(0)],
        ])
        .add(1),
    ),
    [x],
    ALL,
  ],
  tensor_of_floats: [takes1((x) => torch.tensor([x.size(0), 1.5]).add(1)), [x], ALL],
  tensor_of_quotient: [takes1((x) => torch.tensor(sym.trueDiv(x.size(0), 2)).add(1)), [x], ALL],
  tensor_of_dtype: [takes1((x) => torch.tensor([x.size(0), 2], { dtype: "float32" }).add(1)), [x], ALL],
  tensor_of_item: [takes2((x, i) => (x.ndim === 2 ? torch.tensor([i.item(), 4]).add(1) : x)), [x, three]],
  constant_item: [takes1((x) => x.mul(torch.tensor(float(3)).item())), [ones]],
  constant_power: [takes1((x) => x.pow(torch.tensor(float(2)).item())), [ones]],
  bool_item: [takes2((x, s) => x.mul(s.item())), [ones, flag]],
  any_item: [takes1((x) => x.mul(x.gt(1).any().item())), [torch.arange(3).to("float32")]],
  topk: [takes2((x, k) => x.topk(k.item())[0]), [torch.arange(5).to("float32"), two]],
  view_rows: [takes2((x, n) => x.view(n.item(), -1).add(1)), [twelve, three]],
  cond_sizes: [
    branches(
      (x, r, c) => x.newOnes(r, c),
      (x, r, c) => x.newZeros(r, c),
    ),
    [torch.ones(2), 2, 3],
    SIZES,
  ],
  cond_other_sizes: [
    branches(
      (x, r, c) => x.newOnes(r, c),
      (x, r, c) => x.newZeros(r, sym.add(c, 1)),
    ),
    [torch.ones(2), 2, 3],
    SIZES,
  ],
  cond_three_sizes: [
    branches(
      (x, r, c) => x.newOnes(r, c, r),
      (x, r, c) => x.newZeros(r, c, r),
    ),
    [torch.ones(2), 2, 3],
    SIZES,
  ],
  float_above: [
    takes2((s, x) => {
      const v = s.item();
      check(sym.gt(v, 0));
      return x.mul(v);
    }),
    [half, ones],
  ],
  float_between: [
    takes2((s, x) => {
      const v = s.item();
      check(sym.lt(float(0), v));
      check(sym.le(v, float(10)));
      return x.mul(v);
    }),
    [half, ones],
  ],
  float_sum: [
    takes2((s, x) => {
      const v = s.item();
      check(sym.gt(sym.add(v, 1), float(2)));
      return x.mul(v);
    }),
    [half, ones],
  ],
  float_product: [
    takes2((s, x) => {
      const v = s.item();
      check(sym.ge(sym.mul(v, 2), float(1)));
      return x.mul(v);
    }),
    [half, ones],
  ],
  float_pair: [
    takes3((s, r, x) => {
      const [a, b] = [s.item(), r.item()];
      check(sym.gt(a, b));
      check(sym.gt(sym.sub(a, b), 0.5));
      check(sym.ge(sym.sub(a, b), float(0)));
      return x.mul(a).mul(b);
    }),
    [half, torch.tensor(1.5), ones],
  ],
  range_between: [takes2((i, j) => torch.arange(i.item(), j.item())), [two, five]],
  range_down: [takes1((i) => torch.arange(i.item(), 0, -1)), [two]],
  range_floats: [takes2((i, j) => torch.arange(i.item(), j.item(), 0.5)), [half, torch.tensor(7.5)]],
  range_mixed: [takes2((i, j) => torch.arange(i.item(), sym.mul(j.item(), 1.5), 0.5)), [two, five]],
  range_floats_down: [takes1((i) => torch.arange(i.item(), float(0), -0.5)), [half]],
  range_stepped: [
    takes2((i, j) => {
      const k = i.item();
      check(sym.gt(k, 0));
      return torch.arange(0, j.item(), k);
    }),
    [two, five],
  ],
  range_to_size: [takes2((x, i) => torch.arange(i.item(), x.size(0))), [x, two], ROWS],
  deferred_view: [takes1((x) => x.view(-1, 2).mul(2)), [torch.ones(8)], [AUTO], DEFERRED],
  deferred_halves: [
    takes1((x) => x.reshape(2, sym.floorDiv(x.size(0), 2), 4).sum(0)),
    [rows],
    [AUTO],
    DEFERRED,
  ],
  deferred_bound: [
    takes1((x) => {
      check(sym.gt(x.size(0), 3));
      return x.mul(2);
    }),
    [rows],
    [AUTO],
    DEFERRED,
  ],
  deferred_bounds: [
    takes1((x) => {
      check(sym.ne(x.size(0), 5));
      check(sym.lt(x.size(0), 100));
      return x.mul(2);
    }),
    [rows],
    [AUTO],
    DEFERRED,
  ],
  deferred_product: [
    takes1((x) => {
      check(sym.gt(sym.mul(x.size(0), 2), 7));
      return x.mul(2);
    }),
    [rows],
    [AUTO],
    DEFERRED,
  ],
  deferred_order: [
    takes2((x, y) => {
      check(sym.gt(sym.add(x.size(0), 1), y.size(0)));
      return x.mul(2).add(y.sum());
    }),
    [rows, torch.ones(6)],
    [AUTO, AUTO],
    DEFERRED,
  ],
  deferred_equality: [takes2((x, y) => x.add(y)), [rows, torch.ones(8, 4)], [AUTO, AUTO], DEFERRED],
  deferred_cat: [takes2((x, y) => torch.cat([x, y], 1)), [rows, torch.ones(8, 2)], [AUTO, AUTO], DEFERRED],
  deferred_multiple: [
    takes2((x, y) => {
      check(sym.eq(x.size(0), sym.mul(y.size(0), 2)));
      check(sym.eq(sym.mod(x.size(0), 4), 0));
      return x.view(-1, 8).add(y.repeat(1, 2));
    }),
    [rows, torch.ones(4, 4)],
    [AUTO, AUTO],
    DEFERRED,
  ],
  deferred_count: [
    takes2((m, x) => {
      const n = m.sum().item();
      check(sym.lt(n, x.size(0)));
      return pythonTuple(x.at(":", 0).mul(n), torch.zeros(n));
    }),
    [torch.tensor([true, false]), rows],
    [null, AUTO],
    DEFERRED,
  ],
  unique_counts: [
    takes1((x) => pythonTuple(...torch.uniqueConsecutive(x, { returnCounts: true }))),
    [repeated],
  ],
  unique_all: [
    takes1((x) => pythonTuple(...torch.uniqueConsecutive(x, { returnInverse: true, returnCounts: true }))),
    [repeated],
  ],
  unique_last: [takes1((x) => torch.uniqueConsecutive(x, { returnCounts: true })[1]!.add(1)), [repeated]],
  unique_sorted: [
    takes1((x) => pythonTuple(...torch.unique(x, { returnInverse: true, returnCounts: true }))),
    [repeated],
  ],
  unique_rows: [
    takes1((x) => {
      const [v, i, c] = torch.unique(x, { dim: 0, returnInverse: true, returnCounts: true });
      return pythonTuple(v!.sum(0), i, c);
    }),
    [x],
  ],
  other_number: [
    takes2((i, j) => {
      const [a, b] = [i.item(), j.item()];
      check(sym.ne(a, b));
      check(sym.ge(a, 0));
      return torch.zeros(a).add(b);
    }),
    [two, three],
  ],
  other_float: [
    takes2((s, x) => {
      const v = s.item();
      check(sym.ne(v, float(3)));
      return x.mul(v);
    }),
    [half, ones],
  ],
  related_0: related(
    (n, k) => sym.eq(sym.add(n, k), 5),
    (n) => sym.gt(n, 0),
    (_, k) => sym.ge(k, 0),
  ),
  related_1: related(
    (n) => sym.gt(n, 0),
    (n, k) => sym.gt(k, n),
  ),
  related_2: related(
    (n, k) => sym.gt(k, n),
    (n) => sym.gt(n, 0),
  ),
  related_3: related(
    (n, k) => sym.lt(n, k),
    (_, k) => sym.lt(k, 10),
    (n) => sym.gt(n, 0),
  ),
  related_4: related(
    (n, k) => sym.eq(k, sym.add(n, 1)),
    (n) => sym.gt(n, 0),
  ),
  related_5: related(
    (n, k) => sym.le(sym.add(n, k), 8),
    (n) => sym.ge(n, 0),
    (_, k) => sym.ge(k, 0),
  ),
  derived_slice: [takes1((x) => torch.zeros(x.at("::4").size(0))), [rows], FOURS],
  derived_range: [
    takes1((x) => x.at("::4").add(torch.arange(x.at("::4").size(0)).unsqueeze(1))),
    [rows],
    FOURS,
  ],
  derived_view: [takes1((x) => torch.ones(x.view(-1, 4, 4).size(0))), [rows], FOURS],
  derived_odd: [takes1((x) => torch.ones(x.at("1::2").size(0))), [torch.ones(9, 4)], ODDS],
  derived_own: [takes1((x) => torch.ones(sym.sub(x.size(0), 1))), [torch.ones(9, 4)], ODDS],
};

/** Returns the lines of a text of PyTorch without places in source files and blank lines. */
export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => !/^ *#( File| No)/.test(line))
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
