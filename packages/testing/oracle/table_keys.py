"""Writes fixtures/decompositions/table-keys.json and table-cases.json.gz: keys of the default decomposition table that few
programs have.

    python3 table_keys.py ../fixtures/decompositions

Each key is called in a module of its own, with the sample below, and the module is exported, saved and lowered. A key is
recorded as

  * a case, the calls before and after run_decompositions() and the values of inputs and results, where the exported program
    has the call, is saved, and is lowered;
  * an answer, what PyTorch said where one of these steps failed, or that the program has no such call.

Keys that other fixtures cover have no sample, and are not recorded.
"""

import gzip
import io
import json
import math
import sys
import warnings

import torch

warnings.filterwarnings("ignore")
torch.manual_seed(0)
C = {}


def c(key, *args, **kwargs):
    C[key] = (args, kwargs)


r=torch.randn
dense=r(3,4)
crow=torch.tensor([0,1,2]); col=torch.tensor([0,1]); vals=r(2)
coo_i=torch.tensor([[0,1],[1,0]])
lens=torch.tensor([3,2,1])
def lstm_params(i,h,bias=True,g=4): return [r(g*h,i),r(g*h,h)]+([r(g*h),r(g*h)] if bias else [])
c('_test.get_first.default',[["a"]])
c('_test.leaky_relu.default',r(3))
c('_test.cat.default',[r(3),r(3)])
c('aten._add_batch_dim.default',r(2,3),0,1)
c('aten._backward.default',r(()),[r(3)])
c('aten._batch_norm_impl_index_backward.default',0,r(2,3,4,4),r(2,3,4,4),r(3),r(3),r(3).abs(),r(3),r(3).abs(),True,1e-5,[True,True,True],torch.empty(0,dtype=torch.uint8))
c('aten._choose_qparams_per_tensor.default',r(4))
c('aten._convolution_double_backward.default',r(1,2,5,5),r(3,2,3,3),r(3),r(1,3,3,3),r(3,2,3,3),r(1,2,5,5),[1,1],[0,0],[1,1],False,[0,0],1,[True,True,True])
c('aten._cufft_clear_plan_cache.default',0)
c('aten._cufft_get_plan_cache_max_size.default',0)
c('aten._cufft_get_plan_cache_size.default',0)
c('aten._cufft_set_plan_cache_max_size.default',0,10)
c('aten._debug_has_internal_overlap.default',r(3))
c('aten._embedding_bag_sparse_backward.default',r(2,3),torch.tensor([0,1,2]),torch.tensor([0,2]),torch.tensor([0,0,1]),torch.tensor([2,1]),5,False,0,None)
c('aten._gather_sparse_backward.default',r(3,4),1,torch.tensor([[0],[1],[2]]),r(3,1))
c('aten._has_compatible_shallow_copy_type.default',r(3),r(3))
c('aten._is_zerotensor.default',r(3))
c('aten._nnpack_available.default')
c('aten._pack_padded_sequence_backward.default',r(6,2),[3,3,2],lens,False)
c('aten._pad_packed_sequence.default',r(6,2),lens,False,0.0,3)
c('aten._propagate_xla_data.default',r(3),r(3))
c('aten._remove_batch_dim.default',r(3),1,2,0)
c('aten._reshape_from_tensor.default',r(6),torch.tensor([2,3]))
c('aten._rowwise_prune.default',r(4,3),torch.tensor([True,False,True,True]),torch.int64)
c('aten._saturate_weight_to_fp16.default',r(3)*1e5)
c('aten._shape_as_tensor.default',r(2,3))
c('aten._sobol_engine_draw.default',torch.zeros(2,dtype=torch.int64),3,torch.zeros(2,30,dtype=torch.int64),2,0,torch.float32)
for f in ('bsc','bsr'):
    c(f'aten._sparse_{f}_tensor_unsafe.default',crow,col,r(2,2,2),[4,4])
