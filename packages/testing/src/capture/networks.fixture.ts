/** @file Small networks of the well-known kinds: `networks.py` in TypeScript. */
import { callOperator, Dim, float, nn, type Size, slice, sym, torch, tuple } from "@sconce/capture";
import { dtypeLiteral } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import type { CorpusModels } from "./harness.fixture.js";

const F = nn.functional;

class MLP extends nn.Module {
  readonly net = new nn.Sequential(
    new nn.Linear(12, 24),
    new nn.ReLU(),
    new nn.LayerNorm(24),
    new nn.Dropout(0.1),
    new nn.Linear(24, 24),
    new nn.GELU(),
    new nn.Linear(24, 5),
  );

  override forward(x: Tensor): Tensor {
    return F.softmax(this.net(x), -1);
  }
}

class LinearRegression extends nn.Module {
  readonly linear = new nn.Linear(4, 1);

  override forward(x: Tensor, y: Tensor): Tensor {
    return F.mseLoss(this.linear(x).squeeze(-1), y);
  }
}

class Residual extends nn.Module {
  readonly conv1: nn.Conv2d;
  readonly bn1: nn.BatchNorm2d;
  readonly conv2: nn.Conv2d;
  readonly bn2: nn.BatchNorm2d;
  readonly short: nn.Sequential | null = null;

  constructor(cin: number, cout: number, stride: number) {
    super();
    this.conv1 = new nn.Conv2d(cin, cout, 3, stride, 1, { bias: false });
    this.bn1 = new nn.BatchNorm2d(cout);
    this.conv2 = new nn.Conv2d(cout, cout, 3, 1, 1, { bias: false });
    this.bn2 = new nn.BatchNorm2d(cout);
    if (stride !== 1 || cin !== cout)
      this.short = new nn.Sequential(
        new nn.Conv2d(cin, cout, 1, stride, { bias: false }),
        new nn.BatchNorm2d(cout),
      );
  }

  override forward(x: Tensor): Tensor {
    let y = F.relu(this.bn1(this.conv1(x)), { inplace: true });
    y = this.bn2(this.conv2(y));
    y.add_(this.short === null ? x : this.short(x));
    return F.relu(y);
  }
}

class ResidualNet extends nn.Module {
  readonly stem = new nn.Sequential(
    new nn.Conv2d(3, 8, 3, 2, 1, { bias: false }),
    new nn.BatchNorm2d(8),
    new nn.ReLU({ inplace: true }),
    new nn.MaxPool2d(3, 2, 1),
  );
  readonly stages = new nn.Sequential(new Residual(8, 8, 1), new Residual(8, 12, 2));
  readonly pool = new nn.AdaptiveAvgPool2d([1, 1]);
  readonly head = new nn.Linear(12, 10);

  override forward(x: Tensor): Tensor {
    x = this.stages(this.stem(x));
    return this.head(torch.flatten(this.pool(x), 1));
  }
}

class SqueezeExcite extends nn.Module {
  readonly down: nn.Conv2d;
  readonly up: nn.Conv2d;

  constructor(c: number) {
    super();
    this.down = new nn.Conv2d(c, Math.floor(c / 4), 1);
    this.up = new nn.Conv2d(Math.floor(c / 4), c, 1);
  }

  override forward(x: Tensor): Tensor {
    const s = x.mean([2, 3], true);
    return x.mul(F.hardsigmoid(this.up(F.relu(this.down(s)))));
  }
}

class InvertedResidual extends nn.Module {
  readonly expand: nn.Sequential;
  readonly depth: nn.Sequential;
  readonly se: SqueezeExcite;
  readonly project: nn.Sequential;

  constructor(c: number, expand: number) {
    super();
    const h = c * expand;
    const bias = false;
    this.expand = new nn.Sequential(
      new nn.Conv2d(c, h, 1, { bias }),
      new nn.BatchNorm2d(h),
      new nn.Hardswish(),
    );
    this.depth = new nn.Sequential(
      new nn.Conv2d(h, h, 3, { padding: 1, groups: h, bias }),
      new nn.BatchNorm2d(h),
      new nn.Hardswish(),
    );
    this.se = new SqueezeExcite(h);
    this.project = new nn.Sequential(new nn.Conv2d(h, c, 1, { bias }), new nn.BatchNorm2d(c));
  }

