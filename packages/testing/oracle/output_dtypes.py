"""Asks PyTorch which dtypes of outputs its `out=` overloads take, and makes the table of Sconce from the answers.

    python3 output_dtypes.py targets.json ../../ops-cases/cases TABLE.ts VERDICTS.json

`targets.json` lists the overloads with outputs: `node dtype_targets.mjs targets.json --outputs` writes it. TABLE.ts is
packages/ops/src/outputs/output-rules.ts, VERDICTS.json (packed with gzip -9n) packages/testing/fixtures/ops/output-verdicts.json.gz.

Recorded calls of the functional overload are made with inputs of each dtype; for each dtype of an output, PyTorch takes the call
or refuses it. A rule says which outputs are taken by the dtype of the functional overload's result.
"""

import collections
import json
import os
import re
import signal
import sys

import torch

from dtype_grid import NAMES, built, converted, from_schema, load, on_cpu, overload, rebuilt, samples_of, tensors_in
from dtype_refusals import L, S

INPUTS = "float32 float64 float16 bfloat16 int64 int32 int16 uint8 bool complex64 complex128 uint16".split()
OUTPUTS = [name for name in NAMES if not name.startswith("float8")]
WIDE = ("uint16", "uint32", "uint64", "complex32")
HALVES = ("float16", "bfloat16")
KINDS = dict(bool=0, float32=2, float64=2, float16=2, bfloat16=2, complex32=3, complex64=3, complex128=3)
kind = lambda name: KINDS.get(name, 1)  # noqa: E731
# What a rule refuses, by the dtypes of result and output.
RULES = dict(
    exact=lambda result, output: result != output,
    cast=lambda result, output: kind(result) > kind(output),
    any=lambda result, output: False,
    truth=lambda result, output: output not in ("bool", "uint8"),
    float=lambda result, output: kind(output) != 2,
    complex=lambda result, output: output not in ("complex64", "complex128"),
    inexact=lambda result, output: kind(output) < 2 or output == "complex32",
    common=lambda result, output: output in WIDE,
    copy=lambda result, output: output in WIDE or kind(result) > kind(output),
    real=lambda result, output: output in WIDE or kind(output) == 3,
    total=lambda result, output: kind(output) != 2 if kind(result) == 2 else output in WIDE,
    deviation=lambda result, output: output not in HALVES if result in HALVES else kind(output) < 2,
)
# Rules that look at the dtype of the input, too.
BY_HAND = {"abs.out": "size", "absolute.out": "size", "fft_fft.out": "spectrum"}


def outputs_of(function):
    return [one.name for one in function._schema.arguments if one.kwarg_only and one.alias_info is not None and one.alias_info.is_write]


def calls_of(function, functional, calls):
    """Calls of the overload without its outputs, and their tensors that change dtype."""
    own = {one.name for one in function._schema.arguments}
    names = [one.name for one in functional._schema.arguments if not one.kwarg_only]
    found = [(args, kwargs) for args, kwargs, _, empty in samples_of(functional, calls) if not empty]
    for args, kwargs in found or from_schema(functional):
        kept = [value for name, value in zip(names, args) if name in own], {key: value for key, value in kwargs.items() if key in own}
        tensors = list(tensors_in(list(kept)))
        main = [path for path, one in tensors if one.dtype.is_floating_point or one.dtype.is_complex]
        main = main or [path for path, one in tensors if one.dtype == tensors[0][1].dtype]
        if all(one.numel() <= 200 for _, one in tensors):
            yield kept, [(path, one) for path, one in tensors if path in main]


def rows_of(target, functional_target, calls):
    """[number of the output, dtypes of result and output, refusal]"""
    function, functional = overload(target), overload(functional_target)
    names, rows, used = outputs_of(function), [], 0
    if any(str(one.type) != "Tensor" for one in function._schema.arguments if one.name in names):
        return []
    for kept, main in calls_of(function, functional, calls):
        before = len(rows)
        for dtype in INPUTS if used == 0 else INPUTS[:1]:
            try:
                args, kwargs = rebuilt(list(kept), {path: converted(one, getattr(torch, dtype)) for path, one in main})
                results = functional(*rebuilt(args, {}), **rebuilt(kwargs, {}))
            except Exception:
                continue
            results = list(results) if isinstance(results, (tuple, list)) else [results]
            if len(results) != len(names) or not all(isinstance(one, torch.Tensor) for one in results):
                continue
            own = [str(one.dtype)[6:] for one in results]
            for i, (result, output) in ((i, (own[i], output)) for i in range(len(names)) for output in OUTPUTS):
                given = {
                    name: torch.zeros(results[k].shape, dtype=getattr(torch, output if k == i else own[k]))
                    for k, name in enumerate(names)
                }
                rows.append([i, result, output, on_cpu(function, rebuilt(args, {}), {**rebuilt(kwargs, {}), **given})])
            if not main:
                break
        used += len(rows) > before
        if used >= 2:
            break
    return rows


