/** @file Programs with control flow, written in TypeScript (`control_flow.py`). */
import { cond, Dim, nn, slice, sym, torch, tuple } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import type { CorpusModels } from "./harness.fixture.js";

class Cond extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    return cond(
      y,
      (x: Tensor) => x.sin(),
      (x: Tensor) => x.cos(),
      [x],
    );
  }
}

class NestedCond extends nn.Module {
  readonly linear = new nn.Linear(3, 3);
  readonly shift = new nn.Buffer(torch.ones(3));

  override forward(x: Tensor, p: Tensor, q: Tensor): Tensor {
    const both = (x: Tensor): Tensor => this.linear(x).add(this.shift);
    const one = (x: Tensor): Tensor => cond(q, both, (x: Tensor) => x.sub(this.shift), [x]);
    return cond(p, one, (x: Tensor) => x.clone().mul(2), [x]).add(1);
  }
}

class CondManyOutputs extends nn.Module {
  override forward(x: Tensor, y: Tensor): unknown {
    const larger = (x: Tensor, y: Tensor): [Tensor, { s: Tensor }] => [x.add(y), { s: x.mul(y).sum() }];
    const smaller = (x: Tensor, y: Tensor): [Tensor, { s: Tensor }] => [x.sub(y), { s: x.mean() }];
    const [out, extra] = cond(x.sum().gt(y.sum()), larger, smaller, [x, y]);
    return tuple(out.mul(2), extra.s);
  }
}

class CondDynamic extends nn.Module {
  override forward(x: Tensor): Tensor {
    return cond(
      sym.gt(x.size(0), 4),
      (x: Tensor) => x.sin(),
      (x: Tensor) => x.cos().add(1),
      [x],
    );
  }
}

class CondDynamicBranches extends nn.Module {
  override forward(x: Tensor): Tensor {
    const pos = (x: Tensor): Tensor =>
      x
        .reshape(-1)
        .at(slice(null, x.size(0)))
        .mul(x.size(0));
    const neg = (x: Tensor): Tensor => x.at(":", 0).sub(1);
    return cond(x.sum().gt(0), pos, neg, [x]);
  }
}

class DataDependentCond extends nn.Module {
  override forward(x: Tensor): Tensor {
    return cond(
      x.sum().gt(0),
      (x: Tensor) => x.sin(),
      (x: Tensor) => x.cos(),
      [x],
    );
  }
}

/** Models with control flow. */
export const FLOW_MODELS: CorpusModels = {
  ir_cond: () => ({ model: new Cond() }),
  pm_data_dependent_cond: () => ({ model: new DataDependentCond() }),
  // The example call gives one tensor twice.
  flow_cond_nested: () => ({ model: new NestedCond(), args: ([x, p]) => [x, p, p] }),
  flow_cond_tree: () => ({ model: new CondManyOutputs() }),
  flow_cond_shape: () => ({
    model: new CondDynamic(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("n", { min: 2 }) } } }),
  }),
  flow_cond_dynamic: () => ({
    model: new CondDynamicBranches(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("n") } } }),
  }),
};
