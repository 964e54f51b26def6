"""The decoder of examples/kv-cache in Python: prints its program and the tokens that it generates.

The test of the example expects these tokens and lines of this text.
"""
import torch, torch.nn as nn, torch.nn.functional as F
from torch.export import Dim, export

class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, cache):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        y = F.scaled_dot_product_attention(q, k, v)
        return self.out(y.transpose(1, 2).flatten(2)), [k, v]

class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, cache):
        y, cache = self.attention(self.norm1(x), cache)
        x = x + y
        return x + self.mlp(self.norm2(x)), cache

class Decoder(nn.Module):
    def __init__(self, vocabulary=96, width=32, heads=4, layers=2, positions=64):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, token, caches):
        past = caches[0][0].shape[2]
        x = self.tokens(token) + self.positions(torch.arange(past, past + 1))
        grown = []
        for block, cache in zip(self.blocks, caches):
            x, cache = block(x, cache)
            grown.append(cache)
        return self.head(self.norm(x)), grown


def empty_caches(past):
    return [[torch.zeros(1, 4, past, 8), torch.zeros(1, 4, past, 8)] for _ in range(2)]


torch.manual_seed(0)
past = Dim("past", max=63)
program = export(
    Decoder().eval(),
    (torch.tensor([[1]]), empty_caches(3)),
    dynamic_shapes={"token": None, "caches": [[{2: past}, {2: past}]] * 2},
)
print(program)

step = program.module()
prompt, generated, caches = [7, 21, 3], [], empty_caches(0)
for at in range(len(prompt) + 19):
    token = prompt[at] if at < len(prompt) else generated[-1]
    logits, caches = step(torch.tensor([[token]]), caches)
    if at >= len(prompt) - 1:
        generated.append(int(logits.argmax()))
print(generated)
