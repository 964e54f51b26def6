"""Writes fixtures/quantization/parameters.json.gz: scales and zero points of ranges, and what observers saw.

Usage (with PyTorch): python3 quantization_parameters.py FILE
"""

import gzip
import json
import math
import sys
import warnings

import torch
from torch.ao.quantization.observer import HistogramObserver, MinMaxObserver, MovingAverageMinMaxObserver
from torch.ao.quantization.utils import determine_qparams

warnings.filterwarnings("ignore")
EPS = torch.tensor([torch.finfo(torch.float32).eps])
SCHEMES = {True: torch.per_tensor_symmetric, False: torch.per_tensor_affine}
RANGES = [(-128, 127, torch.int8), (-127, 127, torch.int8), (0, 255, torch.uint8), (-8, 7, torch.int8), (-2, 1, torch.int8)]


def number(value):
    return value if math.isfinite(value) else ("nan" if math.isnan(value) else "inf" if value > 0 else "-inf")


def ranges():
    generator = torch.Generator().manual_seed(0)
    fixed = [(-1.0, 1.0), (0.0, 0.0), (0.0, 6.0), (-3.0, 0.0), (0.5, 2.0), (-2.0, -0.5), (-1e-9, 1e-9), (0.0, 1e-40), (-1e30, 3e30), (-0.1, 254.9), (math.inf, -math.inf)]
    for low, high in fixed:
        yield low, high
    for _ in range(120):
        first, second = torch.randn(2, generator=generator) * 10 ** (torch.rand(1, generator=generator) * 8 - 4)
        yield min(first.item(), second.item()), max(first.item(), second.item())


def parameter_cases():
    for low, high in ranges():
        for minimum, maximum, dtype in RANGES:
            for symmetric, scheme in SCHEMES.items():
                if symmetric and dtype == torch.uint8:
                    continue
                scale, zero = determine_qparams(torch.tensor(low), torch.tensor(high), minimum, maximum, dtype, EPS, False, scheme)
                yield {"low": number(low), "high": number(high), "min": minimum, "max": maximum, "symmetric": symmetric, "scale": scale.item(), "zero": zero.item()}


def samples(kind, generator):
    for index in range(4):
        if kind == "normal":
            yield torch.randn(257, generator=generator) * (1 + index)
        elif kind == "relu":
            yield torch.randn(300, generator=generator).relu() * (1 + index % 2)
        elif kind == "outliers":
            values = torch.randn(400, generator=generator)
            values[index] = 40.0 * (index + 1)
            yield values
        elif kind == "narrower":
            yield torch.randn(200, generator=generator) / (1 + index)
        else:
            yield torch.full((16,), 1.5)


OBSERVERS = {"min-max": MinMaxObserver, "moving-average": MovingAverageMinMaxObserver, "histogram": HistogramObserver}


def observer_cases():
    for name, observer in OBSERVERS.items():
        for kind in ("normal", "relu", "outliers", "narrower", "constant"):
            for symmetric, scheme in SCHEMES.items():
                one = observer(dtype=torch.int8, qscheme=scheme, quant_min=-128, quant_max=127)
                generator = torch.Generator().manual_seed(7)
                given = list(samples(kind, generator))
                for values in given:
                    one(values)
                scale, zero = one.calculate_qparams()
                yield {
                    "observer": name,
                    "kind": kind,
                    "symmetric": symmetric,
                    "samples": [values.tolist() for values in given] if name == "min-max" and symmetric else None,
                    "low": one.min_val.item(),
                    "high": one.max_val.item(),
                    "scale": scale.item(),
                    "zero": zero.item(),
                    "filled": (one.histogram > 0).sum().item() if name == "histogram" else None,
                }


def main(path):
    cases = {"parameters": list(parameter_cases()), "observers": list(observer_cases())}
    with open(path, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
        packed.write(json.dumps(cases, separators=(",", ":")).encode())


main(sys.argv[1])
