"""Writes programs of one chosen call each, with PyTorch's results or refusals, in the form of make_random_calls.py.

    python3 make_chosen_calls.py OUT.jsonl
    gzip -9n OUT.jsonl

Each section is a class of calls in which a backend once differed from PyTorch: numbers at the ends of their dtypes,
operands that broadcast, settings that the kernels refuse. Calls are left out where PyTorch's kernel and its own shape
rule disagree.
"""

import json
import math
import os
import sys
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import torch  # noqa: E402
from program import REFUSALS, Node, Program, argument_text, copied  # noqa: E402
from values import Ref  # noqa: E402

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
SECTIONS = []


def section(function):
    SECTIONS.append(function)
    return function


class Writer:
    def __init__(self, file):
        self.file, self.count = file, 0

    def __call__(self, target, *args, is_read=True, **keywords):
        """Writes the program of one call; its results are all outputs, or none is and an input is negated."""
        _, name, overload = target.split(".")
        function = getattr(getattr(torch.ops.aten, name), overload)
        inputs = []
        positional = self.named(args, inputs)
        named = {key: self.named(value, inputs) for key, value in keywords.items()}
        texts = [argument_text(value) for value in positional]
        texts += [f"{key}={argument_text(value)}" for key, value in named.items()]
        call = Node("n0", f"{target}({', '.join(texts)})", function, positional, named)
        program = Program()
        program.nodes, program.specs = [call], inputs
        if is_read:
            outputs = self.outputs(program, inputs)
        else:
            negation = Node("m0", "aten.neg.default(%x0)", torch.ops.aten.neg.default, [Ref("x0", inputs[0])], {})
            program.nodes.append(negation)
            outputs = ["m0"]
        record = program.run(outputs, [copied(value) for value in inputs])
        line = {"id": f"{self.count} {name}", "ir": program.text(outputs, inputs), "runs": [record]}
        self.file.write(json.dumps(line) + "\n")
        self.count += 1

    def named(self, value, inputs):
        """The same with the inputs' names in the place of tensors."""
        if isinstance(value, (list, tuple)):
            return [self.named(item, inputs) for item in value]
        if not isinstance(value, torch.Tensor):
            return value
        at = next((at for at, known in enumerate(inputs) if known is value), len(inputs))
        if at == len(inputs):
            inputs.append(value)
        return Ref(f"x{at}", value)

    def outputs(self, program, inputs):
        call = program.nodes[0]
        kinds = [str(one.type) for one in call.function._schema.returns]
        count = len(kinds) if len(kinds) > 1 else 0
        if kinds == ["List[Tensor]"]:
            try:
                count = len(call.compute({f"x{at}": copied(value) for at, value in enumerate(inputs)}))
            except REFUSALS:
                return []
        for at in range(count):
            program.nodes.append(Node(f"n{at + 1}", f"operator.getitem(%n0, {at})", None, ("n0", at), {}))
        return [node.name for node in program.nodes[1:]] or ["n0"]


def integers(*values):
    return torch.tensor(values, dtype=torch.int64)


