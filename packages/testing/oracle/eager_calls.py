"""Writes fixtures/capture/eager-calls.json.gz: calls that run at once, outside of an export, in Python and in TypeScript, with
PyTorch's numbers or its refusal. A call is an expression, or the body of a function.

Usage (with PyTorch): python3 eager_calls.py EAGER-CALLS.json.gz
"""
import gzip
import json
import logging
import sys
import warnings

import torch
import torch.nn.functional as F  # noqa: F401
from torch import nn
from torch._higher_order_ops import associative_scan, map as hmap, scan, while_loop  # noqa: F401
from torch._higher_order_ops.switch import switch  # noqa: F401
from torch.func import functional_call, stack_module_state, vmap  # noqa: F401

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")
CALLS = []


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
        with torch.no_grad(): self.a.weight.copy_(torch.eye(2))
        self.b.weight = self.a.weight
        self.register_buffer("k", torch.ones(2))
        self.register_buffer("l", self.k)
        self.register_buffer("empty", None)
        self.plain, self.count = torch.ones(2), 3
    def forward(self, x, scale=1, shift=0):
        y = self.b(self.a(x)).mul(self.k).add(self.l) * scale + shift + self.plain
        return y if self.empty is None else y + self.empty


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(2))
        self.m = self.n
    def forward(self, x):
        self.n = self.n + x
        return self.n * 2


class Own(nn.Linear): pass


def calls(section, *pairs):
    CALLS.extend((section, python, typescript) for python, typescript in pairs)


# ---------------------------------------------------------------- functional_call
def functional(state, typescript, arguments="x", more="", options=""):
    kwargs = f", kwargs={more}" if more else ""
    given = {"tie_weights=False": "{ tieWeights: false }", "strict=True": "{ strict: true }", "strict=True, tie_weights=False": "{ strict: true, tieWeights: false }"}
    rest = f", {more or 'null'}" if more or options else ""
    rest += f", {given[options]}" if options else ""
    arguments_ts = arguments.replace("(", "[").replace(")", "]")
    rest = rest.replace('"', "")
    calls("functional_call", (f"functional_call(tied, {state}, {arguments}{kwargs}{', ' if options else ''}{options})",
                              f"functionalCall(tied, {typescript}, {arguments_ts}{rest})"))


UNTIED, STRICT = "tie_weights=False", "strict=True"
for options in ("", UNTIED, STRICT, f"{STRICT}, {UNTIED}"):
    for state in ('{"a.weight": w}', '{"b.weight": w}', '{"a.weight": w, "b.weight": w}', '{"a.weight": w, "b.weight": v}',
                  '{"b.weight": v, "a.weight": w}', '{"a.weight": w, "b.weight": w.clone()}', '{"k": v[0]}', '{"k": v[0], "l": w[0]}',
                  '{"a.weight": w, "k": v[0]}', '{"a.weight": w, "z": w}', '{"z": w}', '{"plain": w[0]}', '{"a.weight": w, "k": w[0], "plain": w[0]}',
                  '{"a.weight": w, "b.weight": w, "k": w[0], "l": v[0]}', '{"a.weight": w, "b.weight": w, "k": v[0], "l": v[0]}',
                  '{"empty": w[0]}', '{"k": w[0], "a.q": w, "z": v}', "{}"):
        functional(state, state.replace("[0]", ".at(0)"), options=options)
for state in ('[{"k": w[0]}, {"a.weight": v}]', '[{"k": w[0]}, {"k": v[0], "a.weight": v}, {"a.weight": v}]', "[3]", "None", "3", "[]",
              '{"count": w}', '{"c.weight": w}', '{"a.b.weight": w}', '{"k.weight": w}', '{"count.weight": w}', '{"a": w}', '{"a.weight": 3}',
              '{"": w}', '{"a..weight": w}', '{"training": w}', '{"a.weight": None}', '{"empty": None}'):
    functional(state, state.replace("[0]", ".at(0)").replace("None", "null"))
    if state.startswith("[{"): functional(f"({state[1:-1]},)", f"pythonTuple({state[1:-1].replace('[0]', '.at(0)')})")
