"""Writes fixtures/dynamic-shapes/views.json.gz: random chains of views, factories and layers whose
arguments are expressions over dynamic sizes, and what PyTorch's export makes of each.

A case has "inputs" (shapes), "spec" (one entry a dimension: null, "AUTO", "DYNAMIC" or [name, min,
max]) and "steps". A step is [kind, operand, ...]; operands count the inputs and all earlier
results. An expression is a number, ["s", operand, dim], or [operator, e, e].

Usage (with PyTorch): python3 dynamic_views.py OUT.json.gz [COUNT [SEED]]
"""
import gzip
import json
import logging
import operator
import random
import sys
import warnings

import torch
import torch.nn.functional as F
from torch.export import Dim, export

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
OPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod, "max": torch.sym_max, "min": torch.sym_min}
def ev(e, ts):
    if e is None or isinstance(e, int): return e
    if e[0] == "s": return ts[e[1]].shape[e[2]]
    return OPS[e[0]](ev(e[1], ts), ev(e[2], ts))
def evs(l, ts): return [ev(e, ts) for e in l]
def run_step(s, ts):
    k, a = s[0], s[1:]
    E = lambda e: ev(e, ts)
    if k == "arange": return torch.arange(*evs(a[0], ts))
    if k == "zeros": return torch.zeros(evs(a[0], ts))
    if k == "full": return torch.full(evs(a[0], ts), 1.5)
    if k == "eye": return torch.eye(*evs(a[0], ts))
    if k == "linspace": return torch.linspace(0, 1, E(a[0]))
    x = ts[a[0]]
    if k == "slice":
        sl = slice(E(a[2]), E(a[3]), E(a[4]))
        return x[(slice(None),) * a[1] + (sl,)] if a[1] else x[sl]
    if k == "at": return x[(slice(None),) * a[1] + (E(a[2]),)] if a[1] else x[E(a[2])]
    if k == "ellslice": return x[..., slice(E(a[1]), E(a[2]), E(a[3]))]
    if k == "narrow": return x.narrow(a[1], E(a[2]), E(a[3]))
    if k == "select": return x.select(a[1], E(a[2]))
    if k == "split": return list(x.split(E(a[2]), a[1]))
    if k == "split_sizes": return list(x.split(evs(a[2], ts), a[1]))
    if k == "chunk": return list(x.chunk(a[2], a[1]))
    if k == "tensor_split": return list(x.tensor_split(a[2], a[1]))
    if k == "unbind": return list(x.unbind(a[1]))
    if k == "pad": return F.pad(x, evs(a[1], ts), mode=a[2])
    if k == "reshape": return x.reshape(evs(a[1], ts))
    if k == "view": return x.view(evs(a[1], ts))
    if k == "expand": return x.expand(evs(a[1], ts))
    if k == "repeat": return x.repeat(evs(a[1], ts))
    if k == "tile": return x.tile(tuple(evs(a[1], ts)))
    if k == "repeat_interleave": return x.repeat_interleave(E(a[2]), a[1])
    if k == "flatten": return x.flatten(a[1], a[2])
    if k == "unflatten": return x.unflatten(a[1], evs(a[2], ts))
    if k == "squeeze": return x.squeeze(a[1])
    if k == "squeeze_all": return x.squeeze()
    if k == "unsqueeze": return x.unsqueeze(a[1])
    if k == "transpose": return x.transpose(a[1], a[2])
    if k == "stack": return torch.stack([x, ts[a[1]]], a[2])
    if k == "cat": return torch.cat([x, ts[a[1]]], a[2])
    if k == "add": return x + ts[a[1]]
    if k == "matmul": return x @ ts[a[1]]
    if k == "roll": return x.roll(E(a[2]), a[1])
    if k == "unfold": return x.unfold(a[1], a[2], a[3])
    if k == "diagonal": return x.diagonal(a[1])
    if k == "tril": return x.tril(a[1])
    if k == "flip": return x.flip(a[1])
    if k == "cumsum": return x.cumsum(a[1])
    if k == "sum": return x.sum(a[1])
    if k == "mean": return x.mean(a[1])
    if k == "max": return x.max(a[1])[0]
    if k == "topk": return x.topk(E(a[1]))[0]
    if k == "softmax": return x.softmax(a[1])
    if k == "layer_norm": return F.layer_norm(x, evs(a[1], ts))
    if k == "max_pool1d": return F.max_pool1d(x.unsqueeze(0) if x.ndim < 2 else x, a[1], a[2], a[3], ceil_mode=a[4])
    if k == "avg_pool1d": return F.avg_pool1d(x.unsqueeze(0) if x.ndim < 2 else x, a[1], a[2], a[3], ceil_mode=a[4])
    if k == "aavg1d": return F.adaptive_avg_pool1d(x.unsqueeze(0) if x.ndim < 2 else x, E(a[1]))
    if k == "conv1d":
        y = x.flatten().view(1, 1, -1); return F.conv1d(y, torch.ones(1, 1, a[1]), None, a[2], a[3], a[4])
    if k == "convt1d":
        y = x.flatten().view(1, 1, -1); return F.conv_transpose1d(y, torch.ones(1, 1, a[1]), None, a[2], a[3])
    if k == "interp": return F.interpolate(x.flatten().view(1, 1, -1), scale_factor=a[1])
    if k == "interps": return F.interpolate(x.flatten().view(1, 1, -1), size=E(a[1]))
    if k == "index_select": return x.index_select(a[1], torch.arange(E(a[2])))
    if k == "contiguous": return x.contiguous()
    if k == "movedim": return x.movedim(a[1], a[2])
    if k == "as_strided": return x.as_strided(evs(a[1], ts), a[2])
    if k == "new_zeros": return x.new_zeros(evs(a[1], ts))
    if k == "T": return x.t()
    if k == "pixel": return F.pixel_shuffle(x, 2)
    if k == "glu": return F.glu(x, a[1])
    if k == "rot90": return torch.rot90(x)
    if k == "hsplit": return list(torch.hsplit(x, a[1]))
    if k == "setslice":
        y = x.clone(); y[slice(E(a[1]), E(a[2]))] = a[3]; return y
    if k == "setat":
        y = x.clone(); y[slice(E(a[1]), E(a[2]))] = ts[a[3]]; return y
    raise KeyError(k)
