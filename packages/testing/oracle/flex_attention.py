"""Writes fixtures/higher-order/flex-attention.json.gz: what the operator `flex_attention` computes for scores and masks
that the test of `packages/conformance` has as graphs.

Usage (with PyTorch): python3 flex_attention.py OUT.json.gz
"""

import gzip
import json
import logging
import math
import sys
import warnings

import torch

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
index = torch.ops.aten.index


def values(*shape, step=7, dtype=torch.float32):
    count = 1
    for size in shape:
        count *= size
    return ((torch.arange(count) * step % 19 - 9) / 8).reshape(shape).to(dtype)


def everything(b, h, q, k): return b.new_ones((), dtype=torch.bool)
def causal(b, h, q, k): return q >= k
def same(s, b, h, q, k): return s


bias, slope, documents = values(4, 6, step=3), torch.tensor(0.5), torch.tensor([0, 0, 0, 1, 1, 1])
# The functions of scores and of the mask, and the tensors that they read.
CASES = {
    "plain": (same, everything, (), ()),
    "causal": (same, causal, (), ()),
    "masked_rows": (same, lambda b, h, q, k: q > k, (), ()),
    "relative": (lambda s, b, h, q, k: s + (q - k) * 0.25, everything, (), ()),
    "alibi": (lambda s, b, h, q, k, slope: s - torch.abs(q - k) * slope * (h + 1), causal, (slope,), ()),
    "bias": (lambda s, b, h, q, k, bias: s + index(bias, [h, k]),
             lambda b, h, q, k, doc: index(doc, [q]) == index(doc, [k]), (bias,), (documents,)),
    "softcap": (lambda s, b, h, q, k: torch.tanh(s / 2) * 2, lambda b, h, q, k: (q >= k) & (q - k < 3), (), ()),
    "constant": (lambda s, b, h, q, k: (q + k).float(), causal, (), ()),
    "row_sum": (lambda s, b, h, q, k, bias: s + (bias * s).sum() * 0.1, causal, (bias,), ()),
}
OPTIONS = {"BACKEND": "AUTO", "OUTPUT_LOGSUMEXP": True, "OUTPUT_MAX": True}


def attend(q, k, v, scale, score, mask, of_score, of_mask):
    blocks = (1, 1, *[None] * 12, 128, 128, mask)
    results = torch.ops.higher_order.flex_attention(q, k, v, score, blocks, scale, OPTIONS, of_score, of_mask)
    number = lambda value: value if math.isfinite(value) else str(value).replace("inf", "Infinity")
    return [
        [str(one.dtype)[6:], list(one.shape), [number(value) for value in one.flatten().tolist()], list(one.stride())]
        for one in results
    ]


def main(path):
    results = {}
    for dtype in (torch.float32, torch.float64, torch.float16):
        q, k, v = values(2, 4, 5, 3, dtype=dtype), values(2, 2, 6, 3, step=5, dtype=dtype), values(2, 2, 6, 4, step=11, dtype=dtype)
        for name, case in CASES.items():
            results[f"{name} {str(dtype)[6:]}"] = attend(q, k, v, 0.5, *case)
    q, k = values(2, 5, 4, 3).transpose(1, 2), values(1, 4, 6, 3, step=5)
    results["transposed float32"] = attend(q, k, k, 0.5, *CASES["causal"])
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(json.dumps(results).encode())


main(*sys.argv[1:])