c('aten._sparse_compressed_tensor_unsafe.default',crow,col,vals,[2,2],layout=torch.sparse_csr)
c('aten._sparse_coo_tensor_unsafe.default',coo_i,vals,[2,2])
c('aten._sparse_csc_tensor_unsafe.default',crow,col,vals,[2,2])
c('aten._sparse_csr_tensor_unsafe.default',crow,col,vals,[2,2])
c('aten._sparse_log_softmax.int',dense,1); c('aten._sparse_softmax.int',dense,1)
c('aten._sparse_mm.default',dense,r(4,2)); c('aten._sparse_mm.reduce',dense,r(4,2),"sum")
c('aten._sparse_sum.default',dense); c('aten._sparse_sum.dim_dtype',dense,[0],dtype=torch.float64); c('aten._sparse_sum.dtype',dense,dtype=torch.float64)
c('aten._test_ambiguous_defaults.a',r(3)); c('aten._test_ambiguous_defaults.b',r(3))
c('aten._test_autograd_multiple_dispatch.ntonly',r(3),True)
c('aten._test_check_tensor.default',r(3)); c('aten._test_serialization_subcmul.default',r(3),r(3),2); c('aten._test_string_default.default',r(3))
c('aten._thnn_differentiable_gru_cell_backward.default',r(2,4),r(2,12),r(2,12),r(2,4),r(12),r(12))
c('aten._thnn_differentiable_lstm_cell_backward.default',r(2,4),r(2,4),r(2,16),r(2,16),r(16),r(16),r(2,4),r(2,4))
c('aten._thnn_fused_lstm_cell_backward.default',r(2,4),r(2,4),r(2,4),r(2,4),r(2,16),True)
c('aten._upsample_lanczos2d_aa.vec',r(1,2,8,8),[5,6],False,None)
for p in ('_upsample_nearest_exact','upsample_nearest'):
    c(f'aten.{p}1d.default',r(1,2,4),[7]); c(f'aten.{p}2d.default',r(1,2,4,4),[7,6]); c(f'aten.{p}3d.default',r(1,2,3,4,4),[5,7,6])
