"""Makes `fixtures/random/draws.json.gz`: what PyTorch's random operators draw after `torch.manual_seed(seed)`.

Usage: python random_draws.py OUTPUT.json

Each case is one call at the dispatcher. `after` is what `torch.randn(1)` and `torch.rand(1)` (float64) give next, so
that a case also tells whether as many numbers were drawn, and whether a normal deviate is left over.
"""

import json
import math
import sys

import torch

SEED = 2**40 + 77
aten = torch.ops.aten
FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
COMPLEX = ("complex64", "complex128")
# Below and above 16, where PyTorch changes how normal deviates are drawn; 37 leaves a rest of 5.
SIZES = (5, 16, 37)


def dtype(name):
    return getattr(torch, name)


# As many digits as tell two values of a dtype apart.
DIGITS = {"float32": 9, "complex64": 9, "float16": 5, "bfloat16": 4}


def number(value, digits=17):
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= 2**53 else str(value)
    if not math.isfinite(value):
        return str(value)
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 1e9 else short


def name_of(dtype):
    return str(dtype).split(".")[1]


def numbers(tensor):
    flat = tensor.detach().contiguous()
    digits = DIGITS.get(name_of(tensor.dtype), 17)
    if flat.is_complex():
        flat = torch.view_as_real(flat)
    return [number(value, digits) for value in flat.reshape(-1).tolist()]


def encode(value):
    if isinstance(value, torch.Tensor):
        strides = {} if value.is_contiguous() else {"strides": list(value.stride())}
        return {"tensor": name_of(value.dtype), "shape": list(value.shape), **strides, "values": numbers(value)}
    if isinstance(value, (list, tuple)):
        return {"list": [encode(item) for item in value]}
    if isinstance(value, torch.dtype):
        return {"dtype": name_of(value)}
    if value is None:
        return {"none": True}
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": number(value)}
    return {"float": number(value)}


CASES = []


def call(target, *args, **kwargs):
    """One case; written arguments are recorded as they are afterwards."""
    packet, overload = target.split(".")
    op = getattr(getattr(aten, packet), overload)
    case = {
        "target": f"aten.{target}",
        "args": [encode(value) for value in args],
        "kwargs": {name: encode(value) for name, value in kwargs.items()},
    }
    torch.manual_seed(SEED)
    try:
        result = op(*args, **kwargs)
    except (RuntimeError, ValueError) as error:
        CASES.append({**case, "error": str(error).splitlines()[0]})
        return
    case["results"] = [encode(value) for value in (result if isinstance(result, (list, tuple)) else [result])]
    case["after"] = [torch.randn(1, dtype=torch.float64).item(), torch.rand(1, dtype=torch.float64).item()]
    CASES.append(case)


def strided(name):
    """Not contiguous, 24 elements."""
    return torch.zeros(6, 4, dtype=dtype(name)).t()


def sparse_places(name):
    """Every other element of 40."""
    return torch.zeros(40, dtype=dtype(name))[::2]


def layouts(name):
    yield from (torch.zeros(size, dtype=dtype(name)) for size in SIZES)
    yield strided(name)
    yield sparse_places(name)


def factories():
    for name in (*FLOATS, *COMPLEX):
        for size in SIZES:
            for target in ("rand.default", "randn.default"):
                call(target, [size], dtype=dtype(name))
        call("rand_like.default", strided(name))
        call("randn_like.default", strided(name))
    call("rand.default", [5])
    call("rand.default", [0])
    call("randn.default", [17])


def integer_factories():
    for name in (*INTEGERS, *FLOATS):
        call("randint.default", 100, [5], dtype=dtype(name))
        call("randint.low", -20, 90, [17], dtype=dtype(name))
        call("randint_like.default", strided(name), 100)
        call("randint_like.low_dtype", strided(name), -7, 100)
    for high in (1, 2, 2**24 + 3, 2**28, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**45 + 7, 2**62 + 2**20, 2**63 - 1):
        call("randint.default", high, [4])
    call("randint.low", -(2**63), 2**63 - 1, [4])
    call("randint.low", -(2**62), 2**62, [4])
    call("randint.default", 2, [5], dtype=torch.bool)
    call("randint_like.Tensor", torch.zeros(5), torch.tensor(50))
    call("randint_like.low_dtype_out", torch.zeros(5), 3, 50, out=torch.zeros(5))