  override forward(x: Tensor): Tensor {
    return x.add(this.project(this.se(this.depth(this.expand(x)))));
  }
}

const mobilenet = (): nn.Module =>
  new nn.Sequential(
    new nn.Conv2d(3, 8, 3, 2, 1),
    new nn.ReLU6(),
    new InvertedResidual(8, 2),
    new nn.AdaptiveAvgPool2d(1),
    new nn.Flatten(),
    new nn.Linear(8, 4),
  );

class ConvNextBlock extends nn.Module {
  readonly depth: nn.Conv2d;
  readonly norm: nn.LayerNorm;
  readonly fc1: nn.Linear;
  readonly fc2: nn.Linear;
  readonly gamma: nn.Parameter;

  constructor(c: number) {
    super();
    this.depth = new nn.Conv2d(c, c, 7, { padding: 3, groups: c });
    this.norm = new nn.LayerNorm(c, { eps: 1e-6 });
    this.fc1 = new nn.Linear(c, 4 * c);
    this.fc2 = new nn.Linear(4 * c, c);
    this.gamma = new nn.Parameter(torch.full([c, 1, 1], 0.5));
  }

  override forward(x: Tensor): Tensor {
    let y = this.depth(x).permute(0, 2, 3, 1);
    y = this.fc2(F.gelu(this.fc1(this.norm(y)))).permute(0, 3, 1, 2);
    return x.add(this.gamma.mul(y));
  }
}

class UNet extends nn.Module {
  readonly enc1 = new nn.Sequential(new nn.Conv2d(1, 4, 3, { padding: 1 }), new nn.LeakyReLU(0.1));
  readonly enc2 = new nn.Sequential(new nn.Conv2d(4, 8, 3, { padding: 1 }), new nn.LeakyReLU(0.1));
  readonly mid = new nn.Conv2d(8, 8, 3, { padding: 1 });
  readonly up2 = new nn.ConvTranspose2d(8, 8, 2, 2);
  readonly dec2 = new nn.Conv2d(16, 4, 3, { padding: 1 });
  readonly up1 = new nn.Upsample({ scaleFactor: 2, mode: "bilinear", alignCorners: false });
  readonly dec1 = new nn.Conv2d(8, 2, 3, { padding: 1 });

  override forward(x: Tensor): Tensor {
    const a = this.enc1(x);
    const b = this.enc2(F.maxPool2d(a, 2));
    const c = torch.tanh(this.mid(F.avgPool2d(b, 2)));
    const d = F.elu(this.dec2(torch.cat([this.up2(c), b], 1)));
    return F.logSoftmax(this.dec1(torch.cat([this.up1(d), a], 1)), 1);
  }
}

class TimeEmbedding extends nn.Module {
  readonly freqs: nn.Buffer;
  readonly fc: nn.Sequential;

  constructor(dim: number) {
    super();
    const half = Math.floor(dim / 2);
    const freqs = torch.exp(torch.arange(half).mul(-Math.log(10000)).div(half));
    this.freqs = new nn.Buffer(freqs, { persistent: false });
    this.fc = new nn.Sequential(new nn.Linear(dim, dim), new nn.SiLU(), new nn.Linear(dim, dim));
  }

  override forward(t: Tensor): Tensor {
    const angles = t.at(":", null).float().mul(this.freqs.at(null));
    return this.fc(torch.cat([angles.cos(), angles.sin()], -1));
  }
}

class DiffusionBlock extends nn.Module {
  readonly time: TimeEmbedding;
  readonly norm1: nn.GroupNorm;
  readonly conv1: nn.Conv2d;
  readonly proj: nn.Linear;
  readonly norm2: nn.GroupNorm;
  readonly conv2: nn.Conv2d;
  readonly qkv: nn.Conv2d;

  constructor(c = 8, t = 12) {
    super();
    this.time = new TimeEmbedding(t);
    this.norm1 = new nn.GroupNorm(2, c);
    this.conv1 = new nn.Conv2d(c, c, 3, { padding: 1 });
    this.proj = new nn.Linear(t, 2 * c);
    this.norm2 = new nn.GroupNorm(2, c);
    this.conv2 = new nn.Conv2d(c, c, 3, { padding: 1 });
    this.qkv = new nn.Conv2d(c, 3 * c, 1);
  }