@section
def masked_indices(call):
    """The mask broadcasts against what is read, and places are clamped."""
    for dtype in (torch.float32, torch.float16, torch.int64, torch.complex64):
        values = torch.arange(12).reshape(4, 3).to(dtype)
        masks = (
            torch.tensor(True),
            torch.tensor([True, False, True]),
            torch.tensor([[False], [True]]),
            torch.rand(4, 3) > 0.5,
        )
        for mask in masks:
            for indices in ([torch.tensor(2)], [integers(-1, 9)], [None, integers(0, -7, 1)], [integers(1), integers(2)]):
                call("aten._unsafe_masked_index.default", values, mask, indices, 2)
        for mask in masks[:3]:
            call("aten._unsafe_masked_index_put_accumulate.default", values, mask, [torch.tensor(9)], values[0].clone())
    for fill in (-math.inf, math.nan, 1e30, 300, 1.5):
        for dtype in (torch.int64, torch.uint8):
            values = torch.zeros(3, dtype=dtype)
            call("aten.masked_fill.Scalar", values, torch.tensor([True, False, True]), fill)
            call("aten._unsafe_masked_index.default", values, torch.tensor(True), [integers(0)], fill)
    empty, mask = torch.zeros(0, 2), torch.tensor(True)
    for indices in ([integers(0, 0, 0), None], [integers(0, 0), integers(0, 1)]):
        call("aten._unsafe_masked_index.default", empty, mask, indices, 7)
        call("aten._unsafe_masked_index_put_accumulate.default", empty, mask, indices, torch.zeros(()))
    values = torch.zeros(3, 2)
    for indices in ([], [None], [torch.tensor([True, False, True])], [torch.tensor([1.0])]):
        call("aten._unsafe_masked_index.default", values, mask, indices, 0)
        call("aten._unsafe_masked_index_put_accumulate.default", values, mask, indices, values[:1].clone())


@section
def fake_quantization(call):
    """float64 is scaled in float64, and levels of a whole tensor become float32."""
    inverse = float(1 / torch.tensor(0.1))
    ties = (torch.arange(-6, 6, dtype=torch.float64) + 0.5) / inverse
    ends = torch.tensor([1e30, -1e30, math.inf, -math.inf, math.nan, 1e17, -1e17], dtype=torch.float64)
    tensors = [ties * (1 + error) for error in (0, 1e-12, -1e-12)] + [ends]
    for values in tensors + [values.float() for values in tensors] + [values.half() for values in tensors[:1]]:
        count = len(values)
        call("aten.fake_quantize_per_tensor_affine_cachemask.default", values, 0.1, 3, -10, 20)
        scales = torch.full((count,), 0.1)
        for zero in (3.0, 0.3):
            zeros = torch.full((count,), zero)
            call("aten.fake_quantize_per_channel_affine_cachemask.default", values, scales, zeros, 0, -10, 20)
        zeros = torch.full((count,), 3, dtype=torch.int32)
        call("aten.fake_quantize_per_channel_affine.default", values, scales, zeros, 0, -10, 20)
        call("aten.fake_quantize_per_channel_affine.default", values, scales.bfloat16(), zeros, 0, -10, 20)
    values, scale = torch.tensor([1.0, -2.0, 0.26]), torch.tensor([0.1])
    for dtype in (torch.float32, torch.float16, torch.int64, torch.uint8):
        for zero in (3.7, -1.5, math.inf, 1e10):
            zeros = torch.tensor([zero]).to(dtype)
            call("aten.fake_quantize_per_tensor_affine.tensor_qparams", values, scale, zeros, -100, 200)
    for scales in (torch.tensor([0.1, 0.2]), torch.tensor([])):
        call("aten.fake_quantize_per_tensor_affine.tensor_qparams", values, scales, integers(3), -100, 200)


@section
def embedding_bags(call):
    """NaN in greatest elements, padding, and a last offset before the end."""
    table = torch.tensor([[1, math.nan, 3], [math.nan, 2, 1], [0, 1, 2], [3, 3, -1]])
    indices = integers(0, 1, 2, 3, 1, 2)
    for dtype in FLOATS:
        for mode in (0, 1, 2):
            for offsets in (integers(0, 2, 4), integers(0, 0, 3, 6)):
                for padding in (-2, -1, 1):
                    if dtype == torch.bfloat16 and mode == 0 and padding < 0:
                        continue
                    for with_last in (False, True):
                        rest = [False, mode, False, None, with_last, padding]
                        call("aten._embedding_bag.default", table.to(dtype), indices, offsets, *rest)