functional("{}", "{}", "(x, 2)")
functional("{}", "{}", "(x, 2, 3)")
functional("{}", "{}", "(x,)")
calls(
    "functional_call",
    ('functional_call(tied, {}, x, {"scale": 2})', "functionalCall(keywords, {}, x, { scale: 2 })"),
    ('functional_call(tied, {}, (x,), {"scale": 2, "shift": 5})', "functionalCall(keywords, {}, [x], { scale: 2, shift: 5 })"),
    ('s = {"n": w[0]}\ny = functional_call(counter, s, v)\nreturn y, s["n"], counter.n, counter.m', 'const t = { n: w.at(0) };\nconst y = functionalCall(counter, t, v);\nreturn [y, t.n, counter.n, counter.m]'),
    ('s = {"n": w[0]}\ny = functional_call(counter, (s,), v)\nreturn y, s["n"], counter.n, counter.m', 'const t = { n: w.at(0) };\nconst y = functionalCall(counter, [t], v);\nreturn [y, t.n, counter.n, counter.m]'),
    ('s = {"m": w[0]}\ny = functional_call(counter, s, v)\nreturn y, s["m"], counter.n, counter.m', 'const t = { m: w.at(0) };\nconst y = functionalCall(counter, t, v);\nreturn [y, t.m, counter.n, counter.m]'),
    ('s = {"z": w[0]}\ny = functional_call(counter, s, v)\nreturn y, hasattr(counter, "z")', 'const t = { z: w.at(0) };\nconst y = functionalCall(counter, t, v);\nreturn [y, "z" in counter]'),
    ('s = {"a.weight": w, "count": w}\ntry: functional_call(tied, s, x)\nexcept TypeError: pass\nreturn tied.a.weight', 'const t = { "a.weight": w, count: w };\ntry { functionalCall(tied, t, x); } catch {}\nreturn tied.a.weight'),
    ("functional_call(3, {}, x)", "functionalCall(3, {}, x)"),
)

# ---------------------------------------------------------------- stack_module_state
STACKED = "[{k: (v, v.requires_grad) for k, v in d.items()} for d in stack_module_state(%s)]"
STACKED_TS = "[stackModuleState(%s)].flatMap((s) => [s.parameters, s.buffers]).map((d) => Object.fromEntries(Object.entries(d).map(([k, v]) => [k, [v, v.requiresGrad]])))"
for models, typescript in (
    ("[]", "[]"), ("[full(2), full(3)]", "[full(2), full(3)]"), ("[full(2), full(3).eval()]", "[full(2), full(3).eval()]"),
    ("[full(2).eval(), full(3).eval()]", "[full(2).eval(), full(3).eval()]"), ("[full(2), Own(2, 2)]", "[full(2), new Own(2, 2)]"),
    ("[full(2), Own(2, 2).eval()]", "[full(2), new Own(2, 2).eval()]"), ("[nn.BatchNorm1d(2), nn.BatchNorm1d(2)]", "[new nn.BatchNorm1d(2), new nn.BatchNorm1d(2)]"),
    ("[full(2), nn.Linear(3, 2)]", "[full(2), new nn.Linear(3, 2)]"), ("[full(2).requires_grad_(False), full(2)]", "[full(2).requiresGrad_(false), full(2)]"),
    ("[full(2).requires_grad_(False), full(3).requires_grad_(False)]", "[full(2).requiresGrad_(false), full(3).requiresGrad_(false)]"),
    ("[tied, Tied()]", "[tied, new Tied()]"), ("[full(2), full(3).double()]", "[full(2), full(3).double()]"),
    ("nn.ModuleList([full(2), full(3)])", "new nn.ModuleList([full(2), full(3)])"), ("nn.Sequential(full(2), full(3))", "new nn.Sequential(full(2), full(3))"),
    ("[nn.Sequential(full(2)), nn.Sequential(full(2).eval())]", "[new nn.Sequential(full(2)), new nn.Sequential(full(2).eval())]"),
):
    calls("stack_module_state", (STACKED % models, STACKED_TS % typescript))


# ---------------------------------------------------------------- vmap: functions of one row
def rows(*pairs):
    for python, typescript in pairs:
        calls("vmap", (f"vmap(lambda r: {python})(m)", f"vmap((r) => {typescript})(m)"))


def same(*texts):
    """Functions whose text is the same in both languages."""
    rows(*((text, text) for text in texts))


same("r.nonzero()", "torch.argwhere(r)", "torch.argwhere(r).sum()", "r.unique()", "torch.nonzero(r.sin()).sum()", "r.sum().item()", "r.mul(s.sum().item())",
     "r.long().abs().bincount()", "r.long().abs().bincount().sum()", "r.abs().mul(0).long().bincount()", "r.median()", "r.msort()", "r.quantile(0.5)", 
     "torch.dist(r, s)", "torch.isin(r, s)", "torch.bucketize(r, s)", "torch.combinations(r)", "r.histc(3)", "torch.nonzero(s).mul(2)",
     "torch.vstack([r, r])", "torch.hstack([r, r])", "r.take(torch.tensor([0]))", "torch.allclose(r, s)", "torch.equal(r, r)", "r.diff()", "torch.kron(r, s)", "torch.stack([r, r])",
     "r.sum().flip(0)", "r.sum().flip(-1)", "r.sum().squeeze(-1)", "r.sum().squeeze(0)", "r.sum().roll(1, 0)", "r.sum().unbind(0)", "r.sum().select(-1, 0)", "r.sum().sum(-1)", "r.sum().cumsum(-1)",
     "r.sum().softmax(-1)", "r.sum().unsqueeze(-1)", "r.sum().transpose(-1, 0)", "r.flip(0)", "r.flip(-1)", "r.roll(1, 0)", "torch.cumsum(r, 0)", "torch.ones(2)", "s", "s.nonzero()", "s.unique()",
     "r.clamp(0, 1)", "torch.tensor([1.5, 2.5])", "r.tanh()",
     "r.view(1, 3).moveaxis(0, 1)", "r.view(1, 3).movedim(0, 1)")