c('aten._use_cudnn_rnn_flatten_weight.default')
for f in ('bsc','bsr'): c(f'aten._validate_sparse_{f}_tensor_args.default',crow,col,r(2,2,2),[4,4])
for f in ('csc','csr'): c(f'aten._validate_sparse_{f}_tensor_args.default',crow,col,vals,[2,2])
c('aten._validate_sparse_compressed_tensor_args.default',crow,col,vals,[2,2],torch.sparse_csr)
c('aten._validate_sparse_coo_tensor_args.default',coo_i,vals,[2,2])
c('aten._version.default',r(3))
c('aten._weight_norm_differentiable_backward.default',r(3,4),r(3,4),r(3,1),r(3,1).abs(),0)
c('aten._wrapped_linear_prepack.default',r(3,4),torch.tensor(0.1),torch.tensor(0),r(3))
c('aten._wrapped_quantized_linear_prepacked.default',r(2,4),torch.tensor(0.1),torch.tensor(0),r(3),torch.tensor(0.1),torch.tensor(0),3)
c('aten.baddbmm.dtype',r(2,3,4),r(2,3,5),r(2,5,4),torch.float32); c('aten.baddbmm.dtype_out',r(2,3,4),r(2,3,5),r(2,5,4),torch.float32,out=torch.zeros(2,3,4))
c('aten.can_cast.default',torch.float32,torch.float64)
c('aten.choose_qparams_optimized.default',r(8),8,20,0.1,8)
c('aten.conv_tbc_backward.default',r(3,2,4),r(5,2,3),r(3,3,4),r(4),0)
c('aten.ctc_loss.Tensor',r(5,2,4).log_softmax(2),torch.tensor([[1,2],[2,3]]),torch.tensor([5,5]),torch.tensor([2,2]))
bn=(r(2,3,4,4),r(3),r(3),r(3),r(3).abs(),True,0.1,1e-5)
c('aten.cudnn_batch_norm.default',*bn)
c('aten.cudnn_batch_norm.out',*bn,out0=torch.zeros(2,3,4,4),out1=torch.zeros(3),out2=torch.zeros(3),out3=torch.zeros(0,dtype=torch.uint8))
bb=(r(2,3,4,4),r(2,3,4,4),r(3),r(3),r(3).abs(),r(3),r(3).abs(),1e-5)
c('aten.cudnn_batch_norm_backward.default',*bb,torch.zeros(0,dtype=torch.uint8))
outs=dict(out0=torch.zeros(2,3,4,4),out1=torch.zeros(3),out2=torch.zeros(3))
c('aten.cudnn_batch_norm_backward.out',*bb,torch.zeros(0,dtype=torch.uint8),**outs)
c('aten.miopen_batch_norm_backward.default',*bb); c('aten.miopen_batch_norm_backward.out',*bb,**outs)
c('aten.cudnn_is_acceptable.default',r(3))
c('aten.embedding_sparse_backward.default',r(2,3),torch.tensor([0,1]),5,-1,False)
c('aten.fake_quantize_per_channel_affine_cachemask_backward.default',r(3),torch.tensor([True,False,True]))
c('aten.fake_quantize_per_tensor_affine_cachemask_backward.default',r(3),torch.tensor([True,False,True]))
c('aten.fbgemm_linear_fp16_weight.default',r(2,4),r(3,4),r(3)); c('aten.fbgemm_linear_fp16_weight_fp32_activation.default',r(2,4),r(3,4),r(3))
c('aten.fbgemm_linear_int8_weight.default',r(2,4),torch.zeros(3,4,dtype=torch.int8),r(3,4),r(3),0.1,0,r(3)); c('aten.fbgemm_linear_int8_weight_fp32_activation.default',r(2,4),torch.zeros(3,4,dtype=torch.int8),r(3,4),r(3),0.1,0,r(3))
c('aten.fbgemm_linear_quantize_weight.default',r(3,4)); c('aten.fbgemm_pack_gemm_matrix_fp16.default',r(3,4)); c('aten.fbgemm_pack_quantized_matrix.KN',torch.zeros(3,4,dtype=torch.int8),3,4); c('aten.fbgemm_pack_quantized_matrix.default',torch.zeros(3,4,dtype=torch.int8))
c('aten.get_device.default',r(3)); c('aten.get_gradients.default',0)
bs=torch.tensor([3,2,1])
c('aten.gru.data',r(6,3),bs,r(1,3,4),lstm_params(3,4,g=3),True,1,0.0,False,False)
c('aten.lstm.data',r(6,3),bs,[r(1,3,4),r(1,3,4)],lstm_params(3,4),True,1,0.0,False,False)
c('aten.rnn_relu.data',r(6,3),bs,r(1,3,4),lstm_params(3,4,g=1),True,1,0.0,False,False)
c('aten.rnn_tanh.data',r(6,3),bs,r(1,3,4),lstm_params(3,4,g=1),True,1,0.0,False,False)
for n in ('is_complex','is_conj','is_distributed','is_floating_point','is_inference','is_leaf','is_neg','is_signed','retains_grad','output_nr'): c(f'aten.{n}.default',r(3))
c('aten.is_nonzero.default',torch.tensor(1.0)); c('aten.is_vulkan_available.default')
c('aten.matrix_exp_backward.default',r(3,3),r(3,3)); c('aten.mish_backward.default',r(3),r(3)); c('aten.silu_backward.default',r(3),r(3)); c('aten.silu_backward.grad_input',r(3),r(3),grad_input=torch.zeros(3))
c('aten.nested_to_padded_tensor.default',r(3),0.0)
c('aten.promote_types.default',torch.float32,torch.float64)
q=(r(2,3),r(2,4),r(16,3),r(16,4),r(16),r(16),r(16),r(16),r(16),r(16),0.1,0.1,0,0)
for n in ('quantized_gru_cell','quantized_rnn_relu_cell','quantized_rnn_tanh_cell'): c(f'aten.{n}.default',*q)
c('aten.quantized_lstm_cell.default',q[0],[r(2,4),r(2,4)],*q[2:])
c('aten.result_type.Scalar',r(3),2); c('aten.result_type.Scalar_Scalar',1,2.0); c('aten.result_type.Scalar_Tensor',2,r(3)); c('aten.result_type.Tensor',r(3),r(3))
c('aten.size.int',r(2,3),0); c('aten.stride.int',r(2,3),0); c('aten.sym_size.int',r(2,3),0); c('aten.sym_stride.int',r(2,3),0); c('aten.sym_is_contiguous.default',r(2,3))
c('aten.smm.default',dense,r(4,2)); c('aten.sspaddmm.default',r(3,2),dense,r(4,2))
for f,n in (('bsc','ccol_row_value'),('bsr','crow_col_value')):
    c(f'aten.sparse_{f}_tensor.{n}',crow,col,r(2,2,2)); c(f'aten.sparse_{f}_tensor.{n}_size',crow,col,r(2,2,2),[4,4])
for f,n in (('csc','ccol_row_value'),('csr','crow_col_value')):
    c(f'aten.sparse_{f}_tensor.{n}',crow,col,vals); c(f'aten.sparse_{f}_tensor.{n}_size',crow,col,vals,[2,2])
c('aten.sparse_coo_tensor.indices',coo_i,vals); c('aten.sparse_coo_tensor.indices_size',coo_i,vals,[2,2])
c('aten.to_dense_backward.default',dense,dense); c('aten.to_mkldnn_backward.default',dense,dense)
c('aten.to_sparse.default',dense); c('aten.to_sparse.sparse_dim',dense,2); c('aten.to_sparse_bsc.default',r(4,4),[2,2]); c('aten.to_sparse_bsr.default',r(4,4),[2,2]); c('aten.to_sparse_csc.default',dense); c('aten.to_sparse_csr.default',dense)
c('inductor._alloc_from_pool.default',torch.zeros(64,dtype=torch.uint8),0,torch.float32,[2,2],[2,1])
for n in ('acl','bf16','fp16'): c(f'mkldnn._is_mkldnn_{n}_supported.default')


