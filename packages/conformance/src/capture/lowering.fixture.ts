/** @file Models whose numbers and sizes are lowered: `lowering_programs.py` in TypeScript. */
import { check, cond, Dim, float, nn, sym, torch, tuple } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import type { CorpusModels } from "./harness.fixture.js";

class FloatResults extends nn.Module {
  override forward(x: Tensor): unknown {
    return tuple(x, float(2), 2, true, null, sym.mul(x.size(0), 2), float(-0));
  }
}

class ArangeFloat extends nn.Module {
  override forward(t: Tensor, x: Tensor): Tensor {
    const f = t.item();
    check(sym.gt(f, 0));
    return torch.arange(0, sym.mul(f, float(2))).add(x.sum());
  }
}

class ArangeScaled extends nn.Module {
  override forward(x: Tensor): unknown {
    const n = x.size(0);
    return tuple(
      torch.arange(sym.mul(n, 0.5)),
      torch.arange(0, n, 0.5),
      torch.arange(float(0), sym.trueDiv(n, 2), 0.25),
    );
  }
}

class LinspaceEnds extends nn.Module {
  override forward(x: Tensor): unknown {
    const n = x.size(0);
    return tuple(
      torch.linspace(sym.neg(n), n, 5),
      torch.linspace(0, sym.trueDiv(n, 2), 4),
      torch.logspace(0, sym.mul(n, 0.25), 3),
    );
  }
}

class ThreeInputs extends nn.Module {
  override forward(alpha: Tensor, beta: Tensor, gamma: Tensor): unknown {
    return tuple(alpha.add(beta).view(-1).mul(gamma.view(-1)), beta.mul(alpha.size(0)));
  }
}

class SplitChunk extends nn.Module {
  override forward(x: Tensor): unknown {
    const [a, b] = x.chunk(2) as [Tensor, Tensor];
    const [c, d] = x.split(sym.floorDiv(x.size(0), 2)) as [Tensor, Tensor];
    return tuple(a.mul(b), c.add(d), torch.stack([a, b]).flatten());
  }
}

class CatMany extends nn.Module {
  override forward(x: Tensor, y: Tensor, z: Tensor): unknown {
    const c = torch.cat([x, y, z]);
    return tuple(c.view(-1), c.unsqueeze(0).repeat(sym.sub(c.size(0), x.size(0)), 1, 1), c.reshape(4, -1));
  }
}

class CondSizes extends nn.Module {
  override forward(x: Tensor, p: Tensor): Tensor {
    const n = x.size(0);
    return cond(
      p,
      (x: Tensor) => x.mul(n),
      (x: Tensor) => x.view(-1).sum().add(x.newOnes(n, 4)),
      [x],
    );
  }
}

class StrictLinear extends nn.Module {
  readonly a = new nn.Linear(4, 4);
  readonly b = new nn.Linear(4, 2);

  override forward(x: Tensor): Tensor {
    return this.b(nn.functional.relu(this.a(x)))
      .sin()
      .add(1);
  }
}

class TiedBackwards extends nn.Module {
  readonly a = new nn.Linear(4, 4);
  readonly b = new nn.Linear(4, 4);

  constructor() {
    super();
    this.b.weight = this.a.weight;
    this.b.bias = this.a.bias;
  }

  override forward(x: Tensor): Tensor {
    return this.a(this.b(x));
  }
}

class StrictCondDynamic extends nn.Module {
  override forward(x: Tensor): Tensor {
    return cond(
      sym.gt(x.size(0), 4),
      (x: Tensor) => x.view(-1).sin(),
      (x: Tensor) => x.reshape(-1).mul(2),
      [x],
    );
  }
}

const rows = { 0: Dim.DYNAMIC };
const auto = { 0: Dim.AUTO, 1: Dim.AUTO };
const strict = (): { readonly strict: true } => ({ strict: true });

/** Models that only the comparison of saved files has. */
export const LOWERING_MODELS: CorpusModels = {
  call_float_results: () => ({ model: new FloatResults(), options: () => ({ dynamicShapes: { x: rows } }) }),
  lower_arange_float: () => ({ model: new ArangeFloat() }),
  lower_arange_scaled: () => ({ model: new ArangeScaled(), options: () => ({ dynamicShapes: [rows] }) }),
  lower_linspace_ends: () => ({ model: new LinspaceEnds(), options: () => ({ dynamicShapes: [rows] }) }),
  lower_three_inputs: () => ({
    model: new ThreeInputs(),
    options: () => ({ dynamicShapes: [auto, auto, auto] }),
  }),
  lower_split_chunk: () => ({
    model: new SplitChunk(),
    options: () => ({ dynamicShapes: [{ 0: Dim.AUTO }] }),
  }),
  lower_cat_many: () => ({ model: new CatMany(), options: () => ({ dynamicShapes: [rows, rows, rows] }) }),
  lower_cond_sizes: () => ({ model: new CondSizes(), options: () => ({ dynamicShapes: [rows, null] }) }),
  strict_linear: () => ({ model: new StrictLinear().eval(), options: strict }),
  strict_tied_reverse: () => ({ model: new TiedBackwards().eval(), options: strict }),
  strict_cond_dynamic: () => ({
    model: new StrictCondDynamic(),
    options: () => ({ strict: true, dynamicShapes: [rows] }),
  }),
};
