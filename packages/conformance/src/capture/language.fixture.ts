/** @file Printed text, views, dtypes and graph passes: `language_programs.py` in TypeScript. */
import { callOperator, float, nn, torch, tuple } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import type { CorpusModels } from "./harness.fixture.js";

const F = nn.functional;

class PrintedArguments extends nn.Module {
  override forward(x: Tensor): unknown {
    const a = torch.clamp(x, { min: -1e-5, max: float(1e20) });
    const b = torch.fullLike(x, Infinity).add(Number.NaN);
    const c = torch.where(x.gt(0.1), x, Number.NaN);
    const d = x.to("float16").to({ dtype: "float64", copy: true });
    const e = torch.div(x, 3, { roundingMode: "floor" });
    const f = torch.zeros(2, 2, { dtype: "int8", device: "cpu" });
    const g = x.sum({ dim: [0, 1], keepdim: true, dtype: "float64" });
    const h = F.gelu(x, { approximate: "tanh" });
    const i = x.to({ memoryFormat: "contiguous_format" }).mul(float(1000000)).add(123456789012345678n);
    const j = torch.add(x, x, { alpha: 2 }).sub(0.1 * 3);
    const k = x.clone({ memoryFormat: "preserve_format" }).at(null, [0, 1]);
    const l = torch.quantile(x, torch.tensor([0.5, 0.25]), { dim: 1, interpolation: "lower" });
    const m = torch.tensorSplit(x, [1, 2], { dim: 1 })[1];
    const n = torch.einsum("ij,kj->ik", x, x);
    const o = x.cumsum(0, { dtype: "float64" }).add(true);
    const found = torch.searchsorted(x.flatten().sort()[0], x, { right: true, side: "right" });
    return tuple(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, found);
  }
}

class Names extends nn.Module {
  readonly layers = new nn.ModuleDict({ add: new nn.Linear(2, 2), for_: new nn.Linear(2, 2) });
  readonly input = new nn.Buffer(torch.ones(2));
  declare readonly "0": nn.Linear;
  readonly relu = new nn.Parameter(torch.ones(2));

  constructor() {
    super();
    this.addModule("0", new nn.Linear(2, 2));
  }

  override forward(input: Tensor, self_: Tensor, add: Tensor, list: Tensor, x: Tensor, x_1: Tensor): Tensor {
    const sum = x.add(add);
    let y = sum.add(1).add(2).relu().mul(this.relu);
    y = this.layers.get("add")!(y).add(this.layers.get("for_")!(input)).add(this["0"](list));
    return torch.add(y, self_).add(this.input).add(x_1);
  }
}

class ManyKinds extends nn.Module {
  override forward(a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor, f: Tensor, g: Tensor): Tensor {
    const floats = a.sum().add(b.sum()).add(c.sum());
    return floats.add(d.float().sum()).add(e.float().sum()).add(f.float().sum()).add(g.abs().sum());
  }
}

class StridesAndViews extends nn.Module {
  override forward(x: Tensor): unknown {
    const y = x.t();
    const z = y.asStrided([2, 2], [1, 2], 1);
    const w = x.unfold(1, 2, 1);
    const d = x.diagonal();
    const r = torch.flip(x, [0]).rot90().roll(1, 0);
    return tuple(
      y,
      z,
      w,
      d,
      r,
      x.expand(2, 3, 3),
      x.movedim(0, 1),
      x.swapaxes(0, 1).contiguous(),
      x.view("int32"),
    );
  }
}

class Redundant extends nn.Module {
  readonly linear = new nn.Linear(4, 4);
  readonly table = new nn.Buffer(torch.arange(float(8)).view(2, 4));