def run(steps, inputs):
    ts = list(inputs); outs = []
    for s in steps:
        r = run_step(s, ts)
        for t in (r if isinstance(r, list) else [r]):
            ts.append(t); outs.append(t)
    return tuple(outs)
class One(torch.nn.Module):
    def __init__(self, s): super().__init__(); self.steps = s
    def forward(self, x): return run(self.steps, [x])
class Two(One):
    def forward(self, x, y): return run(self.steps, [x, y])
def dim(e, dims):
    if e is None: return None
    if isinstance(e, str): return getattr(Dim, e)
    return dims.setdefault(e[0], Dim(e[0], min=e[1], max=e[2]))
def record(c):
    args = tuple(torch.zeros(s) for s in c["inputs"])
    m = (One if len(args) == 1 else Two)(c["steps"])
    dims = {}
    try:
        spec = dict(zip("xy", [tuple(dim(e, dims) for e in s) for s in c["spec"]]))
        ep = export(m, args, dynamic_shapes=spec, strict=False)
    except Exception as e:
        return {"error": type(e).__name__, "message": str(e).split("\n\nThe error above")[0].split("\n\nUser stack")[0][:2500]}
    lines = [line for line in str(ep).split("\n") if line.strip() and not line.strip().startswith("# ")]
    return {"text": "\n".join(lines[2:]), "guards": list(ep._guards_code)}
# generation
def rexpr(rng, t, d, size):
    r = rng.random(); n = ["s", t, d]
    if r < .2: return n, size
    if r < .45:
        k = rng.choice([1, 1, 2, 3]); return ["-", n, k], size - k
    if r < .6:
        k = rng.choice([1, 2, 3]); return ["+", n, k], size + k
    if r < .75:
        k = rng.choice([2, 2, 3]); return ["//", n, k], size // k
    if r < .8: return ["*", n, 2], size * 2
    if r < .85: return ["-", n, ["//", n, 2]], size - size // 2
    if r < .9: return ["-", 0, n], -size
    if r < .95: return ["min", n, 4], min(size, 4)
    return ["%", n, 3], size % 3
def bound(rng, t, d, size, neg=True):
    if rng.random() < .55: return rexpr(rng, t, d, size)[0]
    return rng.choice([None, 0, 1, 2, 3] + ([-1, -2, -3] if neg else []))
def pos(rng, t, d, size):
    for _ in range(20):
        e, v = rexpr(rng, t, d, size)
        if v >= 0: return e
    return 1
