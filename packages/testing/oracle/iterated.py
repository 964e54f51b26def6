"""Writes fixtures/iterated/cases.json: values after many steps of iterations that read each value several times.

    python3 iterated.py ../fixtures/iterated/cases.json

`packages/conformance/src/growth/iterated.fixture.ts` has the same iterations. Results are exact: the numbers of a step do
not depend on how steps are fused.
"""
import json, sys
import torch


def runge_kutta(y):
    slope = lambda value: torch.neg(value) * value
    first = slope(y)
    second = slope(y + first * 0.05)
    third = slope(y + second * 0.05)
    fourth = slope(y + third * 0.1)
    return y + (first + second * 2 + third * 2 + fourth) * (0.1 / 6)


STEPS = {
    "logistic": lambda x, start: x * 3.7 * (1 - x),
    "squares": lambda x, start: x * x - 0.5,
    "newton": lambda x, start: (x + start / x) * 0.5,
    "runge-kutta": lambda x, start: runge_kutta(x),
    "choice": lambda x, start: torch.where(x > 0.5, x - x * 0.375, x + x * x),
    "casts": lambda x, start: x.half().float() * 0.75 + (x * 4).int().float() * 0.0625 + 0.25,
    "flips": lambda x, start: (torch.flip(x, [0]) + x * 0.5) * 0.625,
    "whole numbers": lambda x, start: torch.remainder(x * x + x * 3, 101),
    "whole choice": lambda x, start: torch.where(x > 40, x - 37, x + x + 5),
}
WHOLE = ["whole numbers", "whole choice"]
SHAPES = {"one": [], "rows": [3, 4]}


def main(path):
    cases = []
    for name, step in STEPS.items():
        for shape in SHAPES.values():
            if name == "flips" and not shape:
                continue
            for dtype in ["int64"] if name in WHOLE else ["float32", "float16"]:
                if name == "casts" and dtype == "float16":
                    continue
                count = torch.Size(shape).numel()
                start = (torch.arange(count) * 13 % 29 if name in WHOLE else (torch.arange(count) + 1) / 16)
                start = start.reshape(shape).to(getattr(torch, dtype))
                x, out = start, {}
                for at in range(1, 101):
                    x = step(x, start)
                    if at in (30, 100):
                        out[at] = x.reshape(-1).tolist()
                cases.append(dict(name=name, shape=shape, dtype=dtype, start=start.reshape(-1).tolist(), out=out))
    with open(path, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n")


main(sys.argv[1])
