import {
  Dim,
  float,
  inferenceMode,
  nn,
  noGrad,
  pythonTuple,
  registerDataclass,
  slice,
  torch,
} from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { floats, integers, type Twins, twin } from "./twin.fixture.js";

const F = nn.functional;
const batched = { dynamicShapes: { x: { 0: Dim("batch") } } };

class Average extends nn.Module {
  readonly mean = new nn.Buffer(torch.zeros(4));
  steps: Tensor = new nn.Buffer(torch.zeros(1));
  override forward(x: Tensor): Tensor {
    this.steps = this.steps.add_(1);
    this.mean.mul_(0.9).add_(x.mean(0).mul(0.1));
    return x.sub(this.mean);
  }
}

class Codebook extends nn.Module {
  readonly codes = new nn.Parameter(torch.eye(4));
  override forward(x: Tensor): readonly [Tensor, Tensor] {
    const distances = torch.cdist(x, this.codes);
    const nearest = distances.argmin(1);
    return pythonTuple(F.embedding(nearest, this.codes), nearest);
  }
}

class Experts extends nn.Module {
  readonly gate = new nn.Linear(4, 3);
  readonly experts = new nn.ModuleList([0, 1, 2].map(() => new nn.Linear(4, 4)));
  override forward(x: Tensor): Tensor {
    const { values, indices } = this.gate(x).softmax(-1).topk(2, -1);
    const outputs = torch.stack(
      this.experts.map((expert) => expert(x)),
      1,
    );
    const chosen = outputs.gather(1, indices.unsqueeze(-1).expand(-1, -1, 4));
    return chosen.mul(values.unsqueeze(-1)).sum(1);
  }
}

class Heads extends nn.Module {
  readonly heads = new nn.ModuleDict<nn.Linear>({ left: new nn.Linear(4, 2) });
  constructor() {
    super();
    this.heads.set("right", new nn.Linear(4, 3));
  }
  override forward(x: Tensor): Record<string, Tensor> {
    const right = this.heads.has("right") ? this.heads.get("right")(x) : x;
    return { left: this.heads.get("left")(x), right };
  }
}

class Mixture extends nn.Module {
  readonly weights = new nn.ParameterList([torch.ones(4), torch.zeros(4), torch.ones(1)]);
  override forward(x: Tensor): Tensor {
    let y = x.mul(this.weights[0]);
    for (const weight of this.weights) y = y.add(weight);
    return y;
  }
}

class Ring extends nn.Module {
  readonly memory = new nn.Buffer(torch.zeros(4, 3));
  override forward(x: Tensor): Tensor {
    this.memory.copy_(this.memory.roll(1, 0));
    this.memory.setAt([0], x.mean(0));
    return this.memory.clone();
  }
}

class Bag extends nn.Module {
  readonly bag = new nn.EmbeddingBag(10, 3, { mode: "sum" });
  override forward(x: Tensor): Tensor {
    return this.bag(x);
  }
}

class Bias extends nn.Module {
  readonly body = new nn.Linear(4, 4);
  readonly head = new nn.Linear(4, 2);
  override forward(x: Tensor): Tensor {
    const h = this.head.bias;
    return this.head(this.body(x)).sub(h ?? 0);
  }
}

class Sample {
  constructor(
    readonly x: Tensor,
    readonly mask?: Tensor,
  ) {}
}
registerDataclass(Sample, { fields: ["x", "mask"] });

const optional = (sample: Sample): Tensor =>
  sample.mask === undefined ? sample.x.mul(2) : sample.x.mul(sample.mask);

const numbered = (x: Tensor): Record<string, Tensor> => ({ "1": x.add(1), "2": x.mul(2), 10: x.neg() });

const named = (all: Record<string, Tensor>): Tensor => {
  let total = torch.zeros(3);
  for (const [name, value] of Object.entries(all))
    total = name.startsWith("mul") ? total.mul(value) : total.add(value);
  return total;
};

const updates = (x: Tensor): Tensor => {
  const y = x.clone();
  y.setAt([0], y.at(0).add_(1));
  y.setAt([slice(), slice(1, null)], y.at(slice(), slice(1, null)).mul_(2));
  return y;
};

const inference = (x: Tensor): Tensor => inferenceMode(() => x.mul(2)).add(noGrad(() => x.sin()));

