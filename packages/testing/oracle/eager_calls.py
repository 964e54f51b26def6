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
    ('s = {"n": w[0]}\ny = functional_call(counter, s, v)\nreturn y, s["n"], counter.n, counter.m', 'const s = { n: w.at(0) };\nconst y = functionalCall(counter, s, v);\nreturn [y, s.n, counter.n, counter.m]'),
    ('s = {"n": w[0]}\ny = functional_call(counter, (s,), v)\nreturn y, s["n"], counter.n, counter.m', 'const s = { n: w.at(0) };\nconst y = functionalCall(counter, [s], v);\nreturn [y, s.n, counter.n, counter.m]'),
    ('s = {"m": w[0]}\ny = functional_call(counter, s, v)\nreturn y, s["m"], counter.n, counter.m', 'const s = { m: w.at(0) };\nconst y = functionalCall(counter, s, v);\nreturn [y, s.m, counter.n, counter.m]'),
    ('s = {"z": w[0]}\ny = functional_call(counter, s, v)\nreturn y, hasattr(counter, "z")', 'const s = { z: w.at(0) };\nconst y = functionalCall(counter, s, v);\nreturn [y, "z" in counter]'),
    ('s = {"a.weight": w, "count": w}\ntry: functional_call(tied, s, x)\nexcept TypeError: pass\nreturn tied.a.weight', 'const s = { "a.weight": w, count: w };\ntry { functionalCall(tied, s, x); } catch {}\nreturn tied.a.weight'),
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
    ("[full(2), nn.Linear(2, 2, bias=False)]", None),
):
    if typescript is not None: calls("stack_module_state", (STACKED % models, STACKED_TS % typescript))


# ---------------------------------------------------------------- running
def full(value):
    layer = nn.Linear(2, 2)
    with torch.no_grad():
        for each in layer.parameters(): each.fill_(value)
    return layer


def scope():
    torch.manual_seed(5)
    fixed = {"tied": Tied(), "counter": Counter(), "x": torch.ones(1, 2), "w": torch.full((2, 2), 2.), "v": torch.full((2, 2), 3.)}
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
