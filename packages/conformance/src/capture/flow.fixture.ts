/** @file Programs with control flow, written in TypeScript (`control_flow.py`). */
import {
  associativeScan,
  cond,
  Dim,
  float,
  map,
  nn,
  scan,
  slice,
  sym,
  torch,
  tuple,
  whileLoop,
} from "@sconce/capture";
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

class MapRows extends nn.Module {
  readonly linear = new nn.Linear(4, 2);

  override forward(xs: Tensor, y: Tensor): Tensor {
    return map((x: Tensor, y: Tensor) => this.linear(x).relu().mul(y), xs, y);
  }
}

class MapSine extends nn.Module {
  override forward(xs: Tensor, y: Tensor): Tensor {
    return map((x: Tensor, y: Tensor) => x.sin().add(y), xs, y);
  }
}

class CountUp extends nn.Module {
  override forward(i: Tensor, x: Tensor): unknown {
    const [count, result] = whileLoop(
      (i: Tensor) => i.lt(5),
      (i: Tensor, x: Tensor) => [i.add(1), x.mul(1.5).add(i)],
      [i, x],
    );
    return tuple(count, result);
  }
}

class NewtonSqrt extends nn.Module {
  override forward(a: Tensor): unknown {
    const condition = (x: Tensor, n: Tensor): Tensor =>
      torch.logicalAnd(n.lt(50), x.mul(x).sub(a).abs().gt(1e-4).any());
    const body = (x: Tensor, n: Tensor): unknown => [x.add(a.div(x)).div(2), n.add(1)];
    const [root, rounds] = whileLoop(condition, body, [torch.onesLike(a), torch.tensor(0)]);
    return tuple(root, rounds);
  }
}

class ScanRecurrence extends nn.Module {
  readonly cell = new nn.Linear(5, 2);

  override forward(h: Tensor, xs: Tensor): unknown {
    const step = (h: Tensor, x: Tensor): [Tensor, Tensor] => {
      const next = torch.tanh(this.cell(torch.cat([h, x], -1)));
      return [next, next.mul(2)];
    };
    return scan(step, h, xs, { dim: 0 });
  }
}

class ScanReverse extends nn.Module {
  override forward(init: { sum: Tensor }, xs: Tensor): unknown {
    const step = (carry: { sum: Tensor }, x: Tensor): [{ sum: Tensor }, unknown] => {
      const sum = carry.sum.add(x);
      return [{ sum }, tuple(sum.mul(float(1)), x.sub(1))];
    };
    return scan<{ sum: Tensor }, Tensor, unknown>(step, init, xs, { dim: 1, reverse: true });
  }
}

class PrefixProduct extends nn.Module {
  override forward(x: Tensor): Tensor {
    return associativeScan((a: Tensor, b: Tensor) => a.mul(b), x, { dim: 0, combineMode: "generic" });
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
  flow_map: () => ({
    model: new MapRows(),
    options: () => ({ dynamicShapes: { xs: { 0: Dim("n") }, y: null } }),
  }),
  pm_map: () => ({ model: new MapSine() }),
  flow_while: () => ({ model: new CountUp() }),
  flow_while_data: () => ({ model: new NewtonSqrt() }),
  flow_scan: () => ({ model: new ScanRecurrence() }),
  flow_scan_reverse: () => ({ model: new ScanReverse(), args: ([sum, xs]) => [{ sum }, xs] }),
  flow_associative_scan: () => ({ model: new PrefixProduct() }),
};