@section
def resized_bytes(call):
    """Scales beside sizes that they do not lead to."""
    image = torch.randint(0, 256, (2, 1, 5, 4), dtype=torch.uint8)
    for dtype in (torch.uint8, torch.float32):
        for name in ("upsample_bicubic2d", "upsample_bilinear2d"):
            for size in ([5, 4], [5, 8], [10, 4]):
                for scales in ((None, None), (2.0, None), (None, 0.5), (1.3, 0.77)):
                    call(f"aten.{name}.default", image.to(dtype), size, False, *scales)


@section
def transforms(call):
    """Dimensions and normalizations that the kernels refuse."""
    values = torch.randn(2, 4)
    for kind in (-1, 0, 2, 3):
        call("aten._fft_r2c.default", values, [1], kind, True)
        call("aten._fft_c2c.default", values + 0j, [1], kind, False)
        call("aten._fft_c2r.default", values + 0j, [1], kind, 6)
    for dims in ([2], [-1], [0, 0], [0, 1]):
        call("aten._fft_r2c.default", values, dims, 0, False)
        call("aten._fft_c2c.default", values + 0j, dims, 0, True)


@section
def polynomials(call):
    """Great degrees, by angles that are rounded as PyTorch rounds them."""
    values = torch.tensor([-1.5, -1, -0.5, 0, 0.3, 1, math.nan, -0.0, 0.99])
    for kind in "tuvw":
        for name in (f"chebyshev_polynomial_{kind}", f"shifted_chebyshev_polynomial_{kind}"):
            for degree in (6, 7, 8, 9, 300, 1000):
                for dtype in (torch.float32, torch.float64):
                    call(f"aten.special_{name}.n_scalar", values.to(dtype), degree)


@section
def product_gradients(call):
    """Another output than the product. Beside a zero, PyTorch reads it only where gradients are disabled."""
    for dtype in (torch.float32, torch.float64):
        grad, values, other = (torch.randn(3, 4).to(dtype) for _ in range(3))
        zeros = values.clone()
        zeros[0, 1] = zeros[2, 1] = 0
        for dim in (0, -1):
            call("aten.cumprod_backward.default", grad, values, dim, other)
            for given in (values, zeros):
                call("aten.cumprod_backward.default", grad, given, dim, torch.cumprod(given, dim))


@section
def refused_settings(call):
    for dtype in (torch.float32, torch.float16):
        for sizes in ([1, 2, 3], [2, 3, 3], [2, 2, 2], [2, 2, 3]):
            for size in ([2, 1, 3, 4], [2, 1, 1, 4], [2, 1, 3]):
                call("aten.affine_grid_generator.default", torch.ones(sizes).to(dtype), size, False)
    for sizes in ([2, 3, 4, 2], [2, 4, 3, 2], [1, 3, 4, 2], [2, 12, 2]):
        call("aten.affine_grid_generator_backward.default", torch.ones(sizes), [2, 1, 3, 4], False)
    for repeats in (-1, 0, 2):
        for size in (None, -1, 0, 3, 6):
            call("aten.repeat_interleave.self_int", torch.arange(3.0), repeats, None, output_size=size)
            call("aten.repeat_interleave.self_int", torch.ones(3, 2), repeats, 1, output_size=size)
            call("aten.repeat_interleave.self_Tensor", torch.ones(2), integers(1, 2), output_size=size)
    for sizes in ((), (1,), (2, 2), (2, 3)):
        for split in (-1, 0, 1, 2, 5):
            tensor = torch.eye(2) if sizes == (2, 2) else torch.ones(sizes)
            call("aten.linalg_tensorinv.default", tensor, split)
    for sizes in ((), (1,), (3,), (2,)):
        for beta in (0, 1):
            call("aten.addmv.default", torch.ones(sizes), torch.ones(3, 4), torch.ones(4), beta=beta)


