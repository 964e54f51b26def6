/** @file The transformers of `networks.py` in TypeScript. */
import { float, nn, type Size, slice, sym, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";

const F = nn.functional;

class Attention extends nn.moduleOf((dim: number, heads: number, causal = false) => ({
  heads,
  causal,
  qkv: new nn.Linear(dim, 3 * dim),
  out: new nn.Linear(dim, dim),
})) {
  override forward(x: Tensor, mask: Tensor | null = null): Tensor {
    const [b, t, c] = [x.size(0), x.size(1), x.size(2)];
    const size = sym.floorDiv(c, this.heads);
    const split = (z: Tensor): Tensor => z.view(b, t, this.heads, size).transpose(1, 2);
    const [q, k, v] = this.qkv(x).split(c, 2).map(split);
    const y = F.scaledDotProductAttention(q!, k!, v!, { attnMask: mask, isCausal: this.causal });
    return this.out(y.transpose(1, 2).reshape(b, t, c));
  }
}

class Block extends nn.moduleOf((dim: number, heads: number, causal = false, act = "none") => ({
  ...{ ln1: new nn.LayerNorm(dim), ln2: new nn.LayerNorm(dim) },
  attn: new Attention(dim, heads, causal),
  ...{ up: new nn.Linear(dim, 4 * dim), down: new nn.Linear(4 * dim, dim) },
  act,
})) {
  override forward(x: Tensor, mask: Tensor | null = null): Tensor {
    x = x.add(this.attn(this.ln1(x), mask));
    return x.add(this.down(F.gelu(this.up(this.ln2(x)), { approximate: this.act })));
  }
}

/** A model of `networks.py`. */
export class VisionTransformer extends nn.moduleOf((dim = 16) => ({
  patch: new nn.Conv2d(3, dim, 4, 4),
  cls: new nn.Parameter(torch.randn(1, 1, dim)),
  pos: new nn.Parameter(torch.randn(1, 10, dim).mul(0.1)),
  block: new Block(dim, 2),
  norm: new nn.LayerNorm(dim),
  head: new nn.Linear(dim, 5),
})) {
  override forward(x: Tensor): Tensor {
    x = this.patch(x).flatten(2).transpose(1, 2);
    x = torch.cat([this.cls.expand(x.size(0), -1, -1), x], 1).add(this.pos);
    return this.head(this.norm(this.block(x)).at(":", 0));
  }
}

/** A model of `networks.py`. */
export class GPT extends nn.moduleOf(
  (vocab = 40, dim = 16, length = 32, tok = new nn.Embedding(vocab, dim)) => ({
    tok,
    pos: new nn.Embedding(length, dim),
    blocks: new nn.ModuleList([new Block(dim, 2, true, "tanh")]),
    norm: new nn.LayerNorm(dim),
    head: Object.assign(new nn.Linear(dim, vocab, { bias: false }), { weight: tok.weight }),
  }),
) {
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

const linears = <K extends string>(names: readonly K[], from: number, to: number, bias = true) =>
  Object.fromEntries(names.map((name) => [name, new nn.Linear(from, to, { bias })])) as Record<K, nn.Linear>;

/** A model of `networks.py`. */
export class Bert extends nn.moduleOf((vocab = 30, dim = 16) => ({
  word: new nn.Embedding(vocab, dim, { paddingIdx: 0 }),
  ...{ kind: new nn.Embedding(2, dim), pos: new nn.Embedding(16, dim) },
  position_ids: new nn.Buffer(torch.arange(16).unsqueeze(0), { persistent: false }),
  norm: new nn.LayerNorm(dim, { eps: 1e-12 }),
  ...linears(["q", "k", "v", "o"], dim, dim),
  ...{ ln1: new nn.LayerNorm(dim), ln2: new nn.LayerNorm(dim) },
  ...{ up: new nn.Linear(dim, 32), down: new nn.Linear(32, dim), pool: new nn.Linear(dim, dim) },
})) {
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

class RMSNorm extends nn.moduleOf((dim: number) => ({ weight: new nn.Parameter(torch.ones(dim)) })) {
  override forward(x: Tensor): Tensor {
    const y = x.float();
    return y
      .mul(torch.rsqrt(y.pow(2).mean(-1, true).add(1e-6)))
      .to(x.dtype)
      .mul(this.weight);
  }
}

const cache = (...sizes: number[]) => new nn.Buffer(torch.zeros(sizes), { persistent: false });

/** A model of `networks.py`. */
export class Llama extends nn.moduleOf(
  (vocab = 40, dim = 16, heads = 4, kv = 2, length = 16, batch = 1, width = Math.floor(dim / heads)) => ({
    ...{ heads, kv, width, embed: new nn.Embedding(vocab, dim) },
    ...linears(["q"], dim, dim, false),
    ...linears(["k", "v"], dim, kv * width, false),
    ...linears(["o"], dim, dim, false),
    ...linears(["gate", "up"], dim, 24, false),
    ...linears(["down"], 24, dim, false),
    ...{ n1: new RMSNorm(dim), n2: new RMSNorm(dim), n3: new RMSNorm(dim) },
    head: new nn.Linear(dim, vocab, { bias: false }),
    inv_freq: new nn.Buffer(torch.pow(10000, torch.arange(0, width, 2).float().div(width)).reciprocal(), {
      persistent: false,
    }),
    ...{ k_cache: cache(batch, kv, length, width), v_cache: cache(batch, kv, length, width) },
  }),
) {
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
