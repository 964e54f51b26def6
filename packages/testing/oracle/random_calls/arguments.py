"""Random arguments of a call from its schema alone."""

import math

import torch
from values import COMMON, DRAW, FLOATS, INTS, Ref, broadcastable, chance, pick, places, scalar, several

DIMENSIONS = "dim dim0 dim1 dim2 axis axis0 axis1 start_dim end_dim source destination".split()
WINDOWS = "repeats shifts pad stride padding kernel_size dilation output_size".split()
TEXTS = {
    "rounding_mode": ("floor", "trunc"),
    "reduce": ("sum", "prod", "mean", "amax", "amin", "add", "multiply"),
    "approximate": ("none", "tanh"),
    "side": ("left", "right"),
    "indexing": ("ij", "xy"),
    "norm": ("backward", "ortho", "forward"),
    "ord": ("fro", "nuc"),
    "UPLO": ("L", "U"),
    "mode": ("reduced", "complete", "r"),
    "interpolation": ("linear", "lower", "higher", "midpoint", "nearest"),
}


class Unknown(Exception):
    """No argument is drawn for this type, or no call of this overload."""


def any_dtype(program):
    return program.dtype if chance(0.75) else pick(*FLOATS, *INTS, torch.bool, torch.complex64, torch.float32)


def schema_arguments(program, function, name):
    """Positional and keyword arguments of a call; most are valid, and some are wrong on purpose."""
    return Arguments(program, name).of(function._schema)