  override forward(x: Tensor): unknown {
    const deadOne = torch.exp(x);
    const deadTwo = deadOne.sum().add(torch.sin(x).at(0, 0));
    deadTwo.mul(3);
    const [values] = torch.max(x, { dim: 1 });
    const a = torch.tanh(x.mul(2));
    const b = torch.tanh(x.mul(2));
    const c = torch.add(x, float(1));
    const d = torch.add(x, float(1));
    const e = torch.mul(x, x);
    const f = torch.mul(x, x);
    const constant = this.table.mul(2).add(1).sum(0);
    const weights = this.linear.weight.t().contiguous().matmul(torch.eye(4));
    const ones = torch
      .ones(4)
      .mul(3)
      .sub(torch.arange(float(4)));
    const y = a.add(b).mul(c.sub(d).add(e)).add(f.add(constant).matmul(weights)).add(ones);
    const same = y.reshape(y.shape).view(y.shape).expandAs(y).clone().add(0);
    return tuple(same.mul(1), values);
  }
}

class RandomDead extends nn.Module {
  override forward(x: Tensor): Tensor {
    torch.randLike(x);
    torch.randn(3).mul(2);
    F.dropout(x, 0.5, { training: true });
    return x.add(1);
  }
}

class InPlaceChains extends nn.Module {
  override forward(x: Tensor): Tensor {
    const y = torch.zeros(3, 4);
    y.setAt(0, x);
    y.at(1).copy_(x.mul(2));
    y.setAt(["2:", "::2"], 7);
    y.mul_(2).add_(1).clamp_({ max: 10 });
    y.indexPut_([torch.tensor([0, 2]), torch.tensor([1, 3])], torch.tensor([float(5), float(6)]));
    y.maskedFill_(y.gt(8), -1);
    y.scatter_(1, torch.tensor([[0], [1], [2]]), 0.5);
    const z = y.view(-1);
    z.add_(1);
    return y;
  }
}

class AliasedOutputs extends nn.Module {
  override forward(x: Tensor): unknown {
    const y = x.add(1);
    return tuple(y, y, y.view(-1), x, x.at(0));
  }
}

class Fusable extends nn.Module {
  readonly conv = new nn.Conv2d(2, 4, 3, { bias: false });
  readonly bn = new nn.BatchNorm2d(4);
  readonly fc = new nn.Linear(4, 3);

  override forward(x: Tensor): Tensor {
    const y = F.relu(this.bn(this.conv(x)));
    return F.gelu(this.fc(y.mean([2, 3])));
  }
}

class Promotion extends nn.Module {
  override forward(i: Tensor, f: Tensor, h: Tensor, b: Tensor): unknown {
    return tuple(
      i.add(f),
      i.div(2),
      i.mul(2.5),
      h.add(f),
      h.mul(float(2)),
      b.add(i),
      b.mul(1.5),
      i.floorDivide(2),
      i.neg().remainder(3),
      f.pow(i),
      torch.trueDivide(i, i),
      i.float().mean(),
      b.sum(),
      callOperator("aten.__and__.Tensor", [i.gt(1), b]),
      callOperator("aten.__lshift__.Scalar", [i, 1]),
      torch.bitwiseXor(i, 5),
      h.sum(),
      f.to("int32"),
      torch.where(b, i, 0.5),
      torch.cat([i, f]),
    );
  }
}

/** Models of printed text, views, dtypes and passes. */
export const LANGUAGE_MODELS: CorpusModels = {
  text_arguments: () => ({ model: new PrintedArguments() }),
  text_names: () => ({ model: new Names() }),
  text_dtypes: () => ({ model: new ManyKinds() }),
  text_strides: () => ({ model: new StridesAndViews() }),
  text_channels_last: () => ({
    model: new nn.Sequential(new nn.Conv2d(2, 3, 3), new nn.ReLU(), new nn.Conv2d(3, 2, 1)),
  }),
  pass_redundant: () => ({ model: new Redundant() }),
  pass_impure: () => ({ model: new RandomDead() }),
  pass_in_place: () => ({ model: new InPlaceChains() }),
  pass_aliased_outputs: () => ({ model: new AliasedOutputs() }),
  pass_fusable: () => ({ model: new Fusable().eval() }),
  dtype_promotion: () => ({ model: new Promotion() }),
};