@section
def unread_refusals(call):
    """Values that are refused although nothing reads the results."""
    values = torch.rand(3, 4)
    beyond = integers(9)
    call("aten.index_select.default", values, 0, beyond, is_read=False)
    call("aten.gather.default", values, 0, integers(7).view(1, 1), is_read=False)
    call("aten.embedding.default", values, beyond, is_read=False)
    call("aten.index.Tensor", values, [beyond], is_read=False)
    call("aten.scatter.src", values, 0, beyond.view(1, 1), values, is_read=False)
    call("aten.index_add.default", values, 0, beyond, values[:1].clone(), is_read=False)
    call("aten.take.default", values, integers(99), is_read=False)
    call("aten.nll_loss_forward.default", values, integers(9, 0, 1), None, 1, -100, is_read=False)
    call("aten.binary_cross_entropy.default", values - 1, values, is_read=False)
    call("aten.linalg_inv.default", torch.zeros(2, 2), is_read=False)
    for name in ("floor_divide.default", "remainder.Tensor", "fmod.Tensor"):
        call(f"aten.{name}", integers(1, 2), integers(0, 1), is_read=False)
    call("aten.index_select.default", values, 0, integers(2), is_read=False)


@section
def operand_checks(call):
    """Dtypes, ranks, dimensions and rows of weights that kernels refuse, and windows of padding alone."""
    complex_pair = torch.zeros(2, dtype=torch.complex64)
    call("aten.isin.Tensor_Scalar", complex_pair, 7)
    call("aten.isin.Scalar_Tensor", 1, complex_pair)
    call("aten.isin.Tensor_Scalar", torch.ones(2), 2, invert=True)
    for sizes in ((), (3,), (3, 2)):
        call("aten._pdist_backward.default", torch.rand(3), torch.rand(sizes), 2.0, torch.rand(3))
    for p in (math.nan, -1.0, 0.5):
        call("aten.cdist.default", torch.rand(4, 2), torch.rand(4, 2), p)
        call("aten.pdist.default", torch.rand(4, 2), p)
    first, second, third = (torch.rand(2, 3) for _ in range(3))
    for summed in ([], [0], [-1], [1, -1], [0, 1], [7]):
        call("aten._trilinear.default", first, second, third, [], [], [], summed)
    call("aten._weight_norm_interface.default", first, torch.rand(2, 1), 0)
    for dtype in (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.float32):
        image = torch.randint(0, 5, (1, 2, 12, 1, 4)).to(dtype)
        call("aten.max_pool3d.default", image, [2, 3, 3], [], [0, 1, 1], [2, 2, 2], True)
    for rows in (3, 8, 9, 12):
        state, weight = torch.rand(2, 3), torch.rand(rows, 3)
        call("aten.gru_cell.default", state, state, weight, weight)
        call("aten.lstm_cell.default", state, [state, state], weight, weight)
        call("aten.rnn_tanh_cell.default", state, state, weight, weight)


@section
def large_rows(call):
    """Squares that overflow, and means of infinities."""
    for dtype, large in ((torch.float32, 1e30), (torch.float64, 1e200)):
        for size in (1, 2, 3, 5, 7):
            rows = large * torch.randn(1, size).abs().add(0.1).to(dtype)
            call("aten.var.correction", rows, [1], correction=0)
            call("aten.std.correction", rows, [1], correction=1)
            call("aten._cdist_forward.default", rows, rows * 0, 2.0, None)
            call("aten._cdist_forward.default", rows / large / large, rows * 0, 3.0, None)
        image = torch.randn(2, 3, 2).to(dtype)
        image[0, 1, 0] = math.inf
        call("aten._native_batch_norm_legit.no_stats", image, None, None, True, 0.1, 1e-5)
        image[0, 0, 0] = -math.inf
        call("aten._native_batch_norm_legit.no_stats", image, None, None, True, 0.1, 1e-5)


def main():
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    with open(sys.argv[1], "w") as file:
        call = Writer(file)
        for write in SECTIONS:
            write(call)
    print(f"{call.count} programs", file=sys.stderr)


if __name__ == "__main__":
    main()