  override forward(x: Tensor, t: Tensor): Tensor {
    const [scale, shift] = this.proj(F.silu(this.time(t)))
      .at(":", ":", null, null)
      .chunk(2, 1);
    let h = this.conv1(F.silu(this.norm1(x)));
    h = this.conv2(F.silu(this.norm2(h).mul(scale!.add(1)).add(shift!))).add(x);
    const [b, c, hh, ww] = [h.size(0), h.size(1), h.size(2), h.size(3)];
    const [q, k, v] = this.qkv(h).reshape(b, 3, c, sym.mul(hh, ww)).unbind(1);
    const att = torch.softmax(torch.einsum("bci,bcj->bij", q!, k!).mul(sym.sqrt(sym.trueDiv(1, c))), -1);
    h = h.add(torch.einsum("bij,bcj->bci", att, v!).reshape(b, c, hh, ww));
    return F.interpolate(h, { scaleFactor: 2, mode: "nearest" });
  }
}

class Attention extends nn.Module {
  readonly heads: number;
  readonly causal: boolean;
  readonly qkv: nn.Linear;
  readonly out: nn.Linear;

  constructor(dim: number, heads: number, causal = false) {
    super();
    this.heads = heads;
    this.causal = causal;
    this.qkv = new nn.Linear(dim, 3 * dim);
    this.out = new nn.Linear(dim, dim);
  }

  override forward(x: Tensor, mask: Tensor | null = null): Tensor {
    const [b, t, c] = [x.size(0), x.size(1), x.size(2)];
    const size = sym.floorDiv(c, this.heads);
    const split = (z: Tensor): Tensor => z.view(b, t, this.heads, size).transpose(1, 2);
    const [q, k, v] = this.qkv(x).split(c, 2).map(split);
    const y = F.scaledDotProductAttention(q!, k!, v!, { attnMask: mask, isCausal: this.causal });
    return this.out(y.transpose(1, 2).reshape(b, t, c));
  }
}

class Block extends nn.Module {
  readonly ln1: nn.LayerNorm;
  readonly ln2: nn.LayerNorm;
  readonly attn: Attention;
  readonly up: nn.Linear;
  readonly down: nn.Linear;
  readonly act: string;

  constructor(dim: number, heads: number, causal = false, act = "none") {
    super();
    this.ln1 = new nn.LayerNorm(dim);
    this.ln2 = new nn.LayerNorm(dim);
    this.attn = new Attention(dim, heads, causal);
    this.up = new nn.Linear(dim, 4 * dim);
    this.down = new nn.Linear(4 * dim, dim);
    this.act = act;
  }

  override forward(x: Tensor, mask: Tensor | null = null): Tensor {
    x = x.add(this.attn(this.ln1(x), mask));
    return x.add(this.down(F.gelu(this.up(this.ln2(x)), { approximate: this.act })));
  }
}

class VisionTransformer extends nn.Module {
  readonly patch: nn.Conv2d;
  readonly cls: nn.Parameter;
  readonly pos: nn.Parameter;
  readonly block: Block;
  readonly norm: nn.LayerNorm;
  readonly head: nn.Linear;

  constructor(dim = 16) {
    super();
    this.patch = new nn.Conv2d(3, dim, 4, 4);
    this.cls = new nn.Parameter(torch.randn(1, 1, dim));
    this.pos = new nn.Parameter(torch.randn(1, 10, dim).mul(0.1));
    this.block = new Block(dim, 2);
    this.norm = new nn.LayerNorm(dim);
    this.head = new nn.Linear(dim, 5);
  }

  override forward(x: Tensor): Tensor {
    x = this.patch(x).flatten(2).transpose(1, 2);
    x = torch.cat([this.cls.expand(x.size(0), -1, -1), x], 1).add(this.pos);
    return this.head(this.norm(this.block(x)).at(":", 0));
  }
}

class GPT extends nn.Module {
  readonly tok: nn.Embedding;
  readonly pos: nn.Embedding;
  readonly blocks: nn.ModuleList<Block>;
  readonly norm: nn.LayerNorm;
  readonly head: nn.Linear;