def is_factory(function, functional):
    """Whether the result is made in the dtype of the output."""
    has = [any(one.name == "dtype" for one in each._schema.arguments) for each in (function, functional)]
    return has == [False, True]


def in_child(run):
    """What a function returns, from a process of its own: a crash loses only its answer."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(120)
        with os.fdopen(write, "w") as pipe:
            pipe.write(json.dumps(run()))
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else []


def word(text):
    return r"(?<![\w:])" + re.escape(text) + r"(?![\w:<])"


def template(row):
    """The message with `%rS`, `%oL` for names of the dtypes of result and output."""
    _, result, output, message = row
    text = re.sub(r"^\w+(Error|Exception): ", "", message)
    if result == output:
        return None
    for style, names in (("S", S), ("L", L)):
        if re.search(word(names[result]), text) and re.search(word(names[output]), text):
            return re.sub(word(names[output]), "%o" + style, re.sub(word(names[result]), "%r" + style, text))
    for style, names in (("S", S), ("L", L)):
        if re.search(word(names[output]), text):
            return re.sub(word(names[output]), "%o" + style, text)
    return None


def rule_of(rows):
    """The rule that differs from the fewest answers, and its message."""
    misses = {name: sum(refuses(row[1], row[2]) != (row[3] is not None) for row in rows) for name, refuses in RULES.items()}
    best = min(misses, key=lambda name: misses[name])
    messages = collections.Counter(template(row) for row in rows if row[3] is not None and RULES[best](row[1], row[2]))
    messages.pop(None, None)
    return best, messages.most_common(1)[0][0] if messages else "", misses[best]


HEADER = '''/**
 * @file Generated by packages/testing/oracle/output_dtypes.py: which dtypes of outputs `out=`
 * overloads of PyTorch 2.14 take. A line is rule, message and operators; see `output-dtypes.ts`.
 */
export const OUTPUT_RULES: readonly string[] = [
'''


def short(target):
    name, which = target.split(".")[1:]
    return f"{name}.{which}"


def main(targets_path, cases, table_path, verdicts_path):
    calls = load(cases)
    with open(targets_path, encoding="utf-8") as file:
        targets = json.load(file)
    groups, verdicts = collections.defaultdict(list), {}
    for entry in targets:
        target, functional = entry["target"], entry["functional"]
        rows = in_child(lambda: rows_of(target, functional, calls.get(functional, [])))
        if not rows:
            continue
        rule, message, missed = rule_of(rows)
        if is_factory(overload(target), overload(functional)):
            # The dtype tables say which dtypes it makes.
            rule, message, missed = "any", "", 0
        rule = BY_HAND.get(short(target), rule)
        if missed:
            print(target, rule, missed, "of", len(rows), flush=True)
        groups[rule, message].append(short(target))
        if rule == "any" or rule in BY_HAND.values():
            continue
        letters = collections.defaultdict(dict)
        for i, result, output, refusal in rows:
            letters[i, result].setdefault(output, "." if refusal is None else "x")
        verdicts[target] = [[i, result, "".join(given[output] for output in OUTPUTS)] for (i, result), given in letters.items()]
    with open(table_path, "w", encoding="utf-8") as file:
        lines = [f"{rule} {json.dumps(message)}: {' '.join(sorted(names))}" for (rule, message), names in sorted(groups.items())]
        file.write(HEADER + "".join(f"  {json.dumps(line)},\n" for line in lines) + "];\n")
    with open(verdicts_path, "w", encoding="utf-8") as file:
        json.dump(verdicts, file, separators=(",", ":"))


if __name__ == "__main__":
    main(*sys.argv[1:])
