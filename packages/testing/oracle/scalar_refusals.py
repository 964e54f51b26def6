"""Asks PyTorch which numbers its CPU kernels refuse because the dtype that they convert them to cannot hold them.

    python3 scalar_refusals.py ../fixtures/ops/scalar-refusals.json.gz

A call is `[target, args, kwargs]`, where capital letters stand for values:

  V   the number                     T   a 0-d tensor of it, float64 or int64
  X   ones of the shape and dtype    X1  the same, with at least one dimension
  X2  ones with two more elements in a last dimension
  A   a square matrix, B a batch of them: as long as the first size
  M   a mask, I one index, IX indices of the shape, J labels, S the shape, D the dtype

Each call is made with all dtypes, shapes and numbers. A verdict is a letter: `.` where PyTorch takes the call, `-` where it
refuses it for another reason, or the place of its message in `messages`, from `a`.
"""

import gzip
import json
import sys
import warnings

import torch

warnings.filterwarnings("ignore")

UNARY = """hardtanh:X,V,1 hardtanh:X,0,V softplus:X,V softplus:X,1,V elu:X,V elu:X,1,V elu:X,1,1,V celu:X,V leaky_relu:X,V
hardshrink:X,V softshrink:X,V threshold:X,V,1 threshold:X,1,V threshold_:X,1,V threshold_backward:X,X,V
leaky_relu_backward:X,X,V,false hardtanh_backward:X,X,V,1 hardtanh_backward:X,X,0,V softplus_backward:X,X,V,20
softplus_backward:X,X,1,V elu_backward:X,V,1,1,false,X elu_backward:X,1,V,1,false,X elu_backward:X,1,1,V,false,X
softshrink_backward:X,X,V hardshrink_backward:X,X,V rrelu:X,V,1 rrelu:X,V,1,true logit:X,V logit_backward:X,X,V
add.Scalar:X,V add.Scalar:X,1,V sub.Scalar:X,1,V rsub.Scalar:X,1,V mul.Scalar:X,V div.Scalar:X,V remainder.Scalar:X,V
pow.Tensor_Scalar:X,V pow.Scalar:V,X eq.Scalar:X,V lt.Scalar:X,V xlogy.Scalar_Other:X,V copysign.Scalar:X,V
fill.Scalar:X,V fill_.Scalar:X,V new_full:X,S,V full_like:X,V fill_diagonal_:X2,V
_unsafe_masked_index:X1,M,[IX],V index_fill.int_Scalar:X,0,I,V index_fill_.int_Scalar:X,0,I,V
index_fill.int_Tensor:X,0,I,T scatter.value:X,0,IX,V scatter_.value:X,0,IX,V constant_pad_nd:X1,[1,1],V
constant_pad_nd:X1,[0,0],V pad:X1,[1,1],constant,V where.ScalarOther:M,X,V where.ScalarSelf:M,V,X where.Scalar:M,V,1
masked_fill.Scalar:X,M,V masked_fill_.Scalar:X,M,V masked_fill.Tensor:X,M,T fill.Tensor:X,T histc:X,4,0,V histc:X,4,V,3
clamp:X,V,1 clamp:X,0,V clamp:X,V clamp_min:X,V clamp_max:X,V clip:X,V lerp.Scalar:X,X,V nan_to_num:X,V
multi_margin_loss:A,J,1,V linalg_vector_norm:X,V renorm:X2,2,0,V isin.Tensor_Scalar:X,V"""
KEYWORDS = """add.Tensor:X,X:alpha sub.Tensor:X,X:alpha rsub.Tensor:X,X:alpha subtract.Tensor:X,X:alpha index_add:X1,0,IX,X1:alpha
addmm:A,A,A:beta addmm:A,A,A:alpha addmm_:A,A,A:beta addmv:X1,A,X1:beta addmv:X1,A,X1:alpha baddbmm:B,B,B:beta
baddbmm:B,B,B:alpha addbmm:A,B,B:beta addbmm:A,B,B:alpha addr:A,X1,X1:beta addr:A,X1,X1:alpha addcmul:X,X,X:value
addcdiv:X,X,X:value"""
MADE = """full:S,V scalar_tensor:V arange.start_step:0,3,V linspace:V,1,3 linspace:0,V,3 linspace:V,1,1 linspace:0,V,1
logspace:V,1,3 logspace:0,V,3 logspace:V,1,1 full_like:X,V new_full:X,S,V"""
DTYPES = "float32 float16 bfloat16 int64 int8 uint8 bool complex64".split()
SHAPES = [[3], [1], [0]]
INF = float("inf")
NUMBERS = [1e39, -1e39, 3.4e38, -7e4, 70000, 300, -1, -1.0, 1.5, 255.5, INF, float("nan")]
# Dtypes in which PyTorch has other reasons, of which some depend on the build.
LEFT_OUT = {
    "index_add": ("int64", "int8", "uint8", "bool"),
    "addcmul": ("int64", "int8", "uint8"),
    "histc": ("int64", "int8", "uint8", "complex64"),
}