def with_generators():
    like = strided("float32")
    call("rand.generator", [5], generator=None)
    call("randn.generator", [17], generator=None, dtype=torch.float64)
    call("rand_like.generator", like, generator=None)
    call("randn_like.generator", like, generator=None)
    call("randint.generator", 100, [5], generator=None)
    call("randint.low_generator", -3, 100, [5], generator=None)
    call("randint_like.generator", like, 9, generator=None)
    call("randint_like.Tensor_generator", like, torch.tensor(9), generator=None)
    call("randint_like.low_generator_dtype", like, -3, 9, generator=None)
    call("randperm.generator", 9, generator=None)


def permutations():
    for n in (0, 1, 2, 7, 40, 1000):
        call("randperm.default", n)
    for name in ("int32", "int16", "uint8", "int8", "float32", "float64", "float16", "bfloat16"):
        call("randperm.default", 30, dtype=dtype(name))


def coins():
    for name in FLOATS:
        chances = torch.linspace(0, 1, 21, dtype=torch.float64).to(dtype(name))
        call("bernoulli.default", chances)
        call("bernoulli.default", chances[:20].reshape(4, 5).t())
        call("bernoulli.Tensor", torch.zeros(21), chances)
        call("bernoulli_.Tensor", torch.zeros(21, dtype=torch.int64), chances)
        call("bernoulli.out", chances, out=torch.empty(21, dtype=dtype(name)).zero_())
    for name in (*FLOATS, *INTEGERS, "bool"):
        for self in layouts(name):
            call("bernoulli_.float", self, 0.3)
        call("bernoulli.p", torch.zeros(20, dtype=dtype(name)), 0.7)
        call("bernoulli_.Tensor", torch.zeros(7, dtype=dtype(name)), torch.tensor(0.4))
    for p in (0.0, 1.0, 0.5):
        call("bernoulli_.float", torch.zeros(20), p)


def dropouts():
    for name in FLOATS:
        ones = torch.linspace(1, 2, 24, dtype=torch.float64).to(dtype(name))
        for self in (ones, ones.reshape(6, 4).t(), ones[:5]):
            call("native_dropout.default", self, 0.3, True)
            call("dropout.default", self, 0.3, True)
            call("alpha_dropout.default", self, 0.3, True)
        call("dropout_.default", ones.clone(), 0.4, True)
        call("alpha_dropout_.default", ones.clone(), 0.4, True)
        images = ones.reshape(3, 4, 2)
        call("feature_dropout.default", images, 0.5, True)
        call("feature_alpha_dropout.default", images, 0.5, True)
        call("feature_dropout_.default", images.clone(), 0.5, True)
        call("feature_alpha_dropout_.default", images.clone(), 0.5, True)
    for p in (0.0, 1.0):
        call("native_dropout.default", torch.ones(20), p, True)
        call("dropout.default", torch.ones(20), p, True)
    call("native_dropout.default", torch.ones(20), 0.5, None)
    call("native_dropout.default", torch.ones(20), 0.5, False)


def fills():
    for name in FLOATS:
        for self in layouts(name):
            call("uniform_.default", self, -2.0, 3.0)
            call("normal_.default", self, 1.5, 0.25)
            call("exponential_.default", self, 2.0)
            call("cauchy_.default", self, 1.0, 3.0)
            call("log_normal_.default", self, 0.5, 0.75)
            call("geometric_.default", self, 0.3)
            call("random_.default", self)
            call("random_.from", self, -5, 40)
            call("random_.to", self, 77)
        for target in ("uniform", "normal_functional", "exponential", "cauchy", "log_normal", "random"):
            call(f"{target}.default", torch.zeros(18, dtype=dtype(name)))
        call("geometric.default", torch.zeros(18, dtype=dtype(name)), 0.6)
        call("random.from", torch.zeros(18, dtype=dtype(name)), 3, 90)
        call("random.to", torch.zeros(18, dtype=dtype(name)), 90)
        call("random_.from", torch.zeros(18, dtype=dtype(name)), 0, None)
    for name in COMPLEX:
        for self in layouts(name):
            call("normal_.default", self, 1.5, 0.25)
    for name in (*INTEGERS, "bool"):
        for self in layouts(name):
            call("random_.default", self)
            if name != "bool":
                call("random_.from", self, 3, 100)
                call("random_.to", self, 77)
                call("geometric_.default", self, 0.3)
    for name in INTEGERS:
        call("random_.from", torch.zeros(6, dtype=dtype(name)), 1, None)
        call("random_.from", torch.zeros(6, dtype=dtype(name)), -100, None)
    call("random_.from", torch.zeros(6, dtype=torch.int64), -(2**63), None)
    call("random_.from", torch.zeros(6, dtype=torch.int64), -(2**40), 2**41)
    call("random_.to", torch.zeros(6, dtype=torch.int64), 2**32)
    call("exponential_.default", torch.zeros(6), math.inf)


