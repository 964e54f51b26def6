"""Asks PyTorch what its `out=` overloads do when an output is an operand too, or shares memory with one.

    python3 output_operands.py targets.json ../../ops-cases/cases TABLE.ts VERDICTS.json

`targets.json` lists the overloads with outputs: `node dtype_targets.mjs targets.json --outputs` writes it. TABLE.ts is
packages/ops/src/outputs/operand-rules.ts, the exceptions from what Sconce expects. VERDICTS.json (packed with gzip -9n) is
packages/testing/fixtures/ops/output-operands.json.gz: by target, rows of `[output, operand, letters]`. The letters are for the
tensor itself where the result has its sizes, and where it has others; for another view of its memory; and for memory that
begins one element later.

    =  the result of the functional overload        #  another result: the kernel reads what it has written
    s  "output with shape ... doesn't match the broadcast shape"
    o  "unsupported operation: some elements of the input tensor and the written-to tensor ..."
    x  another refusal        .  no recorded call
"""

import collections
import json
import sys

import torch

from dtype_grid import load, overload, rebuilt, tensors_in
from output_dtypes import calls_of, in_child, outputs_of

KINDS = ("same", "other", "view", "later")


def letter_of(function, args, kwargs, i, wanted):
    torch.manual_seed(0)
    try:
        result = function(*args, **kwargs)
    except Exception as error:
        text = str(error)
        if "doesn't match the broadcast shape" in text:
            return "s"
        return "o" if text.startswith("unsupported operation: some elements of the input tensor") else "x"
    result = result[i] if isinstance(result, (tuple, list)) else result
    return "=" if torch.allclose(result, wanted.to(result.dtype), 1e-4, 1e-5, equal_nan=True) and result.shape == wanted.shape else "#"


def later(tensor, shape):
    """The tensor in new memory, and memory of a shape that begins one element later."""
    count = 1
    for size in shape:
        count *= size
    base = torch.zeros(max(tensor.numel(), count) + 1, dtype=tensor.dtype)
    base[: tensor.numel()] = tensor.flatten()
    return base[: tensor.numel()].view(tensor.shape), base[1 : count + 1].view(shape)


def given(kind, tensor, shape):
    """The operand and the output of a call; none where the kind does not apply."""
    operand = tensor.clone()
    if kind == "same":
        return (operand, operand) if tensor.shape == shape else None
    if kind == "other":
        return None if tensor.shape == shape else (operand, operand)
    if kind == "view":
        return (operand, operand.view(operand.shape)) if tensor.shape == shape else None
    return later(tensor.contiguous(), shape)


def rows_of(target, functional_target, calls):
    """{output, operand: letters by kind}"""
    function, functional = overload(target), overload(functional_target)
    names = outputs_of(function)
    if any(str(one.type) != "Tensor" for one in function._schema.arguments if one.name in names):
        return []
    own = [one.name for one in function._schema.arguments if not one.kwarg_only]
    found = {}
    for kept, _ in calls_of(function, functional, calls):
        args, kwargs = kept
        try:
            torch.manual_seed(0)
            results = functional(*rebuilt(args, {}), **rebuilt(kwargs, {}))
        except Exception:
            continue
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        if len(results) != len(names) or not all(isinstance(one, torch.Tensor) for one in results):
            continue
        for path, tensor in tensors_in(list(kept)):
            operand = own[path[1]] if path[0] == 0 else path[1]
            for i, result in enumerate(results):
                if tensor.dtype != result.dtype or tensor.numel() < 2 or result.numel() == 0:
                    continue
                letters = found.setdefault((i, operand), {})
                for kind in KINDS:
                    pair = None if kind in letters and letters[kind] != "x" else given(kind, tensor, result.shape)
                    if pair is None:
                        continue
                    new = rebuilt(list(kept), {path: pair[0]})
                    outs = {name: pair[1] if k == i else torch.zeros_like(results[k]) for k, name in enumerate(names)}
                    letters[kind] = letter_of(function, new[0], {**new[1], **outs}, i, result)
        if len(found) and all(len(one) == len(KINDS) for one in found.values()):
            break
    return [[i, operand, "".join(letters.get(kind, ".") for kind in KINDS)] for (i, operand), letters in found.items()]


def rule_of(letters):
    """What Sconce does with the tensor itself, with one of other sizes, and with a part of its memory. A call whose kernel reads
    what it has written is refused."""
    same, other, view, part = ("o" if letter in "#x" else letter for letter in letters)
    if same == ".":
        same = view if view != "." else "o" if other == "o" and part == "o" or letters[3] == "#" else "="
    if other == ".":
        other = "s" if (same, part) == ("=", "o") else part
    return same + other + part


HEADER = '''/**
 * @file Generated by packages/testing/oracle/output_operands.py: what PyTorch 2.14 does with outputs
 * that are operands, or share memory with them. A line is a rule and operands that it is for,
 * `OVERLOAD` for all operands and `OVERLOAD:OPERAND` for one; see `output-operands.ts`.
 */
export const OPERAND_RULES: readonly string[] = [
'''
# Their values are not defined anyway.
UNDEFINED = ("empty_like", "new_empty", "new_empty_strided")


def table_of(verdicts, pointwise):
    """Lines of exceptions."""
    groups = collections.defaultdict(list)
    for target, rows in verdicts.items():
        name = ".".join(target.split(".")[1:])
        expected = "=so" if target in pointwise else "==="
        all_of = collections.defaultdict(lambda: "....")
        for _, operand, letters in rows:
            all_of[operand] = "".join(max(pair, key=".=sxo#".index) for pair in zip(all_of[operand], letters))
        rules = {operand: rule_of(letters) for operand, letters in all_of.items()}
        if name.split(".")[0] in UNDEFINED or set(rules.values()) == {expected}:
            continue
        if len(set(rules.values())) == 1:
            groups[rules.popitem()[1]].append(name)
            continue
        for operand, rule in rules.items():
            if rule != expected:
                groups[rule].append(f"{name}:{operand}")
    return [f"{rule} {' '.join(sorted(names))}" for rule, names in sorted(groups.items())]


def main(targets_path, cases, table_path, verdicts_path):
    calls = load(cases)
    with open(targets_path, encoding="utf-8") as file:
        targets = json.load(file)
    verdicts = {}
    for entry in targets:
        target, functional = entry["target"], entry["functional"]
        rows = in_child(lambda: rows_of(target, functional, calls.get(functional, [])))
        if rows:
            verdicts[target] = rows
    with open(table_path, "w", encoding="utf-8") as file:
        lines = table_of(verdicts, {entry["target"] for entry in targets if entry["pointwise"]})
        file.write(HEADER + "".join(f"  {json.dumps(line)},\n" for line in lines) + "];\n")
    with open(verdicts_path, "w", encoding="utf-8") as file:
        json.dump(verdicts, file, separators=(",", ":"))


if __name__ == "__main__":
    main(*sys.argv[1:])