class Arguments:
    def __init__(self, program, name):
        self.program, self.name = program, name
        self.given = {}

    @property
    def first(self):
        return self.given.get("self")

    @property
    def rank(self):
        return self.first.dim() if self.first is not None else len(self.program.base)

    def of(self, schema):
        positional, keywords, is_keyword = [], {}, False
        for argument in schema.arguments:
            name = argument.name
            if name in ("generator", "layout", "device", "pin_memory"):
                continue
            if name == "memory_format":
                if chance(0.2):
                    keywords[name] = pick(torch.contiguous_format, torch.preserve_format)
                continue
            if argument.is_out:
                shape = self.first.shape if self.first is not None and chance(0.6) else [0]
                keywords[name] = self.program.input(shape, any_dtype(self.program), layout="plain")
                continue
            if argument.has_default_value() and chance(0.5):
                is_keyword = is_keyword or not argument.kwarg_only
                continue
            drawn = self.draw(name, str(getattr(argument, "real_type", argument.type)))
            if argument.kwarg_only or is_keyword or chance(0.05):
                keywords[name], is_keyword = drawn, True
            else:
                positional.append(drawn)
            self.remember(name, drawn)
        return positional, keywords

    def remember(self, name, drawn):
        value = drawn.value if isinstance(drawn, Ref) else drawn
        if self.first is None:
            if isinstance(value, torch.Tensor):
                self.given["self"] = value
            elif isinstance(value, list) and value and isinstance(value[0], Ref):
                self.given["self"] = value[0].value
        if name != "self" or isinstance(value, torch.Tensor):
            self.given[name] = value

    def draw(self, name, kind):
        if kind.startswith("Optional["):
            if chance(0.45):
                return None
            kind = kind[9:-1]
        if kind == "Tensor":
            return self.tensor(name)
        if kind in ("List[Tensor]", "List[Optional[Tensor]]"):
            return self.indices("Optional" in kind) if name == "indices" else self.tensors()
        if kind == "number":
            return scalar()
        if kind == "float":
            common = (0.0, 0.5, 1.0, 2.0, 1.5, -1.0, 0.1, 1e-5, math.inf, 3.0, math.nan, -0.5)
            return pick(*common) if chance(0.9) else pick(1e300, -math.inf, 1e-300)
        if kind == "bool":
            return chance(0.5)
        if kind == "int":
            return self.integer(name)
        if kind == "List[int]":
            return self.integers(name)
        if kind == "List[float]":
            return several(2, 0.5, 1.0, 2.0)
        if kind == "List[bool]":
            return [True] * pick(1, 2, 3)
        if kind == "str":
            return pick(*TEXTS.get(name, ("sum",)))
        raise Unknown(kind)

    def tensor(self, name):
        program, first = self.program, self.first
        if name in ("index", "indices", "index_self") and chance(0.97):
            return self.index()
        if name in ("mask", "condition"):
            shape = first.shape if first is not None else program.base
            return program.input(broadcastable(shape), torch.bool if chance(0.9) else torch.uint8)
        if name == "self" or first is None:
            tensors = program.tensors()
            if tensors and chance(0.75):
                return DRAW.choice(tensors[-3:])
            return program.input(program.base, any_dtype(program))
        if name in ("source", "src", "value", "values") and "dim" in self.given and "index" in self.given:
            return self.source()
        same = [ref for ref in program.tensors() if ref.value.shape == first.shape] if chance(0.25) else []
        if same:
            return DRAW.choice(same)
        if name in ("mat2", "vec", "vec2", "tensor2", "batch2") and first.dim():
            shape = list(first.shape)
            return program.input((shape[:-2] + [shape[-1], pick(1, 2, 3)])[: max(1, first.dim())], first.dtype)
        return program.input(broadcastable(first.shape), first.dtype if chance(0.7) else any_dtype(program))

    def index(self):
        dim, bound = self.given.get("dim"), 3
        shape = list(self.first.shape) if self.first is not None else [3]
        if isinstance(dim, int) and shape and -len(shape) <= dim < len(shape):
            bound = shape[dim]
        if self.name.startswith(("gather", "scatter", "take_along")):
            picked, negative = [max(0, size - pick(0, 0, 1)) for size in shape], chance(0.1)
        else:
            picked, negative = [pick(0, 1, 2, 3, 4)], chance(0.4)
        dtype, layout = pick(*[torch.int64] * 6, torch.int32), pick("plain", "plain", "spaced", "offset")
        return self.program.input(picked, dtype, fill=places(bound, negative, chance(0.1)), layout=layout)

    def source(self):
        index, dim, shape = self.given["index"], self.given["dim"], list(self.first.shape)
        if self.name.startswith("scatter"):
            return self.program.input(index.shape, self.first.dtype)
        if shape and index is not None and -len(shape) <= dim < len(shape):
            shape[dim] = index.numel()
        return self.program.input(shape, self.first.dtype)

    def indices(self, with_gaps):
        program, drawn = self.program, []
        shape = pick([2], [3], [2, 3], [1], [0], [])
        for d in range(DRAW.randint(1, max(1, self.rank))):
            bound = self.first.shape[d] if self.first is not None and d < self.rank else 2
            if with_gaps and chance(0.25):
                drawn.append(None)
            elif chance(0.1):
                drawn.append(program.input([bound], torch.bool, layout="plain"))
            else:
                dtype, fill = pick(*[torch.int64] * 5, torch.int32), places(bound, chance(0.5), chance(0.08))
                drawn.append(program.input(broadcastable(shape), dtype, fill=fill, layout=pick("plain", "spaced")))
        return drawn

    def tensors(self):
        program = self.program
        known = [Arguments(program, self.name).tensor("self")]
        for _ in range(pick(0, 1, 1, 2)):
            is_known = chance(0.5)
            other = Arguments(program, self.name).tensor("self") if is_known else None
            known.append(other or program.input(program.base, any_dtype(program)))
        return known

    def integer(self, name):
        rank = self.rank
        if name in DIMENSIONS:
            return DRAW.randrange(-rank, rank) if rank and chance(0.95) else pick(0, -1, 1, 5)
        if name in ("dtype", "out_dtype"):
            return pick(*COMMON)
        if name == "reduction":
            return pick(0, 1, 2)
        return pick(0, 1, 2, 3, -1, 1, 2, 4, -2, 8) if chance(0.95) else pick(2**31, -(2**63), 2**53, 100)

    def integers(self, name):
        rank = self.rank
        if name in ("dim", "dims", "norm_dim", "axis", "axes"):
            chosen = DRAW.sample(range(rank), DRAW.randint(0, rank))
            return [dim - rank if chance(0.3) else dim for dim in chosen]
        if name in ("size", "shape"):
            return self.shape()
        if name in WINDOWS:
            return several(pick(rank, 1, 2, 2), 0, 1, 1, 2, 2, 3, -1)
        return several(pick(rank, 1, 2), 0, 1, 2, 3, -1)

    def shape(self):
        if self.first is None or chance(0.4):
            return list(self.program.base)
        known = list(self.first.shape)
        if self.name in ("view", "reshape", "_unsafe_view", "view_copy"):
            mixed = DRAW.sample(known, len(known))
            return mixed if chance(0.5) else [-1] + mixed[2:]
        if self.name.startswith(("expand", "broadcast")):
            return [2] + known if chance(0.5) else [size if size != 1 else 3 for size in known]
        return known