  constructor(vocab = 40, dim = 16, length = 32) {
    super();
    this.tok = new nn.Embedding(vocab, dim);
    this.pos = new nn.Embedding(length, dim);
    this.blocks = new nn.ModuleList([new Block(dim, 2, true, "tanh")]);
    this.norm = new nn.LayerNorm(dim);
    this.head = new nn.Linear(dim, vocab, { bias: false });
    this.head.weight = this.tok.weight;
  }

  override forward(ids: Tensor): Tensor {
    const t = ids.size(1);
    let x = this.tok(ids).add(this.pos(torch.arange(t, { device: "cpu" })));
    for (const block of this.blocks) x = block(x);
    return this.head(this.norm(x));
  }
}

interface BertInputs {
  readonly input_ids: Tensor;
  readonly attention_mask: Tensor;
  readonly token_type_ids: Tensor;
}

class Bert extends nn.Module {
  readonly word: nn.Embedding;
  readonly kind: nn.Embedding;
  readonly pos: nn.Embedding;
  readonly position_ids = new nn.Buffer(torch.arange(16).unsqueeze(0), { persistent: false });
  readonly norm: nn.LayerNorm;
  readonly q: nn.Linear;
  readonly k: nn.Linear;
  readonly v: nn.Linear;
  readonly o: nn.Linear;
  readonly ln1: nn.LayerNorm;
  readonly ln2: nn.LayerNorm;
  readonly up: nn.Linear;
  readonly down: nn.Linear;
  readonly pool: nn.Linear;

  constructor(vocab = 30, dim = 16) {
    super();
    const square = (): nn.Linear => new nn.Linear(dim, dim);
    this.word = new nn.Embedding(vocab, dim, { paddingIdx: 0 });
    this.kind = new nn.Embedding(2, dim);
    this.pos = new nn.Embedding(16, dim);
    this.norm = new nn.LayerNorm(dim, { eps: 1e-12 });
    [this.q, this.k, this.v, this.o] = [square(), square(), square(), square()];
    [this.ln1, this.ln2] = [new nn.LayerNorm(dim), new nn.LayerNorm(dim)];
    [this.up, this.down] = [new nn.Linear(dim, 32), new nn.Linear(32, dim)];
    this.pool = square();
  }

  override forward({ input_ids, attention_mask, token_type_ids }: BertInputs): unknown {
    const [b, t] = [input_ids.size(0), input_ids.size(1)];
    const words = this.word(input_ids).add(this.kind(token_type_ids));
    let x = this.norm(words.add(this.pos(this.position_ids.at(":", slice(t)))));
    const kept = attention_mask.at(":", null, null, ":").to(x.dtype);
    const bias = torch.rsub(kept, float(1)).mul(float(-3.4028234663852886e38));
    const heads = (z: Tensor): Tensor => z.view(b, t, 2, -1).permute(0, 2, 1, 3);
    const [q, k, v] = [heads(this.q(x)), heads(this.k(x)), heads(this.v(x))];
    const weights = F.softmax(q.matmul(k.transpose(-1, -2)).div(Math.sqrt(8)).add(bias), -1);
    const y = weights.matmul(v).permute(0, 2, 1, 3).contiguous().view(b, t, -1);
    x = this.ln1(x.add(this.o(y)));
    x = this.ln2(x.add(this.down(F.gelu(this.up(x)))));
    return { last_hidden_state: x, pooler_output: torch.tanh(this.pool(x.at(":", 0))) };
  }
}

class RMSNorm extends nn.Module {
  readonly weight: nn.Parameter;

  constructor(dim: number) {
    super();
    this.weight = new nn.Parameter(torch.ones(dim));
  }

  override forward(x: Tensor): Tensor {
    const y = x.float();
    return y
      .mul(torch.rsqrt(y.pow(2).mean(-1, true).add(1e-6)))
      .to(x.dtype)
      .mul(this.weight);
  }
}

class Llama extends nn.Module {
  readonly heads: number;
  readonly kv: number;
  readonly width: number;
  readonly embed: nn.Embedding;
  readonly q: nn.Linear;
  readonly k: nn.Linear;
  readonly v: nn.Linear;
  readonly o: nn.Linear;
  readonly gate: nn.Linear;
  readonly up: nn.Linear;
  readonly down: nn.Linear;
  readonly n1: RMSNorm;
  readonly n2: RMSNorm;
  readonly n3: RMSNorm;
  readonly head: nn.Linear;
  readonly inv_freq: nn.Buffer;
  readonly k_cache: nn.Buffer;
  readonly v_cache: nn.Buffer;