def normals():
    for name in FLOATS:
        for size in SIZES:
            means = torch.linspace(-1, 1, size, dtype=torch.float64).to(dtype(name))
            spreads = torch.linspace(0.5, 2, size, dtype=torch.float64).to(dtype(name))
            call("normal.Tensor_float", means, 0.5)
            call("normal.float_Tensor", 1.5, spreads)
            call("normal.Tensor_Tensor", means, spreads)
            call("normal.float_float", 1.0, 2.0, [size], dtype=dtype(name))
        grid = torch.linspace(0, 1, 24, dtype=torch.float64).to(dtype(name)).reshape(6, 4).t()
        call("normal.Tensor_float", grid, 0.5)
        call("normal.Tensor_Tensor", grid[:1], grid[:, :1])
    call("normal.Tensor_float", torch.zeros(20, dtype=torch.complex64), 0.5)
    call("normal.float_float", 1.0, 2.0, [20])


def choices():
    for name in FLOATS:
        weights = torch.tensor([[0.1, 0.2, 0.3, 0.4, 0.0], [3.0, 0.0, 1.0, 7.0, 2.0]], dtype=dtype(name))
        for replacement in (False, True):
            call("multinomial.default", weights, 3, replacement)
            call("multinomial.default", weights[1], 1, replacement)
            call("multinomial.default", weights[0, :4], 4, replacement)
            call("multinomial.default", weights.t()[[0, 2]].contiguous().t(), 2, replacement)
        call("multinomial.default", weights, 20, True)
    # Not with fewer bits: which of equal quotients comes first is up to the C++ library.
    for name in ("float32", "float64"):
        call("multinomial.default", torch.ones(40, dtype=dtype(name)), 40)


def shapes_of_distributions():
    for name in FLOATS:
        rates = torch.tensor([0.0, 0.1, 0.7, 3.0, 9.5, 10.0, 25.0, 99.5, 500.0, 6e4], dtype=dtype(name))
        call("poisson.default", rates)
        call("poisson.default", rates.repeat(3))
        alphas = torch.tensor([0.05, 0.3, 0.99, 1.0, 1.5, 2.0, 10.0, 200.0] * 2, dtype=dtype(name))
        call("_standard_gamma.default", alphas)
        call("_standard_gamma.default", alphas[1:4])
        call("_sample_dirichlet.default", alphas.reshape(4, 4)[:, 1:])
        counts = torch.tensor([0.0, 1.0, 5.0, 10.0, 30.0, 30.0, 100.0, 1000.0, 50.0, 50.0, 7.0], dtype=dtype(name))
        probs = torch.tensor([0.5, 0.5, 0.1, 0.9, 0.5, 0.2, 0.75, 0.01, 0.0, 1.0, 0.99], dtype=dtype(name))
        call("binomial.default", counts, probs)
        call("binomial.default", counts[:, None].expand(11, 3).contiguous(), probs[:3].expand(11, 3).contiguous())
        call("binomial.default", counts[:4, None], probs[:3])


def slopes():
    for name in ("float32", "float64", "float16", "bfloat16"):
        values = torch.linspace(-2, 1, 20, dtype=torch.float64).to(dtype(name))
        call("rrelu.default", values, 0.1, 0.4, True)
        call("rrelu.default", values.reshape(5, 4).t(), 0.1, 0.4, True)
        call("rrelu_with_noise.default", values, torch.zeros_like(values), 0.1, 0.4, True)
        call("rrelu_with_noise_functional.default", values, torch.zeros_like(values), 0.1, 0.4, True)
        call("rrelu_with_noise_functional.default", values, torch.zeros_like(values), 0.1, 0.4, False)
        call("rrelu_.default", values.clone(), 0.1, 0.4, True)