rows(
    ("r.nonzero(as_tuple=True)", "r.nonzero({ asTuple: true })"), ("torch.where(r > 0)", "torch.where(r.gt(0))"), ("torch.unique(r, dim=0)", "torch.unique(r, { dim: 0 })"),
    ("torch.unique_consecutive(r)", "torch.uniqueConsecutive(r)"), ("torch.unique(r)[0:0].sum()", "torch.unique(r).sum()"), ("r.masked_select(r > 0)", "r.maskedSelect(r.gt(0))"), ("r.masked_select(s > 0)", "r.maskedSelect(s.gt(0))"),
    ("s.masked_select(r > 0)", "s.maskedSelect(r.gt(0))"), ("s.masked_select(r > 0).sum()", "s.maskedSelect(r.gt(0)).sum()"), ("r[r > 0]", "r.at(r.gt(0))"), ("r[s > 0]", "r.at(s.gt(0))"), ("s[r > 0]", "s.at(r.gt(0))"),
    ("r[r > 0].sum()", "r.at(r.gt(0)).sum()"), ("r[torch.tensor([True, False, True])]", "r.at([true, false, true])"), ("r[r[0].long()]", "r.at(r.at(0).long())"), ("s[r[0].long().abs().clamp(max=2)]", "s.at(r.at(0).long().abs().clamp({ max: 2 }))"),
    ("r.repeat_interleave(torch.tensor([1, 2, 3]))", "r.repeatInterleave(torch.tensor([1, 2, 3]))"), ("s.repeat_interleave(r.long().abs())", "s.repeatInterleave(r.long().abs())"), ("torch.repeat_interleave(r.long().abs())", "torch.repeatInterleave(r.long().abs())"),
    ("r.repeat_interleave(2)", "r.repeatInterleave(2)"), ("r.long().abs().bincount(minlength=9)", "r.long().abs().bincount({ minlength: 9 })"), ("F.one_hot(r.long().abs())", "F.oneHot(r.long().abs())"), ("F.one_hot(r.long().abs(), 9)", "F.oneHot(r.long().abs(), 9)"),
    ("torch.full((2,), r[0])", "torch.full([2], r.at(0))"), ("torch.linspace(r[0], r[1], 3)", "torch.linspace(r.at(0), r.at(1), 3)"), ("r[: r[0].long()]", "r.at(torch.slice(null, r.at(0).long()))"), ("r.split(int(r[0]))", "r.split(r.at(0).item())"),
    ("torch.tensor_split(r, torch.tensor([1]))", "torch.tensorSplit(r, torch.tensor([1]))"), ("torch.column_stack([r, r])", "torch.columnStack([r, r])"), ("torch.atleast_2d([r, r])[0]", "torch.atleast2d([r, r])[0]"),
    ("r.index_put((torch.tensor([0]),), r[:1])", "r.indexPut([torch.tensor([0])], r.at(torch.slice(0, 1)))"), ("r.index_put((r > 0,), r.sum())", "r.indexPut([r.gt(0)], r.sum())"), ("r.index_put((s > 0,), r.sum())", "r.indexPut([s.gt(0)], r.sum())"),
    ("r.masked_scatter(r > 0, s)", "r.maskedScatter(r.gt(0), s)"), ("r.masked_fill(r > 0, 0.0)", "r.maskedFill(r.gt(0), float(0))"), ("torch.where(r > 0, r, 0.0)", "torch.where(r.gt(0), r, float(0))"),
    ("torch.add(r, 1, out=torch.zeros(3))", "torch.add(r, 1, { out: torch.zeros(3) })"), ("torch.add(r, 1, out=torch.zeros_like(r))", "torch.add(r, 1, { out: torch.zerosLike(r) })"), ("torch.add(s, 1, out=torch.zeros(3))", "torch.add(s, 1, { out: torch.zeros(3) })"),
    ("F.rrelu(r)", "F.rrelu(r)"), ("F.dropout(r, 0.5, False)", "F.dropout(r, 0.5, false)"), ("F.dropout(r, 0.0)", "F.dropout(r, 0)"), ("torch.histogram(r, 3)[0]", "torch.histogram(r, 3)[0]"),
    ("torch.nonzero_static(r, size=2)", "torch.nonzeroStatic(r, { size: 2 })"), ("r.sum().flip([])", "r.sum().flip([])"), ("torch.linalg.matrix_rank(torch.outer(r, r))", "torch.linalg.matrixRank(torch.outer(r, r))"),
    ("r if s.sum() > 0 else -r", "s.sum().gt(0).item() ? r : r.neg()"), ("r if torch.equal(s, s) else -r", "torch.equal(s, s) ? r : r.neg()"), ("torch.from_numpy(r.numpy())", "torch.tensor([...r.data])"), ("torch.tensor(r.tolist())", "torch.tensor(r.toArray())"),
    ("(str(r), r)[1]", "(String(r), r)"), ("F.embedding_bag(r.long().abs().view(1, 3) % 3, m.t())", "F.embeddingBag(r.long().abs().view(1, 3).remainder(3), m.t())"), ("gru(r.view(1, 3))[0]", "gru(r.view(1, 3))[0]"), ("gru(s.view(1, 3))[0].shape[0] + r", "r.add(gru(s.view(1, 3))[0].size(0))"),
    ("vmap(lambda q: q * r.sum())(r)", "vmap((q) => q.mul(r.sum()))(r)"), ("vmap(lambda q: q.item())(r)", "vmap((q) => q.item())(r)"), ("vmap(lambda q: s.mul(r.sum().item()))(s)", "vmap((q) => s.mul(r.sum().item()))(s)"),
)

