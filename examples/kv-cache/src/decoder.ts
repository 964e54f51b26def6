/** @file A decoder that takes one token, and gives back caches that are one step longer. */
import { nn, pytree, sym, type Tensor, torch } from "sconce";

const F = nn.functional;

/** Keys and values of one layer, each `[1, heads, past, width / heads]`. */
export type Cache = [keys: Tensor, values: Tensor];

export class Attention extends nn.Module {
  readonly qkv: nn.Linear;
  readonly out: nn.Linear;

  readonly heads: number;

  constructor(width: number, heads: number) {
    super();
    this.heads = heads;
    this.qkv = new nn.Linear(width, 3 * width);
    this.out = new nn.Linear(width, width);
  }

  override forward(x: Tensor, cache: Cache): [Tensor, Cache] {
    const [q, k, v] = this.qkv(x)
      .chunk(3, -1)
      .map((t) => t.unflatten(-1, [this.heads, -1]).transpose(1, 2)) as [Tensor, Tensor, Tensor];
    const keys = torch.cat([cache[0], k], 2);
    const values = torch.cat([cache[1], v], 2);
    const y = F.scaledDotProductAttention(q, keys, values);
    return [this.out(y.transpose(1, 2).flatten(2)), [keys, values]];
  }
}

export class Block extends nn.Module {
  readonly norm1: nn.LayerNorm;
  readonly attention: Attention;
  readonly norm2: nn.LayerNorm;
  readonly mlp: nn.Sequential;

  constructor(width: number, heads: number) {
    super();
    this.norm1 = new nn.LayerNorm(width);
    this.attention = new Attention(width, heads);
    this.norm2 = new nn.LayerNorm(width);
    this.mlp = new nn.Sequential(
      new nn.Linear(width, 4 * width),
      new nn.GELU(),
      new nn.Linear(4 * width, width),
    );
  }

  override forward(x: Tensor, cache: Cache): [Tensor, Cache] {
    const [y, grown] = this.attention(this.norm1(x), cache);
    const z = x.add(y);
    return [z.add(this.mlp(this.norm2(z))), grown];
  }
}

export class Decoder extends nn.Module {
  readonly tokens: nn.Embedding;
  readonly positions: nn.Embedding;
  readonly blocks: nn.ModuleList<Block>;
  readonly norm: nn.LayerNorm;
  readonly head: nn.Linear;

  constructor(vocabulary: number, width: number, heads: number, layers: number, positions: number) {
    super();
    this.tokens = new nn.Embedding(vocabulary, width);
    this.positions = new nn.Embedding(positions, width);
    this.blocks = new nn.ModuleList(Array.from({ length: layers }, () => new Block(width, heads)));
    this.norm = new nn.LayerNorm(width);
    this.head = new nn.Linear(width, vocabulary, { bias: false });
  }

  override forward(token: Tensor, caches: Cache[]) {
    const past = caches[0]![0].size(2);
    let x = this.tokens(token).add(this.positions(torch.arange(past, sym.add(past, 1))));
    const grown: Cache[] = [];
    for (const [i, block] of this.blocks.entries()) {
      const [y, cache] = block(x, caches[i]!);
      x = y;
      grown.push(cache);
    }
    return pytree.tuple(this.head(this.norm(x)), grown);
  }
}
