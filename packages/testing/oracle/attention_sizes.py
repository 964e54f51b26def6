"""Writes fixtures/dynamic-shapes/attention-sizes.json.gz: scaled dot product attention of sizes that only the data decide,
with the question that PyTorch's export cannot answer (null where it exports).

"q", "k", "v" and "mask" are sizes: numbers, or "u0" and "u1" for the two that are read from tensors.

Usage (with PyTorch): python3 attention_sizes.py ATTENTION-SIZES.json.gz
"""
import gzip
import json
import logging
import re
import sys
import warnings

import torch
import torch.nn.functional as F

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")


def cases():
    fixed = [4, 4, 4, 4]

    def at(dim, size):
        return [size if d == dim else 4 for d in range(4)]

    for dim in range(4):
        for q, k, v in ((None, 0, 0), (0, 1, 1), (0, 0, 1), (0, 0, 0), (0, None, None), (None, None, 1), (None, 0, None)):
            yield dict(zip("qkv", (fixed if n is None else at(dim, f"u{n}") for n in (q, k, v))))
    for mask in (["u0", 4], [4, "u0"], ["u0", 4, 4, 4], [4, "u0", 4, 4], ["u0", "u1", 4, 4], [1, 1, 4, "u0"], [1, "u0", 4, 4]):
        yield {"q": fixed, "k": fixed, "v": fixed, "mask": mask}
    rows = at(0, "u0")
    yield {"q": rows, "k": rows, "v": rows, "mask": ["u1", 1, 4, 4]}
    yield {"q": rows, "k": rows, "v": rows, "mask": ["u0", 1, 4, 4]}
    lines = at(2, "u0")
    yield {"q": lines, "k": lines, "v": lines, "mask": ["u0", "u0"]}
    yield {"q": lines, "k": lines, "v": lines, "mask": ["u0", "u1"]}
    for heads in ("u0", 2):
        yield {"q": fixed, "k": at(1, heads), "v": at(1, heads), "gqa": True}
    yield {"q": at(1, "u0"), "k": at(1, 2), "v": at(1, 2), "gqa": True}


def question(case):
    class Model(torch.nn.Module):
        def forward(self, a, b):
            known = {"u0": a.item(), "u1": b.item()}
            for size in known.values():
                torch._check(size >= 1)
                torch._check(size < 100)
            q, k, v = (torch.zeros([known.get(size, size) for size in case[name]]) for name in "qkv")
            mask = torch.zeros([known.get(size, size) for size in case["mask"]]) if "mask" in case else None
            return F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=case.get("gqa", False))

    try:
        torch.export.export(Model(), (torch.tensor(3), torch.tensor(3)))
        return None
    except Exception as error:
        found = re.search(r"data-dependent expression (.*?) \(unhinted", str(error))
        if found is None:
            raise
        return found[1]


def main(path):
    entries = [dict(case, question=question(case)) for case in cases()]
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(("[\n" + ",\n".join("  " + json.dumps(entry) for entry in entries) + "\n]\n").encode())


main(*sys.argv[1:])