def gen_step(rng, ts):
    """ts: shapes"""
    t = rng.randrange(len(ts)); sh = ts[t]; nd = len(sh)
    if nd == 0: return None
    d = rng.randrange(nd); n = sh[d]
    N = ["s", t, d]
    k = rng.choice(KINDS)
    if k == "slice": return [k, t, d, bound(rng, t, d, n), bound(rng, t, d, n), rng.choice([None, None, None, 2, 1])]
    if k == "ellslice": return [k, t, bound(rng, t, nd-1, sh[-1]), bound(rng, t, nd-1, sh[-1]), None]
    if k in ("at",): return [k, t, d, rng.choice([0, 1, -1, -2, rexpr(rng, t, d, n)[0], rexpr(rng, t, d, n)[0]])]
    if k == "select": return [k, t, d, rng.choice([0, 1, -1, 3, rexpr(rng, t, d, n)[0], rexpr(rng, t, d, n)[0]])]
    if k == "narrow": return [k, t, d, rng.choice([0, 1, -1, 2, rexpr(rng, t, d, n)[0]]), rng.choice([1, 2, rexpr(rng, t, d, n)[0], rexpr(rng, t, d, n)[0]])]
    if k == "split": return [k, t, d, rng.choice([1, 2, 3, rexpr(rng, t, d, n)[0], rexpr(rng, t, d, n)[0]])]
    if k == "split_sizes":
        e, v = rexpr(rng, t, d, n); return [k, t, d, rng.choice([[e, ["-", N, e]], [1, ["-", N, 1]], [2, n - 2], [["//", N, 2], ["-", N, ["//", N, 2]]]])]
    if k in ("chunk", "tensor_split"): return [k, t, d, rng.choice([1, 2, 3, 4])]
    if k == "unbind": return [k, t, d]
    if k == "pad":
        m = rng.choice(["constant"] * 3 + ["reflect", "replicate", "circular"])
        if m != "constant" and nd < 2: m = "constant"
        return [k, t, [rng.choice([0, 1, 2, -1, rexpr(rng, t, nd-1, sh[-1])[0]]), rng.choice([0, 1, -1, rexpr(rng, t, nd-1, sh[-1])[0]])], m]
    if k in ("reshape", "view"):
        c = [[-1], [-1, 1], [-1, 2], [2, -1], [-1, n], [N, -1], [-1, N], [["//", N, 2], -1], [["*", N, 2], -1], [["//", N, 2], 2, -1], [1, -1], [4, -1]]
        if nd == 2: c += [[["*", ["s", t, 0], ["s", t, 1]]], [["s", t, 1], ["s", t, 0]], [["s", t, 0], 2, ["//", ["s", t, 1], 2]], [["s", t, 0], ["//", ["s", t, 1], 2], 2], [["s", t, 0], -1, 2]]
        return [k, t, rng.choice(c)]
    if k == "expand":
        c = [[2] + [-1] * nd, [N] + [-1] * nd, [["s", t, i] for i in range(nd)], [rexpr(rng, t, d, n)[0]] + [["s", t, i] for i in range(nd)], [3] * nd, [rexpr(rng, t, d, n)[0]] * nd]
        return [k, t, rng.choice(c)]
    if k in ("repeat", "tile"): return [k, t, [rng.choice([1, 2, pos(rng, t, d, n)]) for _ in range(nd + rng.choice([0, 0, 1]))]]
    if k == "repeat_interleave": return [k, t, d, rng.choice([2, 3, pos(rng, t, d, n)])]
    if k == "arange":
        a = rexpr(rng, t, d, n)[0]; b = rexpr(rng, t, d, n)[0]
        return [k, rng.choice([[a], [0, a], [1, a], [a, b], [0, a, 2], [a, b, 2], [b, a, -1]])]
    if k in ("zeros", "full"): return [k, [rexpr(rng, t, d, n)[0]] + rng.choice([[], [2], [N]])]
    if k == "new_zeros": return [k, t, [rexpr(rng, t, d, n)[0]]]
    if k == "eye": return [k, [rexpr(rng, t, d, n)[0]] + rng.choice([[], [N]])]
    if k == "linspace": return [k, rexpr(rng, t, d, n)[0]]
    if k == "flatten":
        a, b = sorted([rng.randrange(nd), rng.randrange(nd)]); return [k, t, a, b]
    if k == "unflatten": return [k, t, d, rng.choice([[2, -1], [-1, 2], [["//", N, 2], 2], [1, -1], [N, 1], [-1, N]])]
    if k == "squeeze": return [k, t, d]
    if k == "squeeze_all": return [k, t]
    if k == "unsqueeze": return [k, t, d]
    if k in ("transpose", "movedim"): return [k, t, d, rng.randrange(nd)]
    if k in ("stack", "cat"):
        o = [i for i, s in enumerate(ts) if len(s) == nd]; return [k, t, rng.choice(o), d]
    if k in ("add", "matmul"): return [k, t, rng.randrange(len(ts))]
    if k == "roll": return [k, t, d, rng.choice([1, -1, rexpr(rng, t, d, n)[0]])]
    if k == "unfold": return [k, t, d, rng.choice([1, 2, 3]), rng.choice([1, 2, 3])]
    if k in ("diagonal", "tril"): return [k, t, rng.choice([0, 1, -1])]
    if k == "flip": return [k, t, [d]]
    if k in ("cumsum", "sum", "mean", "max", "softmax", "glu"): return [k, t, d]
    if k == "topk": return [k, t, rng.choice([1, 2, rexpr(rng, t, nd-1, sh[-1])[0]])]
    if k == "layer_norm": return [k, t, [["s", t, nd - 1]]]
    if k in ("max_pool1d", "avg_pool1d"):
        q = rng.choice([2, 3, 4]); return [k, t, q, rng.choice([1, 2, 3]), rng.choice([0, 1]), rng.random() < .3]
    if k == "aavg1d": return [k, t, rng.choice([1, 2, 3, pos(rng, t, d, n)])]
    if k == "conv1d": return [k, t, rng.choice([1, 2, 3]), rng.choice([1, 2, 3]), rng.choice([0, 1, 2, "same"]), rng.choice([1, 1, 2])]
    if k == "convt1d": return [k, t, rng.choice([1, 2, 3]), rng.choice([1, 2, 3]), rng.choice([0, 1])]
    if k == "interp": return [k, t, rng.choice([2.0, 0.5, 1.5])]
    if k == "interps": return [k, t, pos(rng, t, d, n)]
    if k == "index_select": return [k, t, d, rexpr(rng, t, d, n)[0]]
    if k == "contiguous": return [k, t]
    if k == "as_strided": return [k, t, [rexpr(rng, t, d, n)[0]], [1]]
    if k == "T": return [k, t]
    if k == "rot90": return [k, t]
    if k == "hsplit": return [k, t, rng.choice([1, 2])]
    if k == "setslice": return [k, t, bound(rng, t, 0, sh[0]), bound(rng, t, 0, sh[0]), 1.5]
    if k == "setat": return [k, t, bound(rng, t, 0, sh[0]), bound(rng, t, 0, sh[0]), rng.randrange(len(ts))]