  constructor(vocab = 40, dim = 16, heads = 4, kv = 2, length = 16, batch = 1) {
    super();
    const linear = (from: number, to: number) => new nn.Linear(from, to, { bias: false });
    [this.heads, this.kv, this.width] = [heads, kv, Math.floor(dim / heads)];
    this.embed = new nn.Embedding(vocab, dim);
    this.q = linear(dim, dim);
    [this.k, this.v] = [linear(dim, kv * this.width), linear(dim, kv * this.width)];
    this.o = linear(dim, dim);
    [this.gate, this.up, this.down] = [linear(dim, 24), linear(dim, 24), linear(24, dim)];
    [this.n1, this.n2, this.n3] = [new RMSNorm(dim), new RMSNorm(dim), new RMSNorm(dim)];
    this.head = linear(dim, vocab);
    const powers = torch.arange(0, this.width, 2).float().div(this.width);
    this.inv_freq = new nn.Buffer(torch.pow(10000, powers).reciprocal(), { persistent: false });
    const cache = () => new nn.Buffer(torch.zeros(batch, kv, length, this.width), { persistent: false });
    [this.k_cache, this.v_cache] = [cache(), cache()];
  }

  rotate(x: Tensor, cos: Tensor, sin: Tensor): Tensor {
    const [a, b] = x.chunk(2, -1);
    return x.mul(cos).add(torch.cat([b!.neg(), a!], -1).mul(sin));
  }

  override forward(ids: Tensor, pos: Tensor): Tensor {
    const [b, t] = [ids.size(0), ids.size(1)];
    let x = this.embed(ids);
    const angles = pos.at(":", null).float().mul(this.inv_freq);
    const emb = torch.cat([angles, angles], -1);
    const [cos, sin] = [emb.cos(), emb.sin()];
    let h = this.n1(x);
    const split = (z: Tensor, n: Size): Tensor => z.view(b, t, n, this.width).transpose(1, 2);
    const q = this.rotate(split(this.q(h), this.heads), cos, sin);
    const k = this.rotate(split(this.k(h), this.kv), cos, sin);
    const v = split(this.v(h), this.kv);
    this.k_cache.indexCopy_(2, pos, k);
    this.v_cache.indexCopy_(2, pos, v);
    const groups = Math.floor(this.heads / this.kv);
    const keys = this.k_cache.repeatInterleave(groups, 1);
    const values = this.v_cache.repeatInterleave(groups, 1);
    const mask = torch.arange(keys.size(2)).at(null, ":").le(pos.at(":", null));
    const y = F.scaledDotProductAttention(q, keys, values, { attnMask: mask });
    x = x.add(this.o(y.transpose(1, 2).reshape(b, t, -1)));
    h = this.n2(x);
    x = x.add(this.down(F.silu(this.gate(h)).mul(this.up(h))));
    return this.head(this.n3(x)).at(":", -1);
  }
}

class Recurrent extends nn.Module {
  readonly rnn: nn.LSTM | nn.GRU;
  readonly head: nn.Linear;

  constructor(kind: "LSTM" | "GRU", options: { readonly bidirectional?: boolean } = {}) {
    super();
    this.rnn = new nn[kind](3, 4, { batchFirst: true, ...options });
    this.head = new nn.Linear(options.bidirectional ? 8 : 4, 2);
  }

  override forward(x: Tensor): unknown {
    const [out, state] = this.rnn(x);
    return tuple(this.head(out.at(":", -1)), state);
  }
}

class CellLoop extends nn.Module {
  readonly cell = new nn.LSTMCell(3, 4);

  override forward(xs: Tensor): unknown {
    let h = xs.newZeros(xs.size(1), 4);
    let c = torch.zerosLike(h);
    for (const x of xs.unbind(0)) [h, c] = this.cell(x, [h, c]);
    return tuple(h, c);
  }
}

class Recommender extends nn.Module {
  readonly bag = new nn.EmbeddingBag(20, 6, { mode: "sum" });
  readonly mean_bag = new nn.EmbeddingBag(10, 6, { mode: "mean" });
  readonly bottom = new nn.Sequential(new nn.Linear(4, 6), new nn.ReLU());
  readonly top = new nn.Sequential(new nn.Linear(6 + 3, 4), new nn.ReLU(), new nn.Linear(4, 1));