def double(*shapes, stride=1, padding=0, dilation=1, transposed=False, output_padding=0, groups=1, mask=(True, True, True), bias=True):
    """Arguments of _convolution_double_backward for an input and a weight of these shapes."""
    x, w = r(*shapes[0]), r(*shapes[1])
    pair = lambda n: [n, n]
    p = (pair(stride), pair(padding), pair(dilation), transposed, pair(output_padding), groups)
    out = torch.convolution(x, w, None, *p)
    return (r(*shapes[0]), r(*shapes[1]), r(out.shape[1]) if bias else None, torch.randn_like(out), w, x, *p, list(mask))


D = "aten._convolution_double_backward.default"
c(D + " stride", *double((2, 2, 8, 8), (3, 2, 3, 3), stride=2, padding=1))
c(D + " dilation", *double((1, 2, 9, 9), (3, 2, 3, 3), dilation=2, bias=False))
c(D + " groups", *double((2, 4, 6, 6), (6, 2, 3, 3), groups=2, padding=1))
c(D + " transposed", *double((2, 3, 5, 5), (3, 2, 3, 3), stride=2, transposed=True, output_padding=1, padding=1))
c(D + " mask", *double((1, 2, 5, 5), (3, 2, 3, 3), mask=(False, True, False)))
c(D + " no gradient of the weight", *(lambda a: (a[0], None, *a[2:]))(double((1, 2, 5, 5), (3, 2, 3, 3))))
c(D + " no gradient of the input", *(lambda a: (None, *a[1:]))(double((1, 2, 5, 5), (3, 2, 3, 3))))
c("aten.conv_tbc_backward.default pad", r(5, 2, 4), r(5, 2, 3), r(3, 3, 4), r(4), 1)
c("aten.conv_tbc_backward.default wide pad", r(7, 2, 4), r(3, 2, 3), r(3, 3, 4), r(4), 3)
c("aten._weight_norm_differentiable_backward.default last", r(3, 4), r(3, 4), r(1, 4), r(1, 4).abs(), 1)
c("aten.matrix_exp_backward.default batch", r(2, 3, 3), r(2, 3, 3))
c("aten._thnn_differentiable_lstm_cell_backward.default no bias", r(2, 4), None, r(2, 16), r(2, 16), None, None, r(2, 4), r(2, 4))
c("aten._thnn_differentiable_lstm_cell_backward.default cell only", None, r(2, 4), r(2, 16), r(2, 16), r(16), r(16), r(2, 4), r(2, 4))
c("aten._thnn_differentiable_gru_cell_backward.default no bias", r(2, 4), r(2, 12), r(2, 12), r(2, 4), None, None)
c("aten.cudnn_batch_norm.default eval", *bn[:5], False, 0.1, 1e-5)
c("aten.cudnn_batch_norm.default no statistics", bn[0], bn[1], bn[2], None, None, True, 0.1, 1e-5)
B = "aten._batch_norm_impl_index_backward.default"
impl = C[B][0]
c(B + " eval", *impl[:8], False, *impl[9:])
c(B + " cudnn", 1, *impl[1:])
c(B + " miopen", 2, *impl[1:])
c("aten._upsample_lanczos2d_aa.vec scale", r(1, 2, 8, 8), None, False, [0.5, 0.75])
c("aten._remove_batch_dim.default scalar", r(()), 1, 3, 0)
c("aten.to_dense_backward.default converted", r(2, 3), torch.zeros(2, 3, dtype=torch.float64))
c("aten.fake_quantize_per_tensor_affine_cachemask_backward.default half", r(3).half(), torch.tensor([True, False, True]))
c("aten._debug_has_internal_overlap.default expanded", r(3, 1).expand(3, 4))


# Operators of packed parameters: such an object is made by operators that this build of PyTorch lacks.
NEEDS_PACKED = "packed parameters, which only quantized and prepacked operators make"


def operator(key):
    found = torch.ops
    for part in key.split(" ")[0].split("."):
        found = getattr(found, part)
    return found


def reason(error):
    lines = [line for line in str(error).strip().split("\n") if line.strip()]
    return f"{type(error).__name__}: {lines[0][:160] if lines else ''}"