# ---------------------------------------------------------------- vmap: dimensions
def dimensions(arguments, function, options, python_arguments=None, python_function=None):
    """A call with options in Python's words; lists of TypeScript are tuples."""
    python = options.replace("[", "(").replace("]", ",)").replace("null", "None").replace("inDims:", "in_dims=").replace("outDims:", "out_dims=").replace("{ a", "{'a'").replace(", b:", ", 'b':").replace("(,)", "()")
    inside = (python_arguments or arguments)
    typescript = f"vmap({function}, {{ {options} }})({arguments})" if options else f"vmap({function})({arguments})"
    calls("vmap dimensions", (f"vmap({python_function}, {python})({inside})", typescript))


ONE, TWO = ("(x) => x.sin()", "lambda x: x.sin()"), ("(x, y) => x.add(y)", "lambda x, y: x + y")
for given, function, options in (
    ("m", ONE, "inDims: 0"), ("m", ONE, "inDims: 1"), ("m", ONE, "inDims: -1"), ("m", ONE, "inDims: 2"), ("m", ONE, "inDims: -3"), ("m", ONE, "inDims: [0, 0]"), ("m", ONE, "inDims: null"), ("m", ONE, "inDims: [null]"), ("m", ONE, "inDims: []"),
    ("m", ONE, "inDims: 0.5"), ("m", ONE, "inDims: [0.5]"), ("m", ONE, "inDims: 'a'"), ("m", ONE, "inDims: [[0]]"), ("", ("() => 1", "lambda: 1"), "inDims: 0"), ("2", ("(x) => x", "lambda x: x"), "inDims: 0"), ("s.sum()", ONE, "inDims: 0"),
    ("m, m", TWO, "inDims: 0"), ("m, m", TWO, "inDims: [0]"), ("m, m", TWO, "inDims: [0, 1]"), ("m, s", TWO, "inDims: [0, null]"), ("m, s", TWO, "inDims: 0"), ("m, s", TWO, "inDims: [1, 0]"), ("m, 2", TWO, "inDims: [0, null]"), ("m, 2", TWO, "inDims: 0"),
    ("m", ONE, "outDims: 0"), ("m", ONE, "outDims: 1"), ("m", ONE, "outDims: -1"), ("m", ONE, "outDims: 2"), ("m", ONE, "outDims: -3"), ("m", ONE, "outDims: null"), ("m", ONE, "outDims: [1]"), ("m", ONE, "outDims: [0, 0]"), ("m", ONE, "outDims: 0.5"), ("m", ONE, "outDims: 'a'"), ("m", ONE, "outDims: [null]"),
    ("m", ("(x) => s", "lambda x: s"), "outDims: null"), ("m", ("(x) => s", "lambda x: s"), "outDims: 0"), ("m", ("(x) => s.sin()", "lambda x: s.sin()"), "outDims: null"), ("m", ("(x) => 3", "lambda x: 3"), "outDims: null"), ("m", ("(x) => 3", "lambda x: 3"), "outDims: 0"),
    ("m", ("(x) => [x, s]", "lambda x: (x, s)"), "outDims: [0, null]"), ("m", ("(x) => [x, s]", "lambda x: (x, s)"), "outDims: [1, 0]"), ("m", ("(x) => [x, s]", "lambda x: (x, s)"), "outDims: null"), ("m", ("(x) => [x, s]", "lambda x: (x, s)"), "outDims: [0]"),
    ("m", ("(x) => [x, x.sum()]", "lambda x: (x, x.sum())"), "outDims: 1"), ("m", ("(x) => [x, x.sum()]", "lambda x: (x, x.sum())"), "outDims: [1, 0]"), ("m", ("(x) => [x, 2]", "lambda x: (x, 2)"), "outDims: [0, null]"), ("m", ("(x) => [x, 2]", "lambda x: (x, 2)"), "outDims: 0"),
    ("m", ("(x) => ({ a: x, b: s })", "lambda x: {'a': x, 'b': s}"), "outDims: { a: 1, b: null }"), ("m", ("(x) => ({ a: x, b: s })", "lambda x: {'a': x, 'b': s}"), "outDims: { a: 1 }"), ("m", ("(x) => [[x, s], x]", "lambda x: ((x, s), x)"), "outDims: [0, 1]"),
    ("m", ("(x) => null", "lambda x: None"), "outDims: null"), ("m", ("(x) => null", "lambda x: None"), "outDims: 0"), ("m", ("(x) => []", "lambda x: ()"), "outDims: 0"),
): dimensions(given, function[0], options, python_function=function[1])
DICT = ("(d) => d.a.add(d.b)", "lambda d: d['a'] + d['b']")
for options in ("inDims: 0", "inDims: [0]", "inDims: [{ a: 0, b: 0 }]", "inDims: [{ a: 1, b: null }]", "inDims: [{ a: 0 }]", "inDims: [[0, 0]]"):
    dimensions("{ a: m, b: m }" if "null" not in options else "{ a: m, b: s.at([0, 1]) }", DICT[0], options, "{'a': m, 'b': m}" if "null" not in options else "{'a': m, 'b': s[[0, 1]]}", DICT[1])