def refusals():
    floats, integers = torch.zeros(3), torch.zeros(3, dtype=torch.int64)
    call("uniform_.default", floats, 3.0, 1.0)
    call("uniform_.default", torch.zeros(3, dtype=torch.float16), 0.0, 1e6)
    call("uniform_.default", integers, 0.0, 1.0)
    call("normal_.default", floats, 0.0, -1.0)
    call("normal_.default", integers, 0.0, 1.0)
    call("exponential_.default", floats, 0.0)
    call("exponential_.default", integers, 1.0)
    call("cauchy_.default", floats, 0.0, 0.0)
    call("cauchy_.default", integers, 0.0, 1.0)
    call("log_normal_.default", floats, 0.0, 0.0)
    call("log_normal_.default", integers, 0.0, 1.0)
    call("geometric_.default", floats, 1.0)
    call("random_.from", floats, 5, 5)
    call("random_.to", torch.zeros(3, dtype=torch.int8), 200)
    call("bernoulli_.float", floats, 1.5)
    call("poisson.default", -torch.ones(2))
    call("poisson.default", integers)
    call("binomial.default", floats, floats.double())
    call("binomial.default", integers, floats)
    call("_philox_uniform.default", floats, torch.zeros(2, dtype=torch.int64))
    call("_philox_uniform.default", floats, torch.zeros(3, dtype=torch.uint64))
    call("_philox_uniform.default", torch.zeros(2, 5), torch.zeros(3, 1, 2, dtype=torch.uint64))
    call("_philox_uniform.default", torch.zeros(2, 5), torch.zeros(2, 2, dtype=torch.uint64))
    call("_philox_normal.default", integers, torch.zeros(2, dtype=torch.uint64))
    call("_philox_key_split.default", torch.zeros(2, dtype=torch.uint64), 0)
    call("_philox_key_split.default", torch.zeros(2), 2)


def philox():
    key = torch.tensor([2**63 + 12345, 678], dtype=torch.uint64)
    keys = torch.tensor([[1, 2], [2**64 - 1, 2**64 - 1], [0, 0]], dtype=torch.uint64)
    for one in (key, keys, keys.t().contiguous().t(), keys[None]):
        call("_philox_key_split.default", one, 3)
        call("_philox_key_fold_in.default", one, 7)
        call("_philox_key_fold_in.default", one, -3)
    for data in (0, 2**31, 2**32 + 5, 2**62):
        call("_philox_key_fold_in.default", key, data)
    call("_philox_key_fold_in.Tensor", key, torch.tensor(9, dtype=torch.uint64))
    call("_philox_key_fold_in.Tensor", keys, torch.tensor([9, 8, 7], dtype=torch.uint64))
    call("_philox_key_fold_in.Tensor", key, torch.tensor(9))
    call("_philox_key_split.default", key, 1)
    for name in FLOATS:
        for shape in ([1], [2], [5], [16], [3, 7], [0]):
            self = torch.zeros(shape, dtype=dtype(name))
            call("_philox_uniform.default", self, key)
            call("_philox_uniform.default", self, key, -3.0, 5.0)
            call("_philox_normal.default", self, key)
            call("_philox_normal.default", self, key, 2.0, 0.5)
        call("_philox_uniform.default", torch.zeros(2, 3, 4, dtype=dtype(name)), keys[None, :, None])
        call("_philox_normal.default", torch.zeros(4, 3, dtype=dtype(name)), keys[None])
        call("_philox_uniform_.default", torch.zeros(6, dtype=dtype(name)), key)
        call("_philox_normal_.default", strided(name), key)
        for target in ("_philox_uniform.default", "_philox_normal.default"):
            call(target, torch.zeros(3, 5, dtype=dtype(name)), keys[:, None])
            call(target, torch.zeros(3, 5, dtype=dtype(name)).t().contiguous().t(), keys[:, None])


def main():
    torch.set_num_threads(1)
    for family in (
        factories, integer_factories, with_generators, permutations, coins, dropouts, fills, normals, choices,
        shapes_of_distributions, slopes, philox, refusals,
    ):
        family()
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in CASES)
    with open(sys.argv[1], "w") as file:
        file.write(f'{{"seed":{SEED},"torch":"{torch.__version__}","cases":[\n{lines}\n]}}\n')
    print(len(CASES), "cases")


main()