def module_of(key):
    """A module that calls an operator on its inputs, and the inputs."""
    args, kwargs = C[key]
    inputs = []

    def hole(value):
        if isinstance(value, torch.Tensor):
            inputs.append(value)
            return ("input", len(inputs) - 1)
        if isinstance(value, list) and any(isinstance(item, torch.Tensor) for item in value):
            return ("list", [hole(item) for item in value])
        return ("literal", value)

    def fill(value, tensors):
        kind, what = value
        if kind == "input":
            return tensors[what]
        return [fill(item, tensors) for item in what] if kind == "list" else what

    holes = [hole(value) for value in args]
    keywords = {name: hole(value) for name, value in kwargs.items()}

    class Call(torch.nn.Module):
        def forward(self, *a):
            out = operator(key)(
                *[fill(value, a) for value in holes], **{name: fill(value, a) for name, value in keywords.items()}
            )
            if isinstance(out, torch.Tensor):
                return out
            if isinstance(out, tuple) and any(isinstance(item, torch.Tensor) for item in out):
                return tuple(item for item in out if item is not None)
            return a[0] + 1

    return Call(), tuple(inputs) if inputs else (torch.randn(2),)


def text(value):
    if isinstance(value, torch.fx.Node):
        return f"%{value.name}"
    if isinstance(value, (list, tuple)):
        items = ", ".join(text(item) for item in value)
        return f"[{items}]" if isinstance(value, list) else f"({items}{',' if len(value) == 1 else ''})"
    return repr(value)


def line(node):
    if node.op == "output":
        return f"return {text(tuple(node.args[0]))}"
    args = [text(arg) for arg in node.args] + [f"{name}={text(arg)}" for name, arg in node.kwargs.items()]
    target = "getitem" if "getitem" in str(node.target) else str(node.target)
    return f"{node.name} = {target}({', '.join(args)})"


def val(value):
    if isinstance(value, torch.Tensor):
        return {"dtype": str(value.dtype)[6:], "shape": list(value.shape), "stride": list(value.stride())}
    return [val(item) for item in value] if isinstance(value, (list, tuple)) else None


def nodes(graph):
    kinds = {"placeholder": "placeholder", "call_function": "call", "output": "output"}
    return [
        {"op": "output"} if node.op == "output" else {"op": kinds[node.op], "name": node.name, "val": val(node.meta["val"])}
        for node in graph.nodes
    ]


def lines(graph):
    return [line(node) for node in graph.nodes if node.op != "placeholder"]


def numbers(tensors):
    def plain(value):
        return value if not isinstance(value, float) or math.isfinite(value) else str(value)

    return [
        [plain(value) for value in tensor.detach().to(torch.float64).flatten().tolist()] if tensor.dtype is not torch.bool
        else tensor.int().flatten().tolist()
        for tensor in tensors
    ]


def values(module, inputs):
    """What the module computes; nothing for operators that this build has no kernel for."""
    try:
        found = module(*[tensor.clone() for tensor in inputs])
    except NotImplementedError:
        return {}
    found = [found] if isinstance(found, torch.Tensor) else found
    if any(tensor.layout is not torch.strided for tensor in found) or not all(x.is_contiguous() for x in inputs):
        return {}
    return {"inputs": numbers(inputs), "outputs": numbers(found)}


def record(key):
    """A case, or PyTorch's answer."""
    step = "export"
    try:
        module, inputs = module_of(key)
        program = torch.export.export(module, inputs)
        if key.split(" ")[0] not in [str(node.target) for node in program.graph.nodes]:
            return {"exported": "the program has no such call: the value is read while exporting"}
        step = "save"
        torch.export.save(program, io.BytesIO())
        step = "lower"
        training = lines(program.graph)
        lowered = program.run_decompositions()
        return {
            "name": key,
            "training_ir": training,
            "core": lines(lowered.graph),
            "core_nodes": nodes(lowered.graph),
            **values(module, inputs),
        }
    except Exception as error:
        return {step: reason(error)}


def main(folder):
    cases, answers = [], {}
    table = {str(key) for key in torch.export.default_decompositions()}
    for key in sorted(table):
        cases.extend(record(more) for more in sorted(C) if more.startswith(key + " "))
        if key not in C:
            if key.startswith(("quantized.", "prepacked.", "sparse.")):
                answers[key] = {"call": f"takes or gives {NEEDS_PACKED}"}
            continue
        found = record(key)
        if "core" in found:
            cases.append(found)
        else:
            answers[key] = found
    with open(f"{folder}/table-keys.json", "w", encoding="utf-8") as file:
        json.dump({"torch": torch.__version__, "keys": sorted(table), "answers": answers}, file, indent=1)
        file.write("\n")
    with open(f"{folder}/table-cases.json.gz", "wb") as file:
        file.write(gzip.compress(json.dumps(cases, separators=(",", ":")).encode(), 9, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