LIST = ("([a, b]) => a.add(b)", "lambda d: d[0] + d[1]")
for options in ("inDims: 0", "inDims: [0]", "inDims: [[0, 0]]", "inDims: [[0, null]]", "inDims: [[0]]", "inDims: [[0, 0], 0]"):
    dimensions("[m, m]" if "null" not in options else "[m, s]", LIST[0], options, "(m, m)" if "null" not in options else "(m, s)", LIST[1])

# ---------------------------------------------------------------- vmap: random numbers
def random(python, typescript=None):
    typescript = typescript or python
    for mode in ("error", "different", "same"):
        calls("vmap random", (f'y = vmap(lambda r: {python}, randomness="{mode}")(m)\nreturn y, torch.rand(2)', f'const y = vmap((r) => {typescript}, {{ randomness: "{mode}" }})(m);\nreturn [y, torch.rand(2)]'))


for text in ("torch.rand(2)", "torch.rand(20)", "torch.randn(3).add(r)", "torch.randn(20)", "torch.randperm(4)", "torch.ones(2)", "torch.bernoulli(s.mul(0.5))", "torch.poisson(s)", "torch.multinomial(s, 2)", "torch.zeros(3).normal_()", "torch.zeros(3).uniform_().add(r)",
             "r.clone().normal_()", "r.clone().uniform_()", "r.clone().exponential_()", "r.clone().cauchy_()", "r.clone().random_(5)", "r.clone().bernoulli_(0.5)", "torch.stack([torch.rand(3), torch.rand(3).mul(r)])", "torch.stack([torch.randn(3), torch.randn(3).mul(r)])",
             "F.dropout(r, 0.5)", "F.dropout(s, 0.5)", "F.dropout(r, 1)", "F.dropout(r, 0.25).add(torch.rand(3))", "torch.rand(2, 2).matmul(torch.randn(2, 2))"): random(text)
random("torch.randint(9, (2,))", "torch.randint(9, [2])")
random("torch.randint(3, 9, (2,))", "torch.randint(3, 9, [2])")
random("torch.rand_like(r)", "torch.randLike(r)")
random("torch.rand_like(s)", "torch.randLike(s)")
random("torch.randn_like(r)", "torch.randnLike(r)")
random("torch.randint_like(r, 5)", "torch.randintLike(r, 5)")
random("torch.normal(0.0, 1.0, (3,))", "torch.normal(float(0), float(1), [3])")
random("torch.normal(s, 1.0)", "torch.normal(s, float(1))")
random("torch.native_dropout(r, 0.5, True)[0]", "torch.nativeDropout(r, 0.5, true)[0]")
random('vmap(lambda q: q * torch.rand(2), randomness="different")(r)', 'vmap((q) => q.mul(torch.rand(2)), { randomness: "different" })(r)')
random('vmap(lambda q: q * torch.rand(2), randomness="same")(r)', 'vmap((q) => q.mul(torch.rand(2)), { randomness: "same" })(r)')
random('vmap(lambda q: q * torch.rand(2))(r)', 'vmap((q) => q.mul(torch.rand(2)))(r)')
random('vmap(lambda q: torch.rand(2), randomness="same")(r) + torch.rand(2)', 'vmap((q) => torch.rand(2), { randomness: "same" })(r).add(torch.rand(2))')
for python, typescript in (("torch.bernoulli(r.sigmoid())", "torch.bernoulli(r.sigmoid())"), ("torch.normal(r, 1.0)", "torch.normal(r, float(1))"), ("torch.poisson(r.abs())", "torch.poisson(r.abs())"), ("torch.multinomial(r.abs() + 1, 2)", "torch.multinomial(r.abs().add(1), 2)"), ("torch.bernoulli(r, 0.5)", "torch.bernoulli(r, 0.5)")):
    calls("vmap random", (f'vmap(lambda r: {python}, randomness="same")(m)', f'vmap((r) => {typescript}, {{ randomness: "same" }})(m)'))
calls("vmap random", ('vmap(lambda r: r, randomness="other")(m)', 'vmap((r) => r, { randomness: "other" })(m)'), ('vmap(lambda r: r, randomness=None)(m)', 'vmap((r) => r, { randomness: null })(m)'))