  override forward(dense: Tensor, ids: Tensor, offsets: Tensor, more_ids: Tensor): Tensor {
    const d = this.bottom(dense);
    const features = torch.stack([d, this.bag(ids, offsets), this.mean_bag(more_ids)], 1);
    const products = torch.bmm(features, features.transpose(1, 2));
    const [i, j] = torch.trilIndices(3, 3, { offset: -1 }).unbind();
    return torch.sigmoid(this.top(torch.cat([d, products.at(":", i!, j!)], 1))).squeeze(1);
  }
}

class QuantDequant extends nn.Module {
  readonly weight: nn.Buffer;
  readonly scale: nn.Buffer;
  readonly zero = new nn.Buffer(torch.tensor([3], { dtype: "int32" }));

  constructor() {
    super();
    const weight = torch.randn(6, 8);
    const scale = weight.abs().amax(1, true).div(127);
    this.weight = new nn.Buffer(torch.clamp(torch.round(weight.div(scale)), -128, 127).to("int8"));
    this.scale = new nn.Buffer(scale);
  }

  override forward(x: Tensor): unknown {
    const s = x.abs().amax(-1, true).clamp({ min: 1e-5 }).div(float(127));
    const q = torch.clamp(torch.round(x.div(s)), -128, 127).to("int8");
    const acc = torch.matmul(q.to("int32"), this.weight.t().to("int32"));
    const y = acc.to("float32").mul(s).mul(this.scale.t());
    const u = torch.clamp(torch.round(y.div(0.05)).add(this.zero), 0, 255).to("uint8");
    const shifted = callOperator("aten.__rshift__.Scalar", [u.to("int32"), 4]) as Tensor;
    const packed = shifted.bitwiseAnd(15).to("uint8");
    return tuple(u.to("int32").sub(this.zero).to("float32").mul(0.05), packed);
  }
}

class FakeQuant extends nn.Module {
  override forward(x: Tensor): unknown {
    const call = (name: string, ...args: Parameters<typeof callOperator>[1]) =>
      callOperator(`quantized_decomposed.${name}.default`, [...args, -128, 127, dtypeLiteral("int8")]);
    const scales = () => torch.tensor([0.1, 0.2]);
    const zeros = () => torch.tensor([0, 1]);
    const a = call("quantize_per_tensor", x, 0.02, 10);
    const b = call("dequantize_per_tensor", a, 0.02, 10);
    const c = call("quantize_per_channel", x, scales(), zeros(), 0);
    const d = call("dequantize_per_channel", c, scales(), zeros(), 0);
    return tuple(a, b, c, d, torch.fakeQuantizePerTensorAffine(x, 0.1, 0, -128, 127));
  }
}

class GraphConvolution extends nn.Module {
  readonly fc = new nn.Linear(4, 4);

  override forward(x: Tensor, edges: Tensor): Tensor {
    const [src, dst] = [edges.at(0), edges.at(1)];
    const counts = torch.zeros(x.size(0)).indexAdd_(0, dst, torch.ones(dst.size(0)));
    const degree = counts.clamp({ min: 1 });
    const gathered = torch.zerosLike(x).indexAdd(0, dst, this.fc(x).at(src));
    return F.elu(gathered.div(degree.at(":", null)));
  }
}

class Autoencoder extends nn.Module {
  readonly enc = new nn.Sequential(
    new nn.Conv1d(1, 4, 3, 2, 1),
    new nn.PReLU(),
    new nn.Conv1d(4, 6, 3, 2, 1),
  );
  readonly dec = new nn.Sequential(
    new nn.ConvTranspose1d(6, 4, 4, 2, 1),
    new nn.SELU(),
    new nn.ConvTranspose1d(4, 1, 4, 2, 1),
  );
  readonly codes = new nn.Parameter(torch.randn(5, 6));

  override forward(x: Tensor): unknown {
    let z = this.enc(x).transpose(1, 2);
    const distance = torch.cdist(z, this.codes.at(null).expand(z.size(0), -1, -1));
    const index = distance.argmin(-1);
    const quantized = F.embedding(index, this.codes);
    z = z.add(quantized.sub(z).detach());
    return tuple(this.dec(z.transpose(1, 2)), index);
  }
}

