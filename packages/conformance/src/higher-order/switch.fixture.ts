/** @file The models of `oracle/graph_calls.py` in TypeScript. */
import { Dim, type ExportOptions, nn, sym, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { values } from "./values.fixture.js";

/** The parameters and layers that the models share. */
class Model extends nn.Module {
  readonly weight = new nn.Parameter(values([4, 4], 3));
  readonly linear = new nn.Linear(4, 4);
  readonly norm = new nn.LayerNorm(4);

  constructor() {
    super();
    for (const layer of [this.linear, this.norm])
      layer.loadStateDict(
        Object.fromEntries([...layer.stateDict()].map(([name, value]) => [name, values(value.shape, 11)])),
      );
  }
}

/** A model of the script, its example inputs, and the options of the export. */
export interface SwitchCase {
  readonly model: Model;
  readonly args: readonly unknown[];
  readonly options?: ExportOptions;
  /** Whether the export is made without gradients. */
  readonly noGrad?: true;
}

class OfTensor extends Model {
  constructor(readonly run: (self: Model, x: Tensor) => unknown) {
    super();
  }

  override forward(x: Tensor): unknown {
    return this.run(this, x);
  }
}

class OfIndex extends Model {
  constructor(readonly run: (self: Model, i: Tensor, x: Tensor) => unknown) {
    super();
  }

  override forward(i: Tensor, x: Tensor): unknown {
    return this.run(this, i, x);
  }
}

class OfPair extends Model {
  constructor(readonly run: (self: Model, i: Tensor, x: Tensor, y: Tensor) => unknown) {
    super();
  }

  override forward(i: Tensor, x: Tensor, y: Tensor): unknown {
    return this.run(this, i, x, y);
  }
}

const one = (): Tensor => torch.tensor(1);
const x = values([4, 4]);
const y = values([4, 4], 5);
const n = Dim("n");
type Unary = (x: Tensor) => Tensor;
const sin: Unary = (v) => v.sin();
const cos: Unary = (v) => v.cos();
type Pair = { readonly x: Tensor; readonly y: Tensor };

/** The models by name. */
export const SWITCHES: Readonly<Record<string, () => SwitchCase>> = {
  three: () => ({
    model: new OfIndex((self: Model, i: Tensor, x: Tensor) => {
      return torch.switch(i, [(v) => v.add(1), (v) => v.matmul(self.weight), sin], [x]);
    }),
    args: [one(), x],
  }),
  two: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) => torch.switch(i, [sin, cos], [x])),
    args: [one(), x],
  }),
  single: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) => torch.switch(i, [sin], [x])),
    args: [one(), x],
  }),
  constant: () => ({
    model: new OfTensor((_self: Model, x: Tensor) => torch.switch(7, [sin, cos], [x])),
    args: [x],
  }),
  closures: () => ({
    model: new OfIndex((self: Model, i: Tensor, x: Tensor) => {
      const a = x.mul(2);
      const b = x.sum(0);
      return torch.switch(
        i,
        [(v) => v.add(b), (v) => v.sub(a), (v) => v.mul(self.weight), () => a.add(b)],
        [x],
      );
    }),
    args: [one(), x],
  }),
  containers: () => ({
    model: new OfPair((_self: Model, i: Tensor, x: Tensor, y: Tensor) =>
      torch.switch(
        i,
        [
          (p: Pair) => ({ a: p.x.add(1), b: [p.y.mul(2)] }),
          (p: Pair) => ({ a: p.y.mul(3), b: [p.x.neg()] }),
          (p: Pair) => ({ a: p.y.mul(4), b: [p.x.sin()] }),
        ],
        [{ x, y }],
      ),
    ),
    args: [torch.tensor([2]), x, y],
  }),
  integers: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) =>
      torch.switch(i, [(v) => [v.add(1), 3], (v) => [v.add(2), 5], (v) => [v.add(3), 4]], [x]),
    ),
    args: [one(), x],
  }),
  same_integers: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) =>
      torch.switch(i, [(v) => [v.add(1), 3], (v) => [v.add(2), 3]], [x]),
    ),
    args: [one(), x],
  }),
  sizes: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) =>
      torch.switch(i, [(v) => v.at(torch.slice(1)).mul(2), (v) => v.at(torch.slice(3)).mul(3)], [x]),
    ),
    args: [one(), x],
  }),
  three_sizes: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) =>
      torch.switch(
        i,
        [(v) => v.at(torch.slice(1)).mul(2), (v) => v.at(torch.slice(3)).mul(3), (v) => v.add(1)],
        [x],
      ),
    ),
    args: [one(), x],
  }),
  dynamic: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) =>
      torch.switch(i, [(v) => v.mul(2), (v) => v.neg(), (v) => v.relu()], [x]).sum(0),
    ),
    args: [one(), values([5, 3])],
    options: { dynamicShapes: { i: null, x: { 0: n } } },
  }),
  by_size: () => ({
    model: new OfTensor((_self: Model, x: Tensor) =>
      torch.switch(sym.sub(x.size(0), 3), [(v) => v.mul(2), (v) => v.add(1), (v) => v.relu()], [x]),
    ),
    args: [values([5, 3])],
    options: { dynamicShapes: { x: { 0: n } } },
  }),
  nested: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) => {
      const inner: Unary = (v) => torch.switch(i.add(1), [sin, cos, (w: Tensor) => w.tan()], [v]);
      return torch.switch(i, [inner, (v) => v.mul(2)], [x]);
    }),
    args: [one(), x],
  }),
  in_cond: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) =>
      torch.cond(
        x.sum().gt(0),
        (v: Tensor) => torch.switch(i, [sin, cos], [v]),
        (v: Tensor) => v.add(1),
        [x],
      ),
    ),
    args: [one(), x],
  }),
  twice: () => ({
    model: new OfIndex((self: Model, i: Tensor, x: Tensor) => {
      const y = torch.switch(i, [sin, cos, (v: Tensor) => v.add(self.weight)], [x]);
      return torch.switch(i.sub(1), [(v) => v.mul(2), (v) => v.sub(x)], [y]);
    }),
    args: [one(), x],
  }),
  layers: () => ({
    model: new OfIndex((self: Model, i: Tensor, x: Tensor) => {
      return torch.switch(i, [(v) => self.linear(v), (v) => self.linear(v).relu(), (v) => self.norm(v)], [x]);
    }),
    args: [one(), x],
  }),
  without_operands: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) =>
      torch.switch(i, [() => x.sin(), () => x.cos()]),
    ),
    args: [one(), x],
  }),
  other_structure: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) =>
      torch.switch<[Tensor], unknown>(i, [sin, (v) => [v, v.add(1)]], [x]),
    ),
    args: [one(), x],
  }),
  other_dtype: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) =>
      torch.switch(i, [sin, (v) => v.double().add(1)], [x]),
    ),
    args: [one(), x],
  }),
  a_float: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) =>
      torch.switch(i, [(v) => [v.sin(), 1.5], (v) => [v.cos(), 2.5]], [x]),
    ),
    args: [one(), x],
  }),
  writes: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) => torch.switch(i, [(v) => v.add_(1), cos], [x])),
    args: [one(), x],
  }),
  aliases: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) => torch.switch(i, [(v) => v, cos], [x])),
    args: [one(), x],
  }),
  many_indices: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) => torch.switch(i, [sin, cos], [x])),
    args: [torch.tensor([0, 1]), x],
  }),
  no_branches: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) => torch.switch(i, [], [x])),
    args: [one(), x],
  }),
  not_callable: () => ({
    model: new OfIndex((_self: Model, i: Tensor, x: Tensor) => torch.switch(i, [sin, JSON.parse("3")], [x])),
    args: [one(), x],
  }),
  cond_writes: () => ({
    model: new OfTensor((_self: Model, x: Tensor) => [
      torch.cond(
        x.sum().gt(0),
        (v) => v.mul_(2).sin(),
        (v) => v.add_(1).cos(),
        [x],
      ),
      x.add(1),
    ]),
    args: [values([4, 4])],
    noGrad: true,
  }),
  cond_writes_to_view: () => ({
    model: new OfTensor((_self: Model, x: Tensor) => [
      torch.cond(
        x.sum().lt(0),
        (v) => v.mul_(2).sin(),
        (v) => v.cos(),
        [x.at(0)],
      ),
      x.add(1),
    ]),
    args: [values([4, 4])],
    noGrad: true,
  }),
  cond_returns_input: () => ({
    model: new OfTensor((_self: Model, x: Tensor) =>
      torch
        .cond(
          x.sum().gt(0),
          (v) => v,
          (v) => v.cos(),
          [x],
        )
        .add(1),
    ),
    args: [values([4, 4])],
    noGrad: true,
  }),
  cond_writes_with_grad: () => ({
    model: new OfTensor((_self: Model, x: Tensor) =>
      torch.cond(
        x.sum().gt(0),
        (v) => v.mul_(2).sin(),
        (v) => v.cos(),
        [x],
      ),
    ),
    args: [values([4, 4])],
  }),
};
