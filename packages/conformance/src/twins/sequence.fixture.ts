import { Dim, nn, pythonTuple, slice, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { floats, integers, type Twins, twin } from "./twin.fixture.js";

const F = nn.functional;
const batch = Dim("batch");
const batched = { dynamicShapes: { x: { 0: batch } } };

class Classifier extends nn.Module {
  readonly embed = new nn.Embedding(11, 4);
  readonly lstm = new nn.LSTM(4, 6, { batchFirst: true, bidirectional: true });
  readonly head = new nn.Linear(12, 3);
  override forward(x: Tensor): Tensor {
    const [output, [hidden]] = this.lstm(this.embed(x));
    return this.head(output.mean(1)).add(hidden.sum());
  }
}

class Unrolled extends nn.Module {
  readonly unit = new nn.GRUCell(3, 4);
  override forward(x: Tensor): Tensor {
    let state = torch.zeros(x.size(0), 4);
    const states: Tensor[] = [];
    for (let t = 0; t < x.shape[1]; t++) {
      state = this.unit(x.select(1, t), state);
      states.push(state);
    }
    return torch.stack(states, 1);
  }
}

class Units extends nn.Module {
  readonly unit = new nn.LSTMCell(3, 4);
  override forward(x: Tensor): readonly [Tensor, Tensor] {
    const zeros = torch.zeros(x.size(0), 4);
    let [h, c] = this.unit(x.at(slice(), 0), pythonTuple(zeros, zeros));
    for (const step of x.unbind(1).slice(1)) [h, c] = this.unit(step, pythonTuple(h, c));
    return pythonTuple(h, c);
  }
}

class Temporal extends nn.Module {
  readonly layers = new nn.ModuleList([1, 2, 4].map((dilation) => new nn.Conv1d(3, 3, 2, { dilation })));
  override forward(x: Tensor): Tensor {
    let y = x;
    for (const [i, conv] of this.layers.entries()) y = y.add(conv(F.pad(y, [2 ** i, 0])).relu());
    return y;
  }
}

class Forward extends nn.Module {
  readonly transitions = new nn.Parameter(torch.zeros(4, 4));
  override forward(x: Tensor): Tensor {
    const [first, ...rest] = x.unbind(1);
    return rest
      .reduce((alpha, step) => alpha.unsqueeze(2).add(this.transitions).logsumexp(1).add(step), first)
      .logsumexp(1);
  }
}

class Beam extends nn.Module {
  readonly head = new nn.Linear(4, 7);
  override forward(x: Tensor): readonly [Tensor, Tensor] {
    const best = this.head(x).logSoftmax(-1).topk(3, -1);
    return pythonTuple(best.values, best.indices);
  }
}

const extremes = (x: Tensor): Tensor => x.max(1).values.sub(x.min(1).values).add(x.median(1).values);

const sorted = (x: Tensor): Tensor => {
  const { values, indices } = x.sort(-1, true);
  return values.mul(indices.to(values.dtype)).cummax(1).values;
};

const spectrum = (x: Tensor): Tensor => {
  const [u, s, vh] = torch.linalg.svd(x.matmul(x.transpose(1, 2)));
  return s.add(u.abs().sum(-1)).add(vh.abs().sum(-1));
};

const pairs = (x: Tensor): Tensor => {
  const [a, b] = torch.meshgrid(torch.arange(3), torch.arange(2), { indexing: "ij" });
  return x.add(a.flatten().mul(b.flatten()));
};

class Recurrence extends nn.Module {
  readonly decay = new nn.Parameter(torch.zeros(4));
  override forward(x: Tensor): Tensor {
    const gate = this.decay.sigmoid();
    let state = x.select(1, 0);
    for (const step of x.unbind(1)) state = torch.lerp(step, state, gate);
    return state;
  }
}

class Gated extends nn.Module {
  readonly conv = new nn.Conv1d(3, 8, 3, { padding: "same" });
  override forward(x: Tensor): Tensor {
    const [value, gate] = this.conv(x).split(4, 1);
    return value.tanh().mul(gate.sigmoid());
  }
}

const windows = (x: Tensor): Tensor => x.unfold(1, 4, 2).mean(-1);

class Tagger extends nn.Module {
  readonly rnn = new nn.GRU(4, 5, { numLayers: 2, batchFirst: true });
  readonly head = new nn.Linear(5, 3);
  override forward(x: Tensor, lengths: Tensor): Tensor {
    const [output, last] = this.rnn(x);
    const steps = torch.arange(x.shape[1]);
    const mask = steps.unsqueeze(0).lt(lengths.unsqueeze(1));
    return this.head(output.mul(mask.unsqueeze(-1))).add(this.head(last.at(-1)).unsqueeze(1));
  }
}

export const SEQUENCE: Twins = {
  classifier: twin(
    () => new Classifier(),
    () => [integers(11, 2, 5)],
  ),
  unrolled: twin(
    () => new Unrolled(),
    () => [floats(2, 4, 3)],
    batched,
  ),
  units: twin(
    () => new Units(),
    () => [floats(2, 4, 3)],
    batched,
  ),
  temporal: twin(
    () => new Temporal(),
    () => [floats(2, 3, 6)],
    { dynamicShapes: { x: { 0: batch, 2: Dim("time") } } },
  ),
  forward_algorithm: twin(
    () => new Forward(),
    () => [floats(2, 3, 4)],
    batched,
  ),
  beam: twin(
    () => new Beam(),
    () => [floats(3, 4)],
    batched,
  ),
  extremes: twin(
    () => extremes,
    () => [floats(3, 5)],
    batched,
  ),
  sorted: twin(
    () => sorted,
    () => [floats(3, 5)],
    batched,
  ),
  spectrum: twin(
    () => spectrum,
    () => [floats(2, 3, 4)],
  ),
  pairs: twin(
    () => pairs,
    () => [floats(2, 6)],
    batched,
  ),
  recurrence: twin(
    () => new Recurrence(),
    () => [floats(2, 3, 4)],
    batched,
  ),
  gated: twin(
    () => new Gated(),
    () => [floats(2, 3, 6)],
    batched,
  ),
  windows: twin(
    () => windows,
    () => [floats(2, 8)],
    batched,
  ),
  tagger: twin(
    () => new Tagger(),
    () => [floats(2, 4, 4), torch.tensor([4, 2])],
  ),
};
