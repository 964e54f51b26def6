"""Programs that PyTorch saves and that hold overloads of the classes that Sconce refuses.

    python3 refused_programs.py OUT_DIR

Writes one small .pt2 a class for which `torch.export.save` takes a program.
"""
import os
import sys
import warnings

import torch

warnings.filterwarnings("ignore")
A = torch.ops.aten

CALLS = {
    "sparse": lambda x: A.to_sparse.default(x).to_dense(),
    "mkldnn": lambda x: A.to_mkldnn.default(x).to_dense(),
    "quantized": lambda x: A.quantize_per_tensor.default(x, 0.1, 0, torch.quint8).dequantize(),
    "packed": lambda x: A._weight_int4pack_mm_with_scales_and_zeros.default(x, x.to(torch.int32), 32, x, x),
    "memory": lambda x: A.set.source_Tensor(x, x + 1),
    "tests": lambda x: A._foobar.default(x) + 1,
    "approximated": lambda x: A._standard_gamma_grad.default(x, x),
}


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    for name, call in CALLS.items():

        class Model(torch.nn.Module):
            def forward(self, x):
                return call(x)

        try:
            torch.export.save(torch.export.export(Model(), (torch.ones(16, 2),)), os.path.join(out, f"{name}.pt2"))
        except Exception as error:
            os.remove(os.path.join(out, f"{name}.pt2"))
            print(name, "is not saved:", type(error).__name__, str(error).splitlines()[0][:160])


if __name__ == "__main__":
    main()