# ---------------------------------------------------------------- control flow
def flow(*pairs):
    calls("control flow", *pairs)


def branches(*functions):
    for true, false, true_ts, false_ts in functions:
        flow((f"torch.cond(p, lambda a: {true}, lambda a: {false}, (s,))", f"cond(p, (a) => {true_ts}, (a) => {false_ts}, [s])"))
        flow((f"torch.cond(~p, lambda a: {true}, lambda a: {false}, (s,))", f"cond(p.logicalNot(), (a) => {true_ts}, (a) => {false_ts}, [s])"))


def alike(*texts):
    for true, false in texts: branches((true, false, true, false))


alike(("a.sin()", "a.cos()"), ("a.sin()", "a.double()"), ("a.add_(1)", "a.cos()"), ("a.cos()", "a.add_(1)"), ("a", "a.cos()"), ("a.view(3, 1)", "a.cos().view(3, 1)"), ("1", "2"), ("1.5", "2.5"), ("[a.sin(), 1]", "[a.cos(), 2]"), ("1", "a.sum()"),
      ("a.sum().item()", "a.prod().item()"), ("a.sin()", "a.long()"), ("[a.sin()]", "[a.cos(), a.sin()]"), ("a.add(s)", "a.mul(s)"), ("a.clone().add_(1)", "a.cos()"), ("s.add_(a)", "a.cos()"), ("a.sum()", "a.prod()"), ("m.add(a)", "m.mul(a)"))
branches(("(s.add_(a), a.sin())[1]", "a.cos()", "(s.add_(a), a.sin())", "a.cos()"), ("None", "None", "null", "null"), ("[a.sin(), None]", "[a.cos(), None]", "[a.sin(), null]", "[a.cos(), null]"), ("a.sin()", "a[:2].clone()", "a.sin()", "a.at(torch.slice(0, 2)).clone()"))
flow(
    ("torch.cond(True, lambda a: a.double(), lambda a: a, (s,))", "cond(true, (a) => a.double(), (a) => a, [s])"), ("torch.cond(m.sum(), lambda a: a.sin(), lambda a: a.cos(), (s,))", "cond(m.sum(), (a) => a.sin(), (a) => a.cos(), [s])"),
    ("torch.cond(p, lambda a, b: [a + b, a - b], lambda a, b: [b.sin(), a.sin()], (s, s + 1))", "cond(p, (a, b) => [a.add(b), a.sub(b)], (a, b) => [b.sin(), a.sin()], [s, s.add(1)])"),
    ("torch.cond(p, lambda a: torch.cond(a.sum() > 0, lambda b: b.sin(), lambda b: b.double(), (a,)), lambda a: a.cos(), (s,))", "cond(p, (a) => cond(a.sum().gt(0), (b) => b.sin(), (b) => b.double(), [a]), (a) => a.cos(), [s])"),
)
for condition, body, condition_ts, body_ts in (
    ("i < 3", "(i + 1, y * 2)", "i.lt(3)", "[i.add(1), y.mul(2)]"), ("i < 3", "(i + 1, y.double())", "i.lt(3)", "[i.add(1), y.double()]"), ("i < 3", "(i + 1, y[:2].clone())", "i.lt(3)", "[i.add(1), y.at(torch.slice(0, 2)).clone()]"),
    ("i < 3", "(i + 1,)", "i.lt(3)", "[i.add(1)]"), ("i < 3", "(i + 1, y.add_(1))", "i.lt(3)", "[i.add(1), y.add_(1)]"), ("i < 3", "(i + 1, y)", "i.lt(3)", "[i.add(1), y]"), ("(3 - i).float()", "(i + 1, y * 2)", "i.neg().add(3).float()", "[i.add(1), y.mul(2)]"),
    ("y < 3", "(i + 1, y * 2)", "y.lt(3)", "[i.add(1), y.mul(2)]"), ("True", "(i + 1, y * 2)", "true", "[i.add(1), y.mul(2)]"), ("(i < 3).view(1)", "(i + 1, y * 2)", "i.lt(3).view(1)", "[i.add(1), y.mul(2)]"), ("i < 0", "(i + 1, y.double())", "i.lt(0)", "[i.add(1), y.double()]"),
    ("i < 0", "(i + 1, y * 2)", "i.lt(0)", "[i.add(1), y.mul(2)]"), ("i < 3", "(i + 1.5, y * 2)", "i.lt(3)", "[i.add(1.5), y.mul(2)]"),
): flow((f"while_loop(lambda i, y: {condition}, lambda i, y: {body}, (torch.tensor(0), s))", f"whileLoop((i, y) => {condition_ts}, (i, y) => {body_ts}, [torch.tensor(0), s])"))
for body, body_ts in (
    ("[c + r, c * r]", "[c.add(r), c.mul(r)]"), ("[(c + r).double(), c * r]", "[c.add(r).double(), c.mul(r)]"), ("[(c + r)[:1].clone(), c * r]", "[c.add(r).at(torch.slice(0, 1)).clone(), c.mul(r)]"), ("[c.add_(r), c * r]", "[c.add_(r), c.mul(r)]"), ("[c + r, r.add_(1)]", "[c.add(r), r.add_(1)]"),
    ("[c, c * r]", "[c, c.mul(r)]"), ("[c + r, r]", "[c.add(r), r]"), ("[c + r, None]", "[c.add(r), null]"), ("[c + r, (c * r).sum()]", "[c.add(r), c.mul(r).sum()]"), ("[c + r, (c * r).double()]", "[c.add(r), c.mul(r).double()]"),
): flow((f"scan(lambda c, r: {body}, m[0].clone(), m)", f"scan((c, r) => {body_ts}, m.at(0).clone(), m)"))
flow(("scan(lambda c, r: [c + r, c * r], torch.zeros(3, dtype=torch.int64), m)", "scan((c, r) => [c.add(r), c.mul(r)], torch.zeros(3, { dtype: 'int64' }), m)"))
for body in ("r.sin()", "r.double()", "r.add_(1)", "r", "1", "[r.sin(), r.cos()]", "r.sum()", "r.view(1, 3)", "s.add_(r)", "r.sum().item()"): flow((f"hmap(lambda r: {body}, m)", f"map((r) => {body}, m)"))
flow(("hmap(lambda r: None, m)", "map((r) => null, m)"))
for body, body_ts in (("a + b", "a.add(b)"), ("(a + b).double()", "a.add(b).double()"), ("(a + b).sum()", "a.add(b).sum()"), ("a.add_(b)", "a.add_(b)"), ("a", "a"), ("[a + b]", "[a.add(b)]"), ("a.sin() + b.sum()", "a.sin().add(b.sum())"), ("(a + b).long()", "a.add(b).long()")):
    flow((f'associative_scan(lambda a, b: {body}, m, 0, combine_mode="pointwise")', f'associativeScan((a, b) => {body_ts}, m, {{ dim: 0 }})'))