const reduced = (x: Tensor): Tensor => {
  const index = torch.tensor([0, 1, 0, 1, 2]);
  const sums = torch.zeros(3).scatterReduce(0, index, x, { reduce: "amax", includeSelf: false });
  return sums.indexAdd(0, index, x, { alpha: 2 });
};

const masks = (x: Tensor): Tensor => {
  const inside = torch.ops.aten.__and__.Tensor(x.gt(0), x.lt(1));
  const filled = torch.full([3, 4], -1e9, { dtype: torch.float32 });
  return torch.where(inside, torch.rsub(x, 1), filled).add(torch.max(x, x.neg()));
};

const constants = (x: Tensor): Tensor =>
  x
    .mul(torch.pi)
    .add(torch.tensor([1, 2, 3, 4], { dtype: torch.double }).to(x.dtype))
    .to(torch.float16)
    .float();

const scalars = (x: Tensor): Tensor => torch.pow(2, x).add(x.reciprocal().mul(2)).sub(x.pow(2).remainder(3));

/** Buffers that get the memory of others, and are assigned one after the other. */
class Buffers extends nn.Module {
  a: Tensor = new nn.Buffer(torch.ones(3));
  b: Tensor = new nn.Buffer(torch.full([3], float(2)));

  constructor(readonly step: (s: Buffers, x: Tensor) => void) {
    super();
  }

  override forward(x: Tensor) {
    this.step(this, x);
    return this.a.add(this.b);
  }
}

const assigned = (step: (s: Buffers, x: Tensor) => void) =>
  twin(
    () => new Buffers(step),
    () => [floats(3)],
  );

export const STATE: Twins = {
  average: twin(
    () => new Average(),
    () => [floats(2, 4)],
  ),
  codebook: twin(
    () => new Codebook(),
    () => [floats(3, 4)],
    { dynamicShapes: { x: { 0: Dim("batch", { max: 25 }) } } },
  ),
  experts: twin(
    () => new Experts(),
    () => [floats(3, 4)],
    batched,
  ),
  heads: twin(
    () => new Heads(),
    () => [floats(3, 4)],
    batched,
  ),
  mixture: twin(
    () => new Mixture(),
    () => [floats(3, 4)],
    batched,
  ),
  ring: twin(
    () => new Ring(),
    () => [floats(2, 3)],
  ),
  bag: twin(
    () => new Bag(),
    () => [integers(10, 3, 4)],
  ),
  bias: twin(
    () => new Bias(),
    () => [floats(3, 4)],
    batched,
  ),
  bias_strict: twin(
    () => new Bias(),
    () => [floats(3, 4)],
    { strict: true },
  ),
  optional: twin(
    () => optional,
    () => [new Sample(floats(3, 4))],
  ),
  optional_given: twin(
    () => optional,
    () => [new Sample(floats(3, 4), floats(3, 4))],
  ),
  numbered: twin(
    () => numbered,
    () => [floats(3, 4)],
    batched,
  ),
  named_inputs: twin(
    () => named,
    () => [{ mul_1: floats(3), add_1: floats(3), mul_2: floats(3) }],
  ),
  updates: twin(
    () => updates,
    () => [floats(3, 4)],
  ),
  inference: twin(
    () => inference,
    () => [floats(3, 4)],
    batched,
  ),
  reduced: twin(
    () => reduced,
    () => [floats(5)],
  ),
  masks: twin(
    () => masks,
    () => [floats(3, 4)],
  ),
  constants: twin(
    () => constants,
    () => [floats(3, 4)],
    batched,
  ),
  scalars: twin(
    () => scalars,
    () => [floats(3, 4)],
    batched,
  ),
  assigned_written: assigned((s, x) => {
    s.a = s.b.add_(x);
    s.b = s.a.mul(2);
  }),
  assigned_slice: assigned((s, x) => {
    s.a = s.b.at(slice());
    s.b = x.mul(1);
  }),
  assigned_view: assigned((s, x) => {
    s.a = s.b.view(3);
    s.b = s.b.add(x);
  }),
  assigned_flipped: assigned((s) => {
    s.a = s.b.flip(0);
    s.b = s.a.at(slice());
  }),
  assigned_later: assigned((s, x) => {
    s.a = s.b.add_(x);
    s.b.mul_(2);
    s.b = s.b.clone();
  }),
};
