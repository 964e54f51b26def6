import { cond, Dim, nn, pythonTuple, slice, sym, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { floats, integers, type Twins, twin } from "../twins/twin.fixture.js";

const F = nn.functional;
const batched = { dynamicShapes: { x: { 0: Dim("batch") } } };
const square = (): readonly unknown[] => [floats(4, 4)];

class HalfHead extends nn.Module {
  readonly body = new nn.Linear(4, 4);
  readonly head = new nn.Linear(4, 2);
  override forward(x: Tensor): readonly Tensor[] {
    const y = this.body(x).relu();
    const [w, z] = torch.autocast("cpu", { dtype: torch.bfloat16 }, () => {
      const z = this.head(y);
      return [z.softmax(-1), z] as const;
    });
    return pythonTuple(w.add(1), z);
  }
}

class FullInside extends nn.Module {
  readonly body = new nn.Linear(4, 4);
  readonly head = new nn.Linear(4, 2);
  override forward(x: Tensor): readonly Tensor[] {
    return torch.autocast("cpu", { cacheEnabled: true }, () => {
      const y = this.body(x).relu();
      const [w, z] = torch.autocast("cpu", { enabled: false }, () => {
        const z = this.head(y.float());
        return [z.softmax(-1), z] as const;
      });
      const v = torch.noGrad(() => y.sum());
      return pythonTuple(w.add(1), z, v);
    });
  }
}

class NestedHalf extends nn.Module {
  readonly scale = torch.ones(4);
  readonly shift = new nn.Buffer(torch.ones(4), { persistent: false });
  override forward(x: Tensor): readonly Tensor[] {
    torch.autocast("cpu", () => undefined);
    const [y, z] = torch.autocast("cpu", { dtype: torch.float16 }, () => {
      const first = x.matmul(x).add(this.scale).add(this.shift);
      const y = torch.autocast("cpu", () => first.matmul(x));
      return [y, x.matmul(y)] as const;
    });
    const w = torch.noGrad(() => torch.autocast("cpu", () => x.matmul(x)));
    return pythonTuple(y, z, w);
  }
}

function gradOutside(x: Tensor): readonly Tensor[] {
  const [y, z] = torch.noGrad(() =>
    torch.autocast("cpu", () => {
      const y = x.matmul(x);
      return [y, torch.enableGrad(() => y.matmul(y))] as const;
    }),
  );
  return pythonTuple(y.sum(), z);
}

const gradInside = (x: Tensor): Tensor =>
  torch.autocast("cpu", () => {
    torch.autocast("cpu", { enabled: false }, () => undefined);
    return torch.noGrad(() => x.matmul(x));
  });

const severalValues = (x: Tensor): readonly Tensor[] =>
  torch.noGrad(() => {
    const [a, b] = [x.sin(), x.cos()] as const;
    const [c, d] = torch.autocast("cpu", () => [a.matmul(b), b.matmul(a)] as const);
    return pythonTuple(a, b, c, d, c.add(1), d.add(1));
  });

class Lists extends nn.Module {
  readonly fc = new nn.Linear(4, 4);
  readonly calls = new nn.Buffer(torch.ones(4));
  override forward(x: Tensor): readonly Tensor[] {
    const half = { dtype: torch.bfloat16 };
    const [{ values, indices }, y] = torch.autocast("cpu", half, () => {
      const best = this.fc(x).topk(2);
      this.calls.add_(1);
      return [best, x.clone().add_(1)] as const;
    });
    const [a, b] = y.chunk(2);
    const [c, d] = torch.autocast("cpu", half, () => [a.matmul(b.t()), torch.tensor([1.5, 2.5])] as const);
    return pythonTuple(values.add(c.sum()), indices, y, d);
  }
}

const severalItems = (x: Tensor): readonly unknown[] =>
  torch.noGrad(() => {
    const { values } = x.topk(2);
    const [sine, all] = [x.sin(), x.max(1)];
    return pythonTuple(sine, values, all);
  });

function halfItems(x: Tensor): readonly Tensor[] {
  const [a, b, c] = torch.autocast("cpu", () => {
    const [a, b] = x.matmul(x).chunk(2) as [Tensor, Tensor];
    return [a, b, x.topk(2)] as const;
  });
  return pythonTuple(a.add(1), b, c.indices, c.values);
}

function sized(x: Tensor): readonly Tensor[] {
  const [n, y] = torch.autocast("cpu", () => {
    const n = sym.mul(x.size(0), 2);
    return [n, torch.ones(n, 4).matmul(x.t())] as const;
  });
  return pythonTuple(y.view(-1), x.newZeros(n));
}

function withinBranch(x: Tensor): Tensor {
  const half = (x: Tensor): Tensor =>
    torch.autocast("cpu", { dtype: torch.bfloat16 }, () => x.matmul(x).float());
  return cond(x.sum().gt(0), half, (x: Tensor) => x.matmul(x).sin(), [x]);
}

class HalfVision extends nn.Module {
  readonly conv = new nn.Conv2d(2, 3, 3, { padding: 1 });
  readonly norm = new nn.BatchNorm2d(3);
  readonly fc = new nn.Linear(3, 5);
  override forward(x: Tensor, labels: Tensor): readonly Tensor[] {
    return torch.autocast("cpu", () => {
      const y = F.maxPool2d(F.gelu(this.norm(this.conv(x))), 2);
      const logits = this.fc(y.mean([2, 3]));
      return pythonTuple(F.crossEntropy(logits, labels), logits);
    });
  }
}

class HalfAttention extends nn.Module {
  readonly attention = new nn.MultiheadAttention(4, 2, { batchFirst: true });
  readonly norm = new nn.LayerNorm(4);
  override forward(x: Tensor): Tensor {
    return torch.autocast("cpu", { dtype: torch.bfloat16 }, () => {
      const [y] = this.attention(x, x, x, { needWeights: false });
      return this.norm(x.add(y));
    });
  }
}

const HALF: Readonly<Record<string, (x: Tensor) => Tensor>> = {
  einsum: (x) => torch.einsum("ij,jk->ik", x, x),
  inner: (x) => torch.inner(x, x),
  contracted: (x) => torch.tensordot(x, x, 1),
  chained: (x) => torch.linalg.multiDot([x, x, x]),
  vector: (x) => torch.mv(x, x.at(0)),
  normed: (x) => F.layerNorm(x.matmul(x), [4], x.at(0), x.at(0)),
  attended: (x) => F.scaledDotProductAttention(x.unsqueeze(0), x.unsqueeze(0), x.unsqueeze(0)),
  powered: (x) => torch.linalg.matrixPower(x, 3),
  conv_same: (x) => F.conv1d(x.unsqueeze(0), x.unsqueeze(2), { padding: "same" }),
  joined: (x) => torch.cat([x.matmul(x), x]),
  joined_half: (x) => torch.cat([x.matmul(x), x.matmul(x)]),
  promoted: (x) => x.matmul(x).add(x),
  stacked: (x) => torch.vstack([x.matmul(x), x]),
  double: (x) => x.double().matmul(x.double()),
  trapezoid: (x) => torch.trapezoid(x.matmul(x)),
  written: (x) => x.matmul(x).add_(x),
  grouped: (x) => F.groupNorm(x.unsqueeze(0).matmul(x), 2),
  logits: (x) => F.binaryCrossEntropyWithLogits(x.matmul(x), x.sigmoid()),
  squared: (x) => F.mseLoss(x.matmul(x), x),
  distances: (x) => torch.cdist(x, x),
  prelu: (x) => torch.prelu(x.matmul(x), x.at(0, slice(null, 1))),
  spread: (x) => x.matmul(x).std(),
  bilinear: (x) => F.bilinear(x, x, x.view(1, 4, 4)),
  bilinear_biased: (x) =>
    F.bilinear(x, x, x.view(2, 2, 4).at(":", slice(null, 1)).expand(2, 4, 4), x.at(0, slice(null, 2))),
  affine_grid: (x) =>
    F.affineGrid(x.at(":", slice(null, 3)).view(2, 2, 3), [2, 1, 3, 2], { alignCorners: false }),
  affine_volume: (x) =>
    F.affineGrid(x.at(slice(null, 3)).unsqueeze(0), [1, 1, 2, 3, 2], { alignCorners: true }),
  pseudoinverse: (x) => torch.linalg.pinv(x),
  pseudoinverse_hermitian: (x) => torch.linalg.pinv(x.add(x.t()), { hermitian: true }),
  euclidean: (x) => torch.ops.aten._euclidean_dist.default(x, x.add(1)),
  joined_mixed: (x) => torch.cat([x, x.half()]),
  joined_double: (x) => torch.cat([x.double(), x.bfloat16()]),
};

/** Recurrent layers, which return several tensors. */
const RECURRENT = {
  lstm: () => new nn.LSTM(4, 3),
  lstm_deep: () => new nn.LSTM(4, 3, { numLayers: 2, bidirectional: true, batchFirst: true }),
  lstm_without_bias: () => new nn.LSTM(4, 3, { bias: false }),
  lstm_projected: () => new nn.LSTM(4, 3, { projSize: 2 }),
  gru: () => new nn.GRU(4, 3),
  gru_deep: () => new nn.GRU(4, 3, { numLayers: 2, bidirectional: true }),
  rnn: () => new nn.RNN(4, 3),
  rnn_relu: () => new nn.RNN(4, 3, { nonlinearity: "relu", batchFirst: true }),
} as const;

/** Single steps of recurrent layers. */
const STEPS = {
  lstm_cell: () => new nn.LSTMCell(4, 3),
  gru_cell: () => new nn.GRUCell(4, 3),
  rnn_tanh_cell: () => new nn.RNNCell(4, 3),
} as const;

class HalfLayer extends nn.Module {
  readonly layer: nn.AnyModule;
  constructor(layer: nn.AnyModule) {
    super();
    this.layer = layer;
  }
  override forward(x: Tensor): unknown {
    return torch.autocast("cpu", () => this.layer(x) as unknown);
  }
}

const steps = (): readonly unknown[] => [floats(3, 2, 4)];

const halfState = (x: Tensor, h: Tensor, c: Tensor, w: Tensor, v: Tensor): unknown =>
  torch.autocast("cpu", () => torch.lstm(x.bfloat16(), [h, c], [w, v], false, 1, 0, false, false, false));

const half =
  (fn: (x: Tensor) => Tensor) =>
  (x: Tensor): Tensor =>
    torch.autocast("cpu", () => fn(x));

/** Models with regions of mixed precision. */
export const AUTOCAST: Twins = {
  half_head: twin(() => new HalfHead(), square),
  half_head_strict: twin(() => new HalfHead(), square, { strict: true }),
  full_inside: twin(() => new FullInside(), square),
  nested_half: twin(() => new NestedHalf(), square),
  grad_outside: twin(() => gradOutside, square),
  grad_inside: twin(() => gradInside, square),
  several_items: twin(() => severalItems, square),
  half_items: twin(() => halfItems, square),
  several_values: twin(() => severalValues, square),
  several_values_strict: twin(() => severalValues, square, { strict: true }),
  half_lists: twin(() => new Lists(), square),
  half_sized: twin(() => sized, square, batched),
  not_half: twin(
    () => (x: Tensor) => torch.autocast("cpu", { dtype: torch.float64 }, () => x.matmul(x)),
    square,
  ),
  on_cuda: twin(() => (x: Tensor) => torch.autocast("cuda", () => x.matmul(x)), square),
  within_branch: twin(() => withinBranch, square),
  half_vision: twin(
    () => new HalfVision(),
    () => [floats(2, 2, 4, 4), integers(5, 2)],
  ),
  half_attention: twin(
    () => new HalfAttention().eval(),
    () => [floats(2, 3, 4)],
  ),
  ...Object.fromEntries(
    Object.entries(HALF).map(([name, fn]) => [`half_${name}`, twin(() => half(fn), square)]),
  ),
  ...Object.fromEntries(
    Object.entries(RECURRENT).map(([name, make]) => [
      `half_${name}`,
      twin(() => new HalfLayer(make()), steps),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(STEPS).map(([name, make]) => [`half_${name}`, twin(() => new HalfLayer(make()), square)]),
  ),
  half_lstm_dynamic: twin(() => new HalfLayer(new nn.LSTM(4, 3)), steps, {
    dynamicShapes: { x: { 1: Dim("batch") } },
  }),
  half_lstm_state: twin(
    () => halfState,
    () => [floats(1, 2, 4), floats(1, 2, 3), floats(1, 2, 3), floats(12, 4), floats(12, 3)],
  ),
};