for body, body_ts in (("a + b", "a.add(b)"), ("(a + b).double()", "a.add(b).double()"), ("(a + b).long()", "a.add(b).long()")):
    flow((f'associative_scan(lambda a, b: {body}, m, 0, combine_mode="generic")', f'associativeScan((a, b) => {body_ts}, m, {{ dim: 0, combineMode: "generic" }})'))
for index, index_ts in (("0.5", "0.5"), ("True", "true"), ("torch.tensor(0.5)", "torch.tensor(0.5)"), ("torch.tensor(1.0)", "torch.tensor(float(1))"), ("torch.tensor(1.7)", "torch.tensor(1.7)"), ("torch.tensor(-0.5)", "torch.tensor(-0.5)"), ("torch.tensor(True)", "torch.tensor(true)"), ("torch.tensor([1])", "torch.tensor([1])"), ("-3", "-3"), ("torch.tensor(-3)", "torch.tensor(-3)"), ("torch.tensor(float('nan'))", "torch.tensor(NaN)"), ("torch.tensor(1)", "torch.tensor(1)")):
    flow((f"switch({index}, (lambda a: a.sin(), lambda a: a.cos()), (s,))", f"torch.switch({index_ts}, [(a) => a.sin(), (a) => a.cos()], [s])"))
flow(("switch(torch.tensor(0), (lambda a: a.sin(), lambda a: a.double()), (s,))", "torch.switch(torch.tensor(0), [(a) => a.sin(), (a) => a.double()], [s])"), ("switch(torch.tensor(0), (lambda a: a.sin(), lambda a: a.add_(1)), (s,))", "torch.switch(torch.tensor(0), [(a) => a.sin(), (a) => a.add_(1)], [s])"))


# ---------------------------------------------------------------- numbers
for row in ("[3e38, -3e38, 1]", "[3e38, -3e38, 1, 2]", "[3e38, 3e38, 3e38]", "[1e20, -1e20, 1]", "[3e38, 3e38, 3e38, -3e38]", "[2e38, -2e38, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", "[3e38, -3e38, 3e38, -3e38, 1, 1, 1, 1, 1, 1, 1, 1]", "[1.7e38, -1.6e38, 1]", "[1, 1, 3e38, 1, 1, 1, 1, 1, 1, -3e38, 5]"):
    calls("numbers", (f"torch.native_layer_norm(torch.tensor({row}), ({row.count(',') + 1},), None, None, 1e-5)", f"torch.nativeLayerNorm(torch.tensor({row}).to('float32'), [{row.count(',') + 1}], null, null, 1e-5)"),
          (f"F.group_norm(torch.tensor({row}).view(1, 1, -1), 1)", f"F.groupNorm(torch.tensor({row}).to('float32').view(1, 1, -1), 1)"))
