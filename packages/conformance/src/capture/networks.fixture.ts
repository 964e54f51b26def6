/** @file Small networks of the well-known kinds: `networks.py` in TypeScript. */
import { callOperator, Dim, float, nn, sym, torch, tuple } from "@sconce/capture";
import { dtypeLiteral } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import type { CorpusModels } from "./harness.fixture.js";
import { Bert, GPT, Llama, VisionTransformer } from "./transformers.fixture.js";

const F = nn.functional;

const hidden = () => [new nn.Linear(12, 24), new nn.ReLU(), new nn.LayerNorm(24), new nn.Dropout(0.1)];
const output = () => [new nn.Linear(24, 24), new nn.GELU(), new nn.Linear(24, 5)];

class MLP extends nn.Module {
  readonly net = new nn.Sequential(...hidden(), ...output());

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

class Residual extends nn.moduleOf((cin: number, cout: number, stride: number) => ({
  conv1: new nn.Conv2d(cin, cout, 3, stride, 1, { bias: false }),
  bn1: new nn.BatchNorm2d(cout),
  conv2: new nn.Conv2d(cout, cout, 3, 1, 1, { bias: false }),
  bn2: new nn.BatchNorm2d(cout),
  short:
    stride !== 1 || cin !== cout
      ? new nn.Sequential(new nn.Conv2d(cin, cout, 1, stride, { bias: false }), new nn.BatchNorm2d(cout))
      : null,
})) {
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

class SqueezeExcite extends nn.moduleOf((c: number) => ({
  down: new nn.Conv2d(c, Math.floor(c / 4), 1),
  up: new nn.Conv2d(Math.floor(c / 4), c, 1),
})) {
  override forward(x: Tensor): Tensor {
    const s = x.mean([2, 3], true);
    return x.mul(F.hardsigmoid(this.up(F.relu(this.down(s)))));
  }
}

const normed = (cin: number, cout: number, size: number, padding = 0, groups = 1) =>
  [new nn.Conv2d(cin, cout, size, { padding, groups, bias: false }), new nn.BatchNorm2d(cout)] as const;

class InvertedResidual extends nn.moduleOf((c: number, expand: number, h = c * expand) => ({
  expand: new nn.Sequential(...normed(c, h, 1), new nn.Hardswish()),
  depth: new nn.Sequential(...normed(h, h, 3, 1, h), new nn.Hardswish()),
  se: new SqueezeExcite(h),
  project: new nn.Sequential(...normed(h, c, 1)),
})) {
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

class ConvNextBlock extends nn.moduleOf((c: number) => ({
  depth: new nn.Conv2d(c, c, 7, { padding: 3, groups: c }),
  norm: new nn.LayerNorm(c, { eps: 1e-6 }),
  fc1: new nn.Linear(c, 4 * c),
  fc2: new nn.Linear(4 * c, c),
  gamma: new nn.Parameter(torch.full([c, 1, 1], 0.5)),
})) {
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

const frequencies = (half: number): Tensor => torch.exp(torch.arange(half).mul(-Math.log(10000)).div(half));

class TimeEmbedding extends nn.moduleOf((dim: number) => ({
  freqs: new nn.Buffer(frequencies(Math.floor(dim / 2)), { persistent: false }),
  fc: new nn.Sequential(new nn.Linear(dim, dim), new nn.SiLU(), new nn.Linear(dim, dim)),
})) {
  override forward(t: Tensor): Tensor {
    const angles = t.at(":", null).float().mul(this.freqs.at(null));
    return this.fc(torch.cat([angles.cos(), angles.sin()], -1));
  }
}

class DiffusionBlock extends nn.moduleOf((c = 8, t = 12) => ({
  time: new TimeEmbedding(t),
  norm1: new nn.GroupNorm(2, c),
  conv1: new nn.Conv2d(c, c, 3, { padding: 1 }),
  proj: new nn.Linear(t, 2 * c),
  norm2: new nn.GroupNorm(2, c),
  conv2: new nn.Conv2d(c, c, 3, { padding: 1 }),
  qkv: new nn.Conv2d(c, 3 * c, 1),
})) {
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

class Recurrent extends nn.moduleOf((kind: "LSTM" | "GRU", options: { bidirectional?: boolean } = {}) => ({
  rnn: new nn[kind](3, 4, { batchFirst: true, ...options }) as nn.LSTM | nn.GRU,
  head: new nn.Linear(options.bidirectional ? 8 : 4, 2),
})) {
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

const scaleOf = (weight: Tensor): Tensor => weight.abs().amax(1, true).div(127);

class QuantDequant extends nn.moduleOf((weight = torch.randn(6, 8)) => ({
  weight: new nn.Buffer(torch.clamp(torch.round(weight.div(scaleOf(weight))), -128, 127).to("int8")),
  scale: new nn.Buffer(scaleOf(weight)),
  zero: new nn.Buffer(torch.tensor([3], { dtype: "int32" })),
})) {
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
    const a = call("quantize_per_tensor", x, 0.02, 10);
    const b = call("dequantize_per_tensor", a, 0.02, 10);
    const c = call("quantize_per_channel", x, torch.tensor([0.1, 0.2]), torch.tensor([0, 1]), 0);
    const d = call("dequantize_per_channel", c, torch.tensor([0.1, 0.2]), torch.tensor([0, 1]), 0);
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

const upsample = (cin: number, cout: number) => new nn.ConvTranspose1d(cin, cout, 4, 2, 1);

class Autoencoder extends nn.moduleOf(() => ({
  enc: new nn.Sequential(new nn.Conv1d(1, 4, 3, 2, 1), new nn.PReLU(), new nn.Conv1d(4, 6, 3, 2, 1)),
  dec: new nn.Sequential(upsample(6, 4), new nn.SELU(), upsample(4, 1)),
  codes: new nn.Parameter(torch.randn(5, 6)),
})) {
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
