"""Writes fixtures/higher-order/flex-attention.json.gz: what the operator `flex_attention` computes for scores and masks
that the test of `packages/conformance` has as graphs ("operator"), and what PyTorch exports for models that call it,
which the test has in TypeScript ("models"): text, text after `run_decompositions()`, results. PyTorch reads captured
tensors at places by a call of `flat_apply`, which has no form outside of PyTorch: such calls are written as `index`.

Usage (with PyTorch): python3 flex_attention.py OUT.json.gz
"""

import gzip
import json
import logging
import math
import re
import sys
import warnings

import torch
from torch.export import export
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from program_texts import comparable

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


MODELS = {}
causal_mask = create_block_mask(causal, None, None, 16, 16, device="cpu")
of_heads = create_block_mask(lambda b, h, q, k: (q >= k) & (q - k < 4 * (h + 1)), 1, 2, 16, 16, device="cpu", BLOCK_SIZE=8)

document_of = torch.tensor([0] * 6 + [1] * 10)
document_mask = create_block_mask(lambda b, h, q, k: document_of[q] == document_of[k], None, None, 16, 16, device="cpu")


def model(query=(1, 2, 16, 8)):
    def add(function):
        MODELS[function.__name__] = (function, query)
        return function

    return add


@model()
def plain(self, q, k, v): return flex_attention(q, k, v)
@model()
def of_scores(self, q, k, v): return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + (i - j) * 0.5)
@model((1, 4, 16, 8))
def grouped(self, q, k, v): return flex_attention(q, k, v, enable_gqa=True, scale=0.25)
@model()
def masked(self, q, k, v): return flex_attention(q, k, v, block_mask=causal_mask)
@model()
def masked_by_heads(self, q, k, v):
    return flex_attention(q, k, v, block_mask=of_heads, score_mod=lambda s, b, h, i, j: torch.tanh(s / 2) * 2)
@model()
def both_twice(self, q, k, v):
    first = flex_attention(q, k, v, block_mask=causal_mask)
    return flex_attention(first, k, v, block_mask=causal_mask, score_mod=lambda s, b, h, i, j: s * 2).sum(-1)
@model()
def scaled_by_buffer(self, q, k, v):
    return flex_attention(q, k, v, block_mask=causal_mask, score_mod=lambda s, b, h, i, j: s + (i - j) * self.slope)
@model()
def biased(self, q, k, v):
    return flex_attention(q, k, v, block_mask=causal_mask, score_mod=lambda s, b, h, i, j: s + self.bias[h, j] * self.slope)
@model()
def plain_twice(self, q, k, v): return flex_attention(flex_attention(q, k, v), k, v)
@model()
def masks_twice(self, q, k, v):
    return flex_attention(flex_attention(q, k, v, block_mask=causal_mask), k, v, block_mask=of_heads)
@model()
def of_documents(self, q, k, v): return flex_attention(q, k, v, block_mask=document_mask)
@model()
def of_documents_biased(self, q, k, v):
    return flex_attention(q, k, v, block_mask=document_mask, score_mod=lambda s, b, h, i, j: s + self.bias[h, j])
@model()
def half(self, q, k, v):
    with torch.autocast("cpu"): return flex_attention(q, k, v)
@model()
def half_masked(self, q, k, v):
    with torch.autocast("cpu", dtype=torch.float16):
        return flex_attention(q, k, v, block_mask=causal_mask, score_mod=lambda s, b, h, i, j: s + (i - j) * self.slope)
@model()
def half_between(self, q, k, v):
    q = q * 2
    with torch.autocast("cpu"):
        first = flex_attention(q, k, v.matmul(v.transpose(-1, -2)).matmul(v), block_mask=causal_mask)
        second = first.matmul(first.transpose(-1, -2))
    return second.sin() + first.sum()
@model()
def half_and_full(self, q, k, v):
    with torch.autocast("cpu"):
        x = q.matmul(k.transpose(-1, -2))
    with torch.autocast("cpu"):
        y = flex_attention(q, k, v, block_mask=causal_mask)
        with torch.autocast("cpu", enabled=False):
            z = flex_attention(q, k, v, block_mask=causal_mask)
    return x, y, z


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.register_buffer("bias", values(2, 16, step=3))
        self.register_buffer("slope", torch.tensor(0.5))

    def forward(self, q, k, v):
        return self.function(self, q, k, v)


def with_index(text):
    """Calls of `flat_apply` of an index as calls of the operator."""
    text = re.sub(r"^ *(torch__dynamo|function_const)\w* = self.*\n", "", text, flags=re.M)
    call = re.compile(r"torch\.ops\.higher_order\.flat_apply\(\w+, \w+, '[^']*', (\w+), ([^)]*)\);  (.*)$", re.M)
    names = re.compile(r"\b(torch__dynamo|function_const)\w* = ")
    text = call.sub(lambda m: f"torch.ops.aten.index.Tensor({m[1]}, [{m[2]}]);  {names.sub('', m[3])}", text)
    return re.sub(r"\bflat_apply(_\d+)?\b", r"index\1", text)


def text_of(program):
    """The text without ranges of symbols of other exports, which PyTorch keeps from cached fakes."""
    return re.sub(r"Range constraints: .*$", "Range constraints: {}", with_index(comparable(str(program))))


def numbers(results):
    all = results if isinstance(results, tuple) else (results,)
    return [value for one in all for value in one.flatten().tolist()]


def exported(function, query):
    torch._dynamo.reset()
    args = values(*query), values(1, 2, 16, 8, step=5), values(1, 2, 16, 8, step=11)
    subject = Model(function)
    with torch.no_grad():
        program = export(subject, args)
    text = text_of(program)
    try:
        lowered = text_of(program.run_decompositions())
    except Exception:
        lowered = None
    return {"text": text, "lowered": lowered, "results": numbers(subject(*args))}


def main(path):
    results = {}
    for dtype in (torch.float32, torch.float64, torch.float16):
        q, k, v = values(2, 4, 5, 3, dtype=dtype), values(2, 2, 6, 3, step=5, dtype=dtype), values(2, 2, 6, 4, step=11, dtype=dtype)
        for name, case in CASES.items():
            results[f"{name} {str(dtype)[6:]}"] = attend(q, k, v, 0.5, *case)
    q, k = values(2, 5, 4, 3).transpose(1, 2), values(1, 4, 6, 3, step=5)
    results["transposed float32"] = attend(q, k, k, 0.5, *CASES["causal"])
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        models = {name: exported(*case) for name, case in MODELS.items()}
        file.write(json.dumps({"operator": results, "models": models}).encode())


main(*sys.argv[1:])
