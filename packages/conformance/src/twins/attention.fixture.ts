import { Dim, float, nn, pythonTuple, slice, sym, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { floats, integers, type Twins, twin } from "./twin.fixture.js";

const F = nn.functional;
const batch = Dim("batch");
const time = Dim("time", { max: 64 });
const sequence = { dynamicShapes: { x: { 0: batch, 1: time } } };

class SelfAttention extends nn.Module {
  readonly qkv: nn.Linear;
  readonly out: nn.Linear;
  constructor(
    width: number,
    readonly heads: number,
  ) {
    super();
    this.qkv = new nn.Linear(width, 3 * width);
    this.out = new nn.Linear(width, width);
  }
  override forward(x: Tensor): Tensor {
    const [b, t] = x.size();
    const width = x.shape[2];
    const heads = (part: Tensor): Tensor => part.view(b, t, this.heads, width / this.heads).transpose(1, 2);
    const [q, k, v] = this.qkv(x).chunk(3, -1);
    const scores = heads(q)
      .matmul(heads(k).transpose(-2, -1))
      .div(float(Math.sqrt(width / this.heads)));
    return this.out(scores.softmax(-1).matmul(heads(v)).transpose(1, 2).reshape(b, t, width));
  }
}

class CrossAttention extends nn.Module {
  readonly q = new nn.Linear(8, 8, { bias: false });
  readonly kv = new nn.Linear(8, 16, { bias: false });
  override forward(x: Tensor, memory: Tensor, mask: Tensor): Tensor {
    const [k, v] = this.kv(memory).split(8, -1);
    const scores = this.q(x).matmul(k.transpose(1, 2)).mul(0.25);
    return scores.maskedFill(mask.unsqueeze(1), Number.NEGATIVE_INFINITY).softmax(-1).matmul(v);
  }
}

class Rotary extends nn.Module {
  readonly frequencies: nn.Buffer;
  constructor(width: number) {
    super();
    this.frequencies = new nn.Buffer(torch.arange(0, width, 2).float().div(-width).exp(), {
      persistent: false,
    });
  }
  override forward(x: Tensor): Tensor {
    const angles = torch.arange(x.size(1)).unsqueeze(-1).mul(this.frequencies);
    const [cos, sin] = [angles.cos(), angles.sin()];
    const [a, b] = x.chunk(2, -1);
    return torch.cat([a.mul(cos).sub(b.mul(sin)), a.mul(sin).add(b.mul(cos))], -1);
  }
}

class GroupedQuery extends nn.Module {
  readonly q = new nn.Linear(8, 8);
  readonly k = new nn.Linear(8, 4);
  readonly v = new nn.Linear(8, 4);
  override forward(x: Tensor): Tensor {
    const [b, t, width] = x.size();
    const q = this.q(x).view(b, t, 4, 2).transpose(1, 2);
    const repeated = (part: Tensor): Tensor =>
      part.view(b, t, 2, 2).transpose(1, 2).repeatInterleave(2, { dim: 1 });
    const mixed = F.scaledDotProductAttention(q, repeated(this.k(x)), repeated(this.v(x)), {
      isCausal: true,
    });
    return mixed.transpose(1, 2).reshape(b, t, width);
  }
}

class CausalBlock extends nn.Module {
  readonly norm = new nn.LayerNorm(8);
  readonly mask = new nn.Buffer(torch.tril(torch.ones(65, 65)).bool());
  readonly up = new nn.Linear(8, 16);
  readonly down = new nn.Linear(16, 8);
  override forward(x: Tensor): Tensor {
    const t = x.size(1);
    const scores = x.matmul(x.transpose(1, 2));
    const mask = this.mask.at(slice(null, t), slice(null, t));
    const mixed = scores.maskedFill(mask.logicalNot(), -1e9).softmax(-1).matmul(x);
    return x.add(this.down(F.gelu(this.up(this.norm(mixed)))));
  }
}

class RelativeBias extends nn.Module {
  readonly table = new nn.Embedding(9, 2);
  override forward(x: Tensor): Tensor {
    const length = x.shape[1];
    const steps = torch.arange(length);
    const distance = steps.unsqueeze(0).sub(steps.unsqueeze(1)).clamp(-4, 4).add(4);
    return x.unsqueeze(1).add(this.table(distance).permute(2, 0, 1).sum(-1, true).unsqueeze(0));
  }
}

class Encoder extends nn.Module {
  readonly encoder: nn.TransformerEncoder;
  constructor() {
    super();
    const layer = new nn.TransformerEncoderLayer(8, 2, 16, { batchFirst: true });
    this.encoder = new nn.TransformerEncoder(layer, 2, { norm: new nn.LayerNorm(8) });
  }
  override forward(x: Tensor): Tensor {
    return this.encoder(x);
  }
}

class Decoder extends nn.Module {
  readonly decoder: nn.TransformerDecoder;
  constructor() {
    super();
    const layer = new nn.TransformerDecoderLayer(8, 2, 16, { batchFirst: true, normFirst: true });
    this.decoder = new nn.TransformerDecoder(layer, 2, { norm: new nn.LayerNorm(8) });
  }
  override forward(x: Tensor, memory: Tensor): Tensor {
    const mask = nn.Transformer.generateSquareSubsequentMask(x.shape[1]);
    return this.decoder(x, memory, { tgtMask: mask, tgtIsCausal: true });
  }
}

class LinearAttention extends nn.Module {
  readonly qkv = new nn.Linear(6, 18);
  override forward(x: Tensor): Tensor {
    const [q, k, v] = this.qkv(x).split([6, 6, 6], -1);
    const context = torch.einsum("btd,bte->bde", F.elu(k).add(1), v);
    const scale = torch.einsum("btd,bd->bt", F.elu(q).add(1), k.sum(1));
    return torch.einsum("btd,bde->bte", q, context).div(scale.abs().add(1).unsqueeze(-1));
  }
}

class Patches extends nn.Module {
  readonly embed = new nn.Conv2d(3, 8, 4, { stride: 4 });
  readonly token = new nn.Parameter(torch.zeros(1, 1, 8));
  readonly position = new nn.Parameter(torch.ones(1, 5, 8));
  override forward(image: Tensor): Tensor {
    const patches = this.embed(image).flatten(2).transpose(1, 2);
    const token = this.token.expand(patches.size(0), -1, -1);
    return torch.cat([token, patches], 1).add(this.position);
  }
}

class Pooled extends nn.Module {
  readonly attention = new nn.MultiheadAttention(8, 2, { batchFirst: true });
  readonly query = new nn.Parameter(torch.ones(1, 1, 8));
  override forward(x: Tensor): readonly [Tensor, Tensor] {
    const query = this.query.expand(x.size(0), 1, 8);
    const [mixed, weights] = this.attention(query, x, x);
    return pythonTuple(mixed.squeeze(1), weights ?? mixed);
  }
}

const halves = (x: Tensor): Tensor => {
  const n = x.size(1);
  const half = sym.isStatic(n) ? n / 2 : sym.floorDiv(n, 2);
  return x.narrow(1, 0, half).mul(x.shape[2]);
};

type Attention = (q: Tensor, k: Tensor, v: Tensor) => Tensor;

const attend: Attention = (q, k, v) => F.scaledDotProductAttention(q, k, v);
const attendCausally: Attention = (q, k, v) => F.scaledDotProductAttention(q, k, v, { isCausal: true });
const attendScaled: Attention = (q, k, v) => F.scaledDotProductAttention(q, k, v, { scale: 0.25 });
const attendMasked = (q: Tensor, k: Tensor, v: Tensor, mask: Tensor): Tensor =>
  F.scaledDotProductAttention(q, k, v, mask);

const across = () => [floats(2, 2, 3, 4), floats(2, 2, 5, 4), floats(2, 2, 5, 4)];
const lengthsOfOne = { 0: Dim.AUTO, 2: Dim.AUTO };
const lengths = { q: lengthsOfOne, k: lengthsOfOne, v: lengthsOfOne };
const bounded = {
  q: { 2: Dim("queries") },
  k: { 2: Dim("keys", { max: 90 }) },
  v: { 2: Dim("values", { min: 3, max: 100 }) },
};

export const ATTENTION: Twins = {
  lengths: twin(() => attend, across, { dynamicShapes: lengths }),
  causal_lengths: twin(() => attendCausally, across, { dynamicShapes: lengths }),
  bounded_lengths: twin(() => attendScaled, across, { dynamicShapes: bounded }),
  masked_lengths: twin(
    () => attendMasked,
    () => [...across(), floats(2, 1, 3, 5)],
    { dynamicShapes: { ...lengths, mask: { ...lengthsOfOne, 3: Dim.AUTO } } },
  ),
  self_attention: twin(
    () => new SelfAttention(8, 2),
    () => [floats(2, 5, 8)],
    sequence,
  ),
  cross_attention: twin(
    () => new CrossAttention(),
    () => [floats(2, 3, 8), floats(2, 4, 8), integers(3, 2, 4).eq(0)],
  ),
  rotary: twin(
    () => new Rotary(8),
    () => [floats(2, 5, 8)],
    sequence,
  ),
  grouped_query: twin(
    () => new GroupedQuery(),
    () => [floats(2, 5, 8)],
    { dynamicShapes: { x: { 0: batch } } },
  ),
  causal_block: twin(
    () => new CausalBlock(),
    () => [floats(2, 5, 8)],
    sequence,
  ),
  relative_bias: twin(
    () => new RelativeBias(),
    () => [floats(2, 5, 8)],
    { dynamicShapes: { x: { 0: batch } } },
  ),
  encoder: twin(
    () => new Encoder().eval(),
    () => [floats(2, 3, 8)],
  ),
  decoder: twin(
    () => new Decoder().eval(),
    () => [floats(2, 3, 8), floats(2, 4, 8)],
  ),
  linear_attention: twin(
    () => new LinearAttention(),
    () => [floats(2, 5, 6)],
    sequence,
  ),
  patches: twin(
    () => new Patches(),
    () => [floats(2, 3, 8, 8)],
    { dynamicShapes: { image: { 0: batch } } },
  ),
  pooled: twin(
    () => new Pooled().eval(),
    () => [floats(2, 5, 8)],
  ),
  halves: twin(
    () => halves,
    () => [floats(2, 6, 4)],
    { dynamicShapes: { x: { 1: Dim("even").mul(2) } } },
  ),
};