SPECTRUM = "torch.stft(torch.arange(16.0), 4, window=torch.ones(4), return_complex=True)"
SPECTRUM_TS = "torch.stft(torch.arange(16).float(), 4, { window: torch.ones(4), returnComplex: true })"
for window, window_ts in (("torch.zeros(4)", "torch.zeros(4)"), ("torch.tensor([0.0, 0.0, 0.0, 1.0])", "torch.tensor([0, 0, 0, 1]).float()"), ("torch.tensor([0.0, 1.0, 1.0, 0.0])", "torch.tensor([0, 1, 1, 0]).float()"), ("torch.hann_window(4)", "torch.hannWindow(4)"), ("torch.full((4,), 1e-7)", "torch.full([4], 1e-7)"), ("torch.full((4,), 1e-5)", "torch.full([4], 1e-5)")):
    for center in (True, False):
        for rest, rest_ts in (("", ""), (", hop_length=4", ", hopLength: 4"), (", length=6", ", length: 6")):
            calls("numbers", (f"torch.istft({SPECTRUM}, 4, window={window}, center={center}{rest})", f"torch.istft({SPECTRUM_TS}, 4, {{ window: {window_ts}, center: {str(center).lower()}{rest_ts} }})"))
for dtype in ("int32", "int64", "int16", "float32"):
    calls("numbers", (f"torch._grouped_mm(torch.ones(6, 16).bfloat16(), torch.ones(2, 16, 8).bfloat16(), torch.tensor([2, 6]).to(torch.{dtype}))", f"torch.ops.aten._grouped_mm.default(torch.ones(6, 16).bfloat16(), torch.ones(2, 16, 8).bfloat16(), torch.tensor([2, 6]).to('{dtype}'))"))


# ---------------------------------------------------------------- containers
for name in ("keys", "training", "forward", "values", "items", "pop", "clear", "update", "weight", "a.b", "", "0", "type", "to", "length", "name", "children", "parameters", "register_buffer", "layers", "relu", "train", "eval", "half"):
    calls("containers", (f"list(nn.ModuleDict({{{name!r}: nn.ReLU()}}).keys())", f"new nn.ModuleDict({{ {name!r}: new nn.ReLU() }}).keys()"))
    calls("containers", (f"d = nn.ModuleDict({{'a': nn.ReLU()}})\nd[{name!r}] = nn.Tanh()\nreturn list(d.keys())", f"const d = new nn.ModuleDict({{ a: new nn.ReLU() }});\nd.set({name!r}, new nn.Tanh());\nreturn d.keys()"))
for place in (0, 1, 2, 3, 9): calls("containers", (f"l = nn.ModuleList([nn.ReLU(), nn.Tanh()])\nl.insert({place}, nn.Sigmoid())\nreturn [str(each) for each in l]", f"const l = new nn.ModuleList([new nn.ReLU(), new nn.Tanh()]);\nl.insert({place}, new nn.Sigmoid());\nreturn [...l].map(String)"))
for place in (-1, -2, -9, 1.5): calls("containers", (f"nn.ModuleList([nn.ReLU(), nn.Tanh()]).insert({place}, nn.Sigmoid())", f"new nn.ModuleList([new nn.ReLU(), new nn.Tanh()]).insert({place}, new nn.Sigmoid())"))
calls("containers", ("nn.Sequential(nn.ReLU()).add_module('training', nn.Tanh())", "new nn.Sequential(new nn.ReLU()).addModule('training', new nn.Tanh())"))


# ---------------------------------------------------------------- running
def full(value):
    layer = nn.Linear(2, 2)
    with torch.no_grad():
        for each in layer.parameters(): each.fill_(value)
    return layer


def scope():
    torch.manual_seed(5)
    fixed = {"tied": Tied(), "counter": Counter(), "x": torch.ones(1, 2), "w": torch.full((2, 2), 2.), "v": torch.full((2, 2), 3.),
             "m": torch.tensor([[1., -2., 3.], [0., 5., -6.]]), "s": torch.ones(3), "gru": nn.GRU(3, 3), "p": torch.tensor(True)}
    torch.manual_seed(5)
    return {**globals(), **fixed}


def plain(value):
    if isinstance(value, torch.Tensor):
        if value.is_complex(): value = torch.view_as_real(value.resolve_conj())
        numbers = [number if abs(number) < float("inf") else str(number).replace("inf", "Infinity").replace("nan", "NaN") for number in value.detach().double().flatten().tolist()]
        return {"dtype": str(value.dtype)[6:], "shape": list(value.shape), "values": numbers}
    if isinstance(value, (tuple, list)): return [plain(each) for each in value]
    if isinstance(value, dict): return {key: plain(each) for key, each in value.items()}
    return value


def wanted(python):
    body = python if "return " in python else f"return {python}"
    lines = "\n    ".join(body.split("\n"))
    names = scope()
    torch._dynamo.reset()
    try:
        exec(f"def run():\n    {lines}", names)
        return {"result": plain(names["run"]())}
    except SyntaxError: raise
    except BaseException as error:
        return {"error": type(error).__name__, "refused": str(error).strip()}


def main(path, *sections):
    entries = [{"section": section, "python": python, "typescript": typescript, "wanted": wanted(python)}
               for section, python, typescript in CALLS if sections == () or section in sections]
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(("[\n" + ",\n".join("  " + json.dumps(entry) for entry in entries) + "\n]\n").encode())


if __name__ == "__main__": main(*sys.argv[1:])
