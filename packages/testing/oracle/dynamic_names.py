"""Writes fixtures/dynamic-shapes/names.json.gz: random models over shared and derived dynamic
sizes, and the program that PyTorch's export makes of each, with all names.

A case has "inputs" (shapes and dtypes), "parameters" (shapes), "spec" (an entry a dimension: null,
"AUTO", "DYNAMIC", a name, or [name, factor, offset] for factor * name + offset) and "steps". A step
is [function, arguments]; results are operands behind inputs and parameters. An argument is a number,
a list, null, a text, or one of {"t": operand}, {"s": [operand, dim]}, {"e": [operator, a, b]},
{"f": float} and {"slice": [from, to, step]}.

Usage (with PyTorch): python3 dynamic_names.py OUT.json.gz [COUNT [SEED]]
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


def value(a, ts):
    if isinstance(a, list): return [value(x, ts) for x in a]
    if not isinstance(a, dict): return a
    (kind, v), = a.items()
    if kind == "t": return ts[v]
    if kind == "s": return ts[v[0]].shape[v[1]]
    if kind == "f": return float(v)
    if kind == "slice": return slice(*[value(x, ts) for x in v])
    return OPS[v[0]](value(v[1], ts), value(v[2], ts))


def call(step, ts):
    name, args = step[0], [value(a, ts) for a in step[1]]
    if name == "at":
        index = tuple(... if isinstance(a, str) else a for a in args[1:])
        return args[0][index[0] if len(index) == 1 else index]
    if name == "setAt":
        y = args[0].clone(); y[tuple(args[1])] = args[2]; return y
    space, fn = name.split(".")
    if space == "F": return getattr(F, fn)(*args, **(dict(step[2]) if len(step) > 2 else {}))
    if space == "x": return getattr(args[0], fn)(*args[1:], **(dict(step[2]) if len(step) > 2 else {}))
    return getattr(torch, fn)(*args, **(dict(step[2]) if len(step) > 2 else {}))


def run(steps, operands):
    ts = list(operands); outs = []
    for step in steps:
        r = call(step, ts)
        for t in (list(r) if isinstance(r, (list, tuple)) else [r]):
            ts.append(t); outs.append(t)
    return tuple(outs)


class Model(torch.nn.Module):
    def __init__(self, case):
        super().__init__(); self.steps = case["steps"]; self.n = len(case["parameters"])
        for i, shape in enumerate(case["parameters"]): setattr(self, f"p{i}", torch.nn.Parameter(torch.zeros(shape)))
    def go(self, *xs): return run(self.steps, [*xs, *[getattr(self, f"p{i}") for i in range(self.n)]])


class One(Model):
    def forward(self, x): return self.go(x)
class Two(Model):
    def forward(self, x, y): return self.go(x, y)
class Three(Model):
    def forward(self, x, y, z): return self.go(x, y, z)


DTYPES = {"f32": torch.float32, "i64": torch.int64}
def inputs_of(case): return [torch.zeros(s, dtype=DTYPES[d]) for s, d in case["inputs"]]


def dim(e, dims):
    if e is None: return None
    if e in ("AUTO", "DYNAMIC"): return getattr(Dim, e)
    if isinstance(e, str): return dims.setdefault(e, Dim(e))
    return e[1] * dims.setdefault(e[0], Dim(e[0])) + e[2] if e[2] else e[1] * dims.setdefault(e[0], Dim(e[0]))


def record(case):
    args = tuple(inputs_of(case)); model = [One, Two, Three][len(args) - 1](case); dims = {}
    spec = dict(zip("xyz", [tuple(dim(e, dims) for e in s) for s in case["spec"]]))
    try:
        ep = export(model, args, dynamic_shapes=spec, strict=False)
    except Exception as e:
        return {"error": type(e).__name__, "message": str(e)[:300]}
    lines = [line for line in str(ep).split("\n") if line.strip() and not line.strip().startswith("# ")]
    return {"text": "\n".join(lines[2:])}


# generation
T = lambda i: {"t": i}
S = lambda i, d: {"s": [i, d]}
E = lambda o, a, b: {"e": [o, a, b]}
class Gen:
    def __init__(self, rng, shapes, dtypes): self.rng, self.shapes, self.dtypes = rng, shapes, dtypes
    def pick(self, f=lambda s: True, dtype=torch.float32, n=0):
        c = [i for i, s in enumerate(self.shapes) if self.dtypes[i] == dtype and len(s) > 0 and f(s) and i not in self.hidden]
        if not c: return None
        return self.rng.choice(c[-6:] if self.rng.random() < .7 else c)
    hidden = ()
    def size(self, n=None):
        c = [(i, d) for i, s in enumerate(self.shapes) for d, v in enumerate(s) if (n is None or v == n) and i not in self.hidden]
        if not c: return None
        return S(*self.rng.choice(c))
    def sized(self, n):
        """a size with value n: of a tensor, or the number"""
        return (self.size(n) if self.rng.random() < .8 else None) or n
    def expr(self):
        s = self.size()
        r = self.rng.random()
        if r < .4: return s
        if r < .55: return E("+", s, self.rng.choice([1, 2, 3]))
        if r < .65: return E("-", s, 1)
        if r < .75: return E("*", s, 2)
        if r < .85: return E("//", s, 2)
        if r < .92: return E("+", s, self.size())
        return E("*", s, self.size())
    def bound(self):
        return self.rng.choice([None, None, 1, -1, 2, self.expr(), self.expr()])
    def step(self):
        rng = self.rng
        k = rng.choice(KINDS); t = self.pick()
        if t is None: return None
        sh = self.shapes[t]; nd = len(sh); d = rng.randrange(nd); x = T(t)
        if k == "unary": return [rng.choice(["x.relu", "x.sigmoid", "x.exp", "x.clone", "x.neg", "x.contiguous", "x.sin", "F.gelu", "F.silu"]), [x]]
        if k == "binary":
            o = self.pick(); return ["torch." + rng.choice(["add", "mul", "sub", "maximum"]), [x, T(o)]]
        if k == "scalar": return ["x.mul", [x, rng.choice([2, self.expr(), {"f": 0.5}])]]
        if k == "reduce": return ["x." + rng.choice(["sum", "mean", "amax", "softmax", "cumsum", "logsumexp"]), [x, d]]
        if k == "argmax": return ["x.argmax", [x, d]]
        if k == "linear":
            p = [i for i in self.params if len(self.shapes[i]) == 2 and self.shapes[i][1] == sh[-1]]
            if not p: return None
            i = rng.choice(p); b = [j for j in self.params if self.shapes[j] == [self.shapes[i][0]]]
            return ["F.linear", [x, T(i)] + ([T(rng.choice(b))] if b and rng.random() < .6 else [])]
        if k == "layer_norm": return ["F.layer_norm", [x, [self.sized(sh[-1])]]]
        if k in ("view", "reshape"):
            c = [[-1], [self.sized(sh[0]), -1], [-1, self.sized(sh[-1])], [-1, 2], [2, -1], [1, -1]]
            if nd >= 2: c += [[self.sized(sh[1]), -1], [E("*", S(t, 0), S(t, 1))] + [S(t, i) for i in range(2, nd)]]
            c += [[S(t, i) for i in range(nd - 1)] + [2, -1], [S(t, i) for i in range(nd - 1)] + [2, E("//", S(t, nd - 1), 2)]]
            if nd == 3: c += [[S(t, 0), S(t, 1), 2, -1], [S(t, 0), -1], [S(t, 0), E("*", S(t, 1), S(t, 2))]]
            return ["x." + k, [x, rng.choice(c)]]
        if k == "view_as": return ["x.view_as" if rng.random() < .5 else "x.reshape_as", [x, T(self.pick())]]
        if k == "expand": return ["x.expand", [x, rng.choice([[self.expr()] + [-1] * nd, [self.sized(n) if n != 1 else self.expr() for n in sh], [S(t, i) for i in range(nd)]])]]
        if k == "expand_as": return ["x.expand_as", [x, T(self.pick())]]
        if k == "repeat": return ["x.repeat", [x, [rng.choice([1, 1, 2, self.size()]) for _ in range(nd)]]]
        if k == "slice": return ["at", [x] + [{"slice": [None, None, None]}] * d + [{"slice": [self.bound(), self.bound(), None]}]]
        if k == "at": return ["at", [x] + [{"slice": [None, None, None]}] * d + [rng.choice([0, -1, E("-", S(t, d), 1)])]]
        if k == "newaxis": return ["at", [x] + rng.choice([[None], [{"slice": [None, None, None]}, None], ["...", None]])]
        if k == "index":
            i = self.pick(lambda s: True, torch.int64)
            return ["at", [x, T(i)]] if i is not None else None
        if k == "index_select": return ["x.index_select", [x, d, None]] and None
        if k == "gather":
            i = self.pick(lambda s: len(s) == nd, torch.int64); return ["torch.gather", [x, d, T(i)]] if i is not None else None
        if k == "embedding":
            i = self.pick(lambda s: True, torch.int64); p = [j for j in self.params if len(self.shapes[j]) == 2]
            return ["F.embedding", [T(i), T(rng.choice(p))]] if i is not None and p else None
        if k in ("cat", "stack"):
            o = self.pick(lambda s: len(s) == nd); return ["torch." + k, [[x, T(o)], d if rng.random() < .8 else -1]]
        if k == "pad": return ["F.pad", [x, [rng.choice([0, 1, self.expr()]), rng.choice([0, 1, -1])]]]
        if k == "arange": return ["torch.arange", rng.choice([[self.expr()], [0, self.expr()], [1, self.expr()], [0, self.expr(), 2]])]
        if k == "full": return ["torch." + rng.choice(["zeros", "ones"]), [[self.expr()] + rng.choice([[], [self.size()], [3]])]]
        if k == "full2": return ["torch.full", [[self.expr(), self.sized(sh[-1])], {"f": 1.5}]]
        if k == "new": return ["x." + rng.choice(["new_zeros", "new_ones"]), [x, [self.expr(), self.sized(sh[-1])]]]
        if k == "like": return ["torch." + rng.choice(["zeros_like", "ones_like"]), [x]]
        if k == "transpose": return ["x.transpose", [x, d, rng.randrange(nd)]]
        if k == "permute":
            p = list(range(nd)); rng.shuffle(p); return ["x.permute", [x, p]]
        if k == "unsqueeze": return ["x.unsqueeze", [x, rng.choice([0, d, -1])]]
        if k == "squeeze": return ["x.squeeze", [x, d]]
        if k == "flatten": return ["x.flatten", [x] + rng.choice([[], [0, 1], [1], [d]])]
        if k == "unflatten": return ["x.unflatten", [x, d, rng.choice([[2, -1], [-1, 2], [1, -1], [S(t, d), 1], [E("//", S(t, d), 2), 2]])]]
        if k == "matmul": return ["torch.matmul", [x, T(self.pick())]]
        if k == "mT":
            o = self.pick(lambda s: len(s) == nd and s[-1] == sh[-1]); return None if o is None or nd < 2 else ["MT", [x, T(o)]]
        if k == "bmm": return ["torch.bmm", [x, T(self.pick())]]
        if k == "sdpa":
            o = self.pick(lambda s: len(s) == nd and s[-1] == sh[-1] and s[:-2] == sh[:-2] and nd >= 3)
            return ["F.scaled_dot_product_attention", [x, T(o), T(o)]] if o is not None and nd >= 3 else None
        if k == "where": return ["torch.where", [None]] and ["WH", [x, T(self.pick())]]
        if k == "einsum":
            o = self.pick(lambda s: len(s) == nd and nd in (2, 3) and (s[-1] == sh[-1]))
            if o is None or nd not in (2, 3): return None
            return ["torch.einsum", [rng.choice(["ij,kj->ik", "ij,kj->ikj"]) if nd == 2 else rng.choice(["bij,bkj->bik", "bij,ckj->bcik"]), x, T(o)]]
        if k == "chunk": return ["x." + rng.choice(["chunk", "tensor_split"]), [x, 2, d]]
        if k == "split": return ["x.split", [x, rng.choice([1, 2, 3, self.sized(2), E("//", S(t, d), 2), [E("-", S(t, d), 1), 1]]), d]]
        if k == "tri": return ["x." + rng.choice(["tril", "triu"]), [x]]
        if k == "to": return ["x.to", [x, "float64"]] and ["x." + rng.choice(["float", "double", "long", "bool"]), [x]]
        if k == "roll": return ["x.roll", [x, rng.choice([1, self.size()]), d]]
        if k == "flip": return ["x.flip", [x, [d]]]
        if k == "diff": return ["x.diff", [x, 1, d]]
        if k == "topk": return ["x.topk", [x, rng.choice([1, self.sized(2)])]]
        if k == "sort": return ["x.sort", [x, d]]
        if k == "narrow": return ["x.narrow", [x, d, rng.choice([0, 1]), rng.choice([1, E("-", S(t, d), 1), E("//", S(t, d), 2)])]]
        if k == "repeat_interleave": return ["x.repeat_interleave", [x, rng.choice([2, self.size()]), d]]
        if k == "setAt": return ["setAt", [x, [{"slice": [self.bound(), self.bound(), None]}], rng.choice([{"f": 1.5}, x])]]
        if k == "masked_fill": return ["MF", [x]]
        if k == "conv": return ["CV", [x]]
        raise KeyError(k)
    def expand_step(self, s):
        """compound steps"""
        rng = self.rng; n = len(self.shapes)
        if s[0] == "MT": return [["x.transpose", [s[1][1], -1, -2]], ["torch.matmul", [s[1][0], T(n)]]]
        if s[0] == "WH": return [["x.gt", [s[1][0], 0]], ["torch.where", [T(n), s[1][0], s[1][1]]]]
        if s[0] == "MF": return [["x.lt", [s[1][0], 0]], ["x.masked_fill", [s[1][0], T(n), {"f": 0.5}]]]
        if s[0] == "CV": return [["torch.ones", [[2, self.shapes[s[1][0]["t"]][1] if len(self.shapes[s[1][0]["t"]]) > 1 else 1, 2]]], ["torch.conv1d", [s[1][0], T(n)]]]
        return [s]
KINDS = ["unary", "binary", "scalar", "reduce", "argmax", "layer_norm", "expand_as", "view_as", "repeat", "at", "newaxis", "index", "gather", "embedding", "stack", "full", "full2", "new", "like", "transpose", "permute", "unsqueeze", "squeeze", "flatten", "unflatten", "matmul", "mT", "bmm", "where", "chunk", "split", "tri", "to", "roll", "flip", "diff", "topk", "sort", "narrow", "repeat_interleave", "setAt", "masked_fill", "conv"] + ["view", "reshape", "linear", "slice", "cat", "binary", "matmul", "mT", "sdpa", "einsum", "expand", "pad", "arange", "where"] * 2 + ["view", "reshape", "slice", "linear"] * 2


def case(rng):
    while True:
        count = rng.choice([1, 2, 2, 2, 3])
        sizes = {"b": rng.choice([3, 4]), "t": rng.choice([5, 6]), "n": 7}
        used = {}
        def entry(static):
            r = rng.random()
            if static and r < .35: return rng.choice([1, 2, 8, 8]), None
            if r < .45: return rng.choice([4, 6, 9]), rng.choice(["AUTO", "DYNAMIC"])
            name = rng.choice(["b", "b", "t", "t", "n"])
            if name in used and rng.random() < .15:
                f, o = rng.choice([(2, 0), (1, 1), (2, 1)]); return f * sizes[name] + o, [name, f, o]
            used[name] = 1
            return sizes[name], name
        inputs, spec = [], []
        for i in range(count):
            rank = rng.choice([1, 2, 2, 3])
            es = [entry(True) for _ in range(rank)]
            if i and rng.random() < .35:
                es = [(n, e) for n, e in zip(inputs[0][0], spec[0])]
            inputs.append([[n for n, _ in es], "f32" if i == 0 or rng.random() < .75 else "i64"]); spec.append([e for _, e in es])
        if all(e is None for s in spec for e in s): continue
        params = rng.choice([[], [[8, 8], [8]], [[4, 8], [8, 4], [4]], [[8, 8]]])
        c = {"inputs": inputs, "parameters": params, "spec": spec, "steps": []}
        ts = inputs_of(c) + [torch.zeros(p) for p in params]
        want = rng.choice([2, 3, 3, 4, 5, 6]); tries = 0
        while len(c["steps"]) < want and tries < 80:
            tries += 1
            g = Gen(rng, [list(t.shape) for t in ts], [t.dtype for t in ts])
            g.params = range(count, count + len(params)); g.hidden = set(g.params)
            s = g.step()
            if s is None: continue
            steps = g.expand_step(s); more = list(ts)
            try:
                made = []
                for q in steps:
                    r = call(q, more); r = list(r) if isinstance(r, (list, tuple)) else [r]
                    more += r; made += r
            except Exception: continue
            if len(made) > 8 or any(m.numel() > 20000 or m.ndim > 5 for m in made): continue
            ts = more; c["steps"] += steps
        if c["steps"]: return c


def main(path, count="200", seed="1"):
    rng = random.Random(int(seed))
    cases = [case(rng) for _ in range(int(count))]
    for c in cases: c["result"] = record(c)
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(json.dumps(cases, separators=(",", ":")).encode())
    print(len(cases), "cases", sum("error" in c["result"] for c in cases), "refused")


main(*sys.argv[1:])
