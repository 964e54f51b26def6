/**
 * @file Networks at their real sizes: `packages/testing/oracle/full_size.py` in TypeScript.
 */
import { Dim, type DynamicShapes, nn, sym, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";

const F = nn.functional;

const shortcut = (cin: number, cout: number, stride: number): nn.Sequential | null =>
  stride === 1 && cin === cout
    ? null
    : new nn.Sequential(new nn.Conv2d(cin, cout, 1, stride, { bias: false }), new nn.BatchNorm2d(cout));

class BasicBlock extends nn.Module {
  readonly conv1: nn.Conv2d;
  readonly bn1: nn.BatchNorm2d;
  readonly conv2: nn.Conv2d;
  readonly bn2: nn.BatchNorm2d;
  readonly downsample: nn.Sequential | null;

  constructor(cin: number, width: number, stride: number) {
    super();
    this.conv1 = new nn.Conv2d(cin, width, 3, stride, 1, { bias: false });
    this.bn1 = new nn.BatchNorm2d(width);
    this.conv2 = new nn.Conv2d(width, width, 3, 1, 1, { bias: false });
    this.bn2 = new nn.BatchNorm2d(width);
    this.downsample = shortcut(cin, width, stride);
  }

  override forward(x: Tensor): Tensor {
    let y = F.relu(this.bn1(this.conv1(x)), { inplace: true });
    y = this.bn2(this.conv2(y));
    y.add_(this.downsample === null ? x : this.downsample(x));
    return F.relu(y, { inplace: true });
  }
}

class Bottleneck extends nn.Module {
  readonly conv1: nn.Conv2d;
  readonly bn1: nn.BatchNorm2d;
  readonly conv2: nn.Conv2d;
  readonly bn2: nn.BatchNorm2d;
  readonly conv3: nn.Conv2d;
  readonly bn3: nn.BatchNorm2d;
  readonly downsample: nn.Sequential | null;

  constructor(cin: number, width: number, stride: number) {
    super();
    this.conv1 = new nn.Conv2d(cin, width, 1, { bias: false });
    this.bn1 = new nn.BatchNorm2d(width);
    this.conv2 = new nn.Conv2d(width, width, 3, stride, 1, { bias: false });
    this.bn2 = new nn.BatchNorm2d(width);
    this.conv3 = new nn.Conv2d(width, 4 * width, 1, { bias: false });
    this.bn3 = new nn.BatchNorm2d(4 * width);
    this.downsample = shortcut(cin, 4 * width, stride);
  }

  override forward(x: Tensor): Tensor {
    let y = F.relu(this.bn1(this.conv1(x)), { inplace: true });
    y = F.relu(this.bn2(this.conv2(y)), { inplace: true });
    y = this.bn3(this.conv3(y));
    y.add_(this.downsample === null ? x : this.downsample(x));
    return F.relu(y, { inplace: true });
  }
}

type Block = new (cin: number, width: number, stride: number) => BasicBlock | Bottleneck;

class ResNet extends nn.Module {
  readonly conv1 = new nn.Conv2d(3, 64, 7, 2, 3, { bias: false });
  readonly bn1 = new nn.BatchNorm2d(64);
  readonly maxpool = new nn.MaxPool2d(3, 2, 1);
  readonly layers = new nn.Sequential();
  readonly avgpool = new nn.AdaptiveAvgPool2d(1);
  readonly fc: nn.Linear;

  constructor(block: Block, expansion: number, counts: readonly number[], classes = 1000) {
    super();
    let cin = 64;
    counts.forEach((count, i) => {
      for (let j = 0; j < count; j++) {
        this.layers.append(new block(cin, 64 * 2 ** i, i > 0 && j === 0 ? 2 : 1));
        cin = 64 * 2 ** i * expansion;
      }
    });
    this.fc = new nn.Linear(cin, classes);
  }

  override forward(x: Tensor): Tensor {
    x = this.maxpool(F.relu(this.bn1(this.conv1(x)), { inplace: true }));
    return this.fc(torch.flatten(this.avgpool(this.layers(x)), 1));
  }
}

class CausalAttention extends nn.Module {
  readonly heads: number;
  readonly c_attn: nn.Linear;
  readonly c_proj: nn.Linear;
  readonly dropout = new nn.Dropout(0.1);

  constructor(dim: number, heads: number) {
    super();
    this.heads = heads;
    this.c_attn = new nn.Linear(dim, 3 * dim);
    this.c_proj = new nn.Linear(dim, dim);
  }

  override forward(x: Tensor): Tensor {
    const [b, t, c] = [x.size(0), x.size(1), x.size(2)];
    const size = sym.floorDiv(c, this.heads);
    const split = (z: Tensor): Tensor => z.view(b, t, this.heads, size).transpose(1, 2);
    const [q, k, v] = this.c_attn(x).split(c, 2).map(split);
    const y = F.scaledDotProductAttention(q!, k!, v!, { isCausal: true });
    return this.dropout(this.c_proj(y.transpose(1, 2).reshape(b, t, c)));
  }
}

class DecoderBlock extends nn.Module {
  readonly ln_1: nn.LayerNorm;
  readonly attn: CausalAttention;
  readonly ln_2: nn.LayerNorm;
  readonly c_fc: nn.Linear;
  readonly c_proj: nn.Linear;
  readonly dropout = new nn.Dropout(0.1);

  constructor(dim: number, heads: number) {
    super();
    this.ln_1 = new nn.LayerNorm(dim);
    this.attn = new CausalAttention(dim, heads);
    this.ln_2 = new nn.LayerNorm(dim);
    this.c_fc = new nn.Linear(dim, 4 * dim);
    this.c_proj = new nn.Linear(4 * dim, dim);
  }

  override forward(x: Tensor): Tensor {
    x = x.add(this.attn(this.ln_1(x)));
    return x.add(this.dropout(this.c_proj(F.gelu(this.c_fc(this.ln_2(x)), { approximate: "tanh" }))));
  }
}

class GPT2 extends nn.Module {
  readonly wte: nn.Embedding;
  readonly wpe: nn.Embedding;
  readonly dropout = new nn.Dropout(0.1);
  readonly h: nn.ModuleList<DecoderBlock>;
  readonly ln_f: nn.LayerNorm;
  readonly lm_head: nn.Linear;

  constructor(vocab = 50257, dim = 768, length = 1024, heads = 12, depth = 12) {
    super();
    this.wte = new nn.Embedding(vocab, dim);
    this.wpe = new nn.Embedding(length, dim);
    this.h = new nn.ModuleList(Array.from({ length: depth }, () => new DecoderBlock(dim, heads)));
    this.ln_f = new nn.LayerNorm(dim);
    this.lm_head = new nn.Linear(dim, vocab, { bias: false });
    this.lm_head.weight = this.wte.weight;
  }

  override forward(ids: Tensor): Tensor {
    const positions = torch.arange(ids.size(1), { device: "cpu" });
    let x = this.dropout(this.wte(ids).add(this.wpe(positions)));
    for (const block of this.h) x = block(x);
    return this.lm_head(this.ln_f(x));
  }
}

class EncoderBlock extends nn.Module {
  readonly ln_1: nn.LayerNorm;
  readonly attention: nn.MultiheadAttention;
  readonly ln_2: nn.LayerNorm;
  readonly mlp: nn.Sequential;

  constructor(dim: number, heads: number) {
    super();
    this.ln_1 = new nn.LayerNorm(dim, { eps: 1e-6 });
    this.attention = new nn.MultiheadAttention(dim, heads, { batchFirst: true });
    this.ln_2 = new nn.LayerNorm(dim, { eps: 1e-6 });
    this.mlp = new nn.Sequential(new nn.Linear(dim, 4 * dim), new nn.GELU(), new nn.Linear(4 * dim, dim));
  }

  override forward(x: Tensor): Tensor {
    let y = this.ln_1(x);
    [y] = this.attention(y, y, y, { needWeights: false });
    x = x.add(y);
    return x.add(this.mlp(this.ln_2(x)));
  }
}

class ViT extends nn.Module {
  readonly conv_proj: nn.Conv2d;
  readonly class_token: nn.Parameter;
  readonly pos_embedding: nn.Parameter;
  readonly layers: nn.Sequential;
  readonly ln: nn.LayerNorm;
  readonly head: nn.Linear;

  constructor(size = 224, patch = 16, dim = 768, heads = 12, depth = 12, classes = 1000) {
    super();
    this.conv_proj = new nn.Conv2d(3, dim, patch, patch);
    this.class_token = new nn.Parameter(torch.zeros(1, 1, dim));
    this.pos_embedding = new nn.Parameter(torch.zeros(1, Math.floor(size / patch) ** 2 + 1, dim));
    this.layers = new nn.Sequential(...Array.from({ length: depth }, () => new EncoderBlock(dim, heads)));
    this.ln = new nn.LayerNorm(dim, { eps: 1e-6 });
    this.head = new nn.Linear(dim, classes);
  }

  override forward(x: Tensor): Tensor {
    x = this.conv_proj(x).flatten(2).transpose(1, 2);
    x = torch.cat([this.class_token.expand(x.size(0), -1, -1), x], 1).add(this.pos_embedding);
    return this.head(this.ln(this.layers(x)).at(":", 0));
  }
}

const image = (): Tensor => torch.linspace(-1, 1, 2 * 3 * 224 * 224).reshape(2, 3, 224, 224);
const tokens = (): Tensor =>
  torch
    .arange(2 * 8)
    .reshape(2, 8)
    .mul(3001);
const batch = { x: { 0: Dim("batch") } };

/** A network with its example input. */
export interface FullSizeNetwork {
  /** Makes the network, with random weights. */
  readonly make: () => nn.Module;
  /** Makes the example input. */
  readonly input: () => Tensor;
  readonly dynamicShapes: DynamicShapes | null;
}

/** Well-known networks. */
export const FULL_SIZE: Readonly<Record<"resnet18" | "resnet50" | "gpt2" | "vit_b_16", FullSizeNetwork>> = {
  resnet18: { make: () => new ResNet(BasicBlock, 1, [2, 2, 2, 2]), input: image, dynamicShapes: null },
  resnet50: { make: () => new ResNet(Bottleneck, 4, [3, 4, 6, 3]), input: image, dynamicShapes: batch },
  gpt2: {
    make: () => new GPT2(),
    input: tokens,
    dynamicShapes: { ids: { 0: Dim("batch"), 1: Dim("seq", { max: 1024 }) } },
  },
  vit_b_16: { make: () => new ViT(), input: image, dynamicShapes: null },
};