KINDS = ["slice"] * 14 + ["ellslice"] * 2 + ["at", "select", "narrow"] * 4 + ["split", "split_sizes", "chunk", "tensor_split", "unbind", "pad", "reshape", "view", "expand"] * 3 + ["pad", "reshape", "repeat_interleave", "arange"] * 2 + [
 "repeat", "tile", "zeros", "full", "new_zeros", "eye", "linspace", "flatten", "unflatten", "squeeze", "squeeze_all", "unsqueeze", "transpose", "movedim", "stack", "cat", "add", "matmul", "roll", "unfold", "diagonal", "tril", "flip", "cumsum", "sum", "mean", "max", "softmax", "glu", "topk", "layer_norm", "max_pool1d", "avg_pool1d", "aavg1d", "conv1d", "convt1d", "interp", "interps", "index_select", "contiguous", "as_strided", "rot90", "hsplit", "setslice", "setat", "setslice", "add", "cat"]
def case(rng):
    count = rng.choice([1, 1, 2])
    shapes = [[rng.choice([3, 4, 5, 6, 8, 8, 9, 12]) for _ in range(rng.choice([1, 1, 2]))] for _ in range(count)]
    if count == 2 and rng.random() < .6: shapes[1] = list(shapes[0])
    style = rng.random(); names = {}
    def spec(i, d, n):
        if style < .35: return "DYNAMIC" if rng.random() < .5 else "AUTO"
        r = rng.random()
        if r < .2: return None
        if r < .35: return "AUTO"
        key = ["dx", "dy", "dz", "dw"][i * 2 + d]
        for q, v in names.items():
            if v[1] == n and rng.random() < .5: return v[0]
        low = rng.choice([None, None, None, 0, 2, 3, n - 1]); high = rng.choice([None, None, None, n + 4, 64])
        names[key] = ([key, low, high], n); return names[key][0]
    specs = [[spec(i, d, n) for d, n in enumerate(s)] for i, s in enumerate(shapes)]
    ts = [torch.zeros(s) for s in shapes]; steps = []
    want = rng.choice([1, 1, 2, 2, 3]); tries = 0
    while len(steps) < want and tries < 60:
        tries += 1
        s = gen_step(rng, [list(t.shape) for t in ts])
        if s is None: continue
        try: r = run_step(s, ts)
        except Exception: continue
        r = r if isinstance(r, list) else [r]
        if len(r) > 8: continue
        ts += r; steps.append(s)
    return {"inputs": shapes, "spec": specs, "steps": steps} if steps else case(rng)
def main(path, count="160", seed="5"):
    rng = random.Random(int(seed))
    cases = [case(rng) for _ in range(int(count))]
    for entry in cases:
        entry["result"] = record(entry)
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(json.dumps(cases, separators=(",", ":")).encode())


main(*sys.argv[1:])