class DigitsNet extends nn.Module {
  readonly conv1 = new nn.Conv2d(1, 12, 3, { padding: 1, bias: false });
  readonly bn1 = new nn.BatchNorm2d(12);
  readonly conv2 = new nn.Conv2d(12, 24, 3, { padding: 1, bias: false });
  readonly bn2 = new nn.BatchNorm2d(24);
  readonly drop = new nn.Dropout(0.25);
  readonly fc1 = new nn.Linear(24 * 4, 48);
  readonly fc2 = new nn.Linear(48, 10);

  override forward(image: Tensor): Tensor {
    let x = F.relu(this.bn1(this.conv1(image.div(float(16)))));
    x = F.maxPool2d(x, 2);
    x = F.relu(this.bn2(this.conv2(x)));
    x = F.maxPool2d(x, 2);
    x = this.drop(torch.flatten(x, 1));
    return this.fc2(F.relu(this.fc1(x)));
  }
}

/** Networks whose sizes are all static. */
export const STATIC_NETWORKS: CorpusModels = {
  net_mlp_train: () => ({ model: new MLP() }),
  net_regression_loss: () => ({ model: new LinearRegression() }),
  net_resnet_train: () => ({ model: new ResidualNet() }),
  net_mobilenet: () => ({ model: mobilenet().eval() }),
  net_convnext: () => ({
    model: new nn.Sequential(new nn.Conv2d(3, 6, 2, 2), new ConvNextBlock(6)).eval(),
  }),
  net_unet: () => ({ model: new UNet().eval() }),
  net_llama_decode: () => ({ model: new Llama().eval() }),
  net_lstm: () => ({ model: new Recurrent("LSTM") }),
  net_lstm_bidirectional: () => ({ model: new Recurrent("LSTM", { bidirectional: true }) }),
  net_gru: () => ({ model: new Recurrent("GRU") }),
  net_recommender: () => ({ model: new Recommender().eval() }),
  net_quantized: () => ({ model: new QuantDequant() }),
  net_quantized_decomposed: () => ({ model: new FakeQuant() }),
  net_autoencoder: () => ({ model: new Autoencoder().eval() }),
};

/** Networks whose sizes are dynamic. */
export const DYNAMIC_NETWORKS: CorpusModels = {
  net_mlp: () => ({
    model: new MLP().eval(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("batch", { max: 256 }) } } }),
  }),
  net_resnet: () => ({
    model: new ResidualNet().eval(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("batch") } } }),
  }),
  net_diffusion: () => ({
    model: new DiffusionBlock().eval(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("b") }, t: { 0: Dim("b") } } }),
  }),
  net_vit: () => ({
    model: new VisionTransformer().eval(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("batch") } } }),
  }),
  net_gpt: () => ({
    model: new GPT().eval(),
    options: () => ({ dynamicShapes: { ids: { 0: Dim("batch"), 1: Dim("seq", { max: 32 }) } } }),
  }),
  net_bert: () => {
    const sizes = { 0: Dim("b"), 1: Dim("t", { max: 16 }) };
    return {
      model: new Bert().eval(),
      args: () => [],
      options: ([input_ids, attention_mask, token_type_ids]) => ({
        kwargs: { input_ids, attention_mask, token_type_ids },
        dynamicShapes: { input_ids: sizes, attention_mask: sizes, token_type_ids: sizes },
      }),
    };
  },
  net_llama_prefill: () => {
    const seq = Dim("seq", { min: 2, max: 16 });
    return {
      model: new Llama().eval(),
      options: () => ({ dynamicShapes: { ids: { 1: seq }, pos: { 0: seq } } }),
    };
  },
  net_lstm_cell: () => ({
    model: new CellLoop(),
    options: () => ({ dynamicShapes: { xs: { 1: Dim("b") } } }),
  }),
  net_graph: () => ({
    model: new GraphConvolution(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("nodes") }, edges: { 1: Dim("edges") } } }),
  }),
  digits: () => ({
    model: new DigitsNet().eval(),
    options: () => ({ dynamicShapes: { image: { 0: Dim("batch") } } }),
  }),
};