def call(text, keyword=None, dtype=False):
    name, args = text.split(":")
    overload = name if "." in name else f"{name}.default"
    words = []
    for word in args.replace("[", "[ ").replace("]", " ]").replace(",", " ").split():
        words.append(word if word in "[]" or word in ("true", "false") or word.isdigit() else f'"{word}"')
    parsed = json.loads("[" + ",".join(words).replace("[,", "[").replace(",]", "]") + "]")
    return [f"aten.{overload}", parsed, {**({keyword: "V"} if keyword else {}), **({"dtype": "D"} if dtype else {})}]


def built(arg, dtype, shape, number):
    n = shape[0] if shape else 1
    if isinstance(arg, list):
        return [built(one, dtype, shape, number) for one in arg]
    make = {
        "V": lambda: number,
        "T": lambda: torch.tensor(number, dtype=torch.float64 if isinstance(number, float) else torch.int64),
        "X": lambda: torch.ones(shape, dtype=dtype),
        "X1": lambda: torch.ones(shape or [1], dtype=dtype),
        "X2": lambda: torch.ones([*(shape or [1]), 2], dtype=dtype),
        "A": lambda: torch.ones([n, n], dtype=dtype),
        "B": lambda: torch.ones([n, n, n], dtype=dtype),
        "M": lambda: torch.ones(shape, dtype=torch.bool),
        "I": lambda: torch.zeros(min(n, 1), dtype=torch.int64),
        "IX": lambda: torch.zeros(shape or [1], dtype=torch.int64),
        "J": lambda: torch.zeros(n, dtype=torch.int64),
        "S": lambda: shape,
        "D": lambda: dtype,
    }
    return make[arg]() if isinstance(arg, str) and arg in make else arg


def main(path):
    calls = [call(text) for text in UNARY.split()]
    calls += [call(text.rsplit(":", 1)[0], text.rsplit(":", 1)[1]) for text in KEYWORDS.split()]
    calls += [call(text, dtype=True) for text in MADE.split()]
    messages, verdicts = [], []
    for target, args, kwargs in calls:
        op = torch.ops
        for part in target.split("."):
            op = getattr(op, part)
        rows = {}
        for name in DTYPES:
            if name in LEFT_OUT.get(target.split(".")[1], ()):
                continue
            dtype, row = getattr(torch, name), ""
            for shape in SHAPES:
                for number in NUMBERS:
                    make = lambda arg: built(arg, dtype, shape, number)
                    try:
                        op(*[make(arg) for arg in args], **{key: make(arg) for key, arg in kwargs.items()})
                        row += "."
                    except Exception as error:
                        message = str(error).split("\n")[0]
                        if "overflow" not in message or "converted" not in message:
                            row += "-"
                            continue
                        if message not in messages:
                            messages.append(message)
                        row += chr(ord("a") + messages.index(message))
            rows[name] = row
        verdicts.append([target, args, kwargs, rows])
    numbers = [[type(number).__name__, str(number)] for number in NUMBERS]
    data = {"messages": messages, "shapes": SHAPES, "numbers": numbers, "verdicts": verdicts}
    with open(path, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
        packed.write(json.dumps(data, separators=(",", ":")).encode())


main(sys.argv[1])
