"""Calls of overloads that few programs hold: what make_overloads.py records.

A part is a function `part(c)`. `c(op, *args, **kwargs)` is a call, whether it succeeds or is refused.
"""
import math

import torch

A = torch.ops.aten
INF, NAN = math.inf, math.nan
F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
I64, I32, I16, I8, U8, BOOL = torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool


def r(*shape, dtype=F32, lo=-3.0, hi=3.0):
    if dtype == BOOL:
        return torch.rand(shape) > 0.5
    if not dtype.is_floating_point and not dtype.is_complex:
        return torch.randint(int(0 if dtype == U8 else lo), int(hi) + 1, shape, dtype=dtype)
    if dtype.is_complex:
        return torch.randn(shape, dtype=dtype)
    return (torch.rand(shape, dtype=F64) * (hi - lo) + lo).to(dtype)


EDGES = [NAN, INF, -INF, 0.0, -0.0, 0.5, -2.5, 88.8, -88.8, 1e-40, 3e38]


def edges(dtype=F32):
    return torch.tensor(EDGES, dtype=F64).to(dtype)


def arithmetic(c):
    for dtype in (F32, F64, F16, BF16, I64, I8):
        c(A._add_relu.Tensor, r(3, 4, dtype=dtype), r(4, dtype=dtype))
    c(A._add_relu.Tensor, r(3, 4), r(3, 1), alpha=-2)
    c(A._add_relu.Tensor, edges(), edges().flip(0), alpha=0.5)
    c(A._add_relu.Tensor, r(3), r(3, dtype=I64))
    c(A._add_relu.Tensor, r(3, dtype=BOOL), r(3, dtype=BOOL))
    c(A._add_relu.Tensor, r(3), r(4))
    c(A._add_relu.Tensor, r(0, 3), r(3))
    c(A._add_relu_.Tensor, r(3, 4), r(4))
    c(A._add_relu.Scalar, r(3, 4), 1.5)
    c(A._add_relu.Scalar, r(3, dtype=I64), 2, 3)
    c(A._add_relu_.Scalar, r(3, 4), -1, 2)
    for name in ("_conj_copy", "_neg_view_copy"):
        op = getattr(A, name).default
        for dtype in (F32, I64, torch.complex64):
            c(op, r(3, 2, dtype=dtype))
        c(op, r(2, 3).t())
    c(A.view_as_real_copy.default, r(3, 2, dtype=torch.complex64))
    c(A.view_as_real_copy.default, r(2, 3, dtype=torch.complex128).t())
    c(A.view_as_real_copy.default, r(3))
    c(A.view_as_complex_copy.default, r(3, 2))
    c(A.view_as_complex_copy.default, r(3, 2, 2, dtype=F64).transpose(0, 1))
    c(A.view_as_complex_copy.default, r(3))
    c(A.view_as_complex_copy.default, r(2, dtype=I64))
    c(A.view_copy.dtype, r(3, 4), I32)
    c(A.view_copy.dtype, r(3, 4), I16)
    c(A.view_copy.dtype, r(3, 4, dtype=I16), F32)
    c(A.view_copy.dtype, r(3, 3, dtype=I16), F32)
    c(A._reshape_alias_copy.default, r(3, 4), [4, 3], [3, 1])
    c(A._reshape_copy.default, r(3, 4), [2, -1])
    c(A._reshape_copy.default, r(3, 4).t(), [2, 6])
    c(A._reshape_copy.default, r(3, 4), [5, 2])
    c(A._lazy_clone.default, r(3, 4))
    c(A._lazy_clone.default, r(3, 4).t())
    c(A.lift.default, r(3))
    for dtype in (F32, F16, I64, BOOL):
        c(A._aminmax.default, r(3, 4, dtype=dtype))
        c(A._aminmax.dim, r(3, 4, dtype=dtype), 1)
    c(A._aminmax.dim, r(3, 4), -2, True)
    c(A._aminmax.dim, edges(), 0)
    c(A._aminmax.default, edges()[1:])
    c(A._aminmax.default, r(0))
    c(A._aminmax.dim, r(3, 4), 2)
    c(A._stack.default, [r(2, 3), r(2, 3)], 1)
    c(A._stack.default, [r(2), r(2, dtype=I64)], -1)
    c(A._stack.default, [r(2), r(3)], 0)
    c(A._stack.default, [r(2)], 3)
    for dtype in (F32, F64, F16, BF16, torch.complex64):
        c(A._logcumsumexp.default, r(3, 4, dtype=dtype), 1)
    c(A._logcumsumexp.default, edges(), 0)
    c(A._logcumsumexp.default, r(0, 3), 0)
    c(A._logcumsumexp.default, torch.tensor(2.0), 0)
    c(A._logcumsumexp.default, r(3, dtype=I64), 0)
    for name in ("_cummax_helper", "_cummin_helper"):
        op = getattr(A, name).default
        for dtype in (F32, I64, BOOL, BF16):
            x = r(3, 4, dtype=dtype)
            c(op, x, torch.zeros_like(x), torch.zeros_like(x, dtype=I64), 1)
        c(op, edges(), torch.zeros(len(EDGES)), torch.zeros(len(EDGES), dtype=I64), 0)
    for p in (0, 1, 2, 3, 2.5, INF, -INF, -1):
        c(A.linalg__powsum.default, r(3, 4), p)
    c(A.linalg__powsum.default, r(3, 4), 2, [1])
    c(A.linalg__powsum.default, r(3, 4), 2, [-1], True)
    c(A.linalg__powsum.default, r(3, 4), 3, [0], dtype=F64)
    c(A.linalg__powsum.default, r(3, 4, dtype=F16), 2, dtype=F32)
    c(A.linalg__powsum.default, r(3, 4, dtype=BF16), 2)
    c(A.linalg__powsum.default, r(3, 4, dtype=torch.complex64), 2)
    c(A.linalg__powsum.default, r(3, dtype=I64), 2)
    c(A.linalg__powsum.default, r(0), 2)
    c(A.linalg__powsum.default, edges(), 2)
    for dtype in (F32, F64, I64, I32, I8, U8, BOOL, F16, BF16):
        c(A.hash_tensor.default, r(3, 4, dtype=dtype))
    c(A.hash_tensor.default, r(3, 4), [1])
    c(A.hash_tensor.default, r(3, 4), [0], keepdim=True)
    c(A.hash_tensor.default, r(0, 3), [0])
    c(A.hash_tensor.default, r(3), mode=1)
    for dim in (0, 1, -1):
        c(A.glu_jvp.default, A.glu(r(4, 6), dim), r(4, 6), r(4, 6), dim)
    c(A.glu_jvp.default, A.glu(r(4, 6, dtype=F64), 1), r(4, 6, dtype=F64), r(4, 6, dtype=F64), 1)
    c(A.glu_backward_jvp.default, r(4, 6), r(4, 3), r(4, 6), r(4, 3), r(4, 6), 1)
    c(A.glu_backward_jvp.default, r(4, 6), r(2, 6), r(4, 6), r(2, 6), r(4, 6), 0)


def queries(c):
    c(A._is_all_true.default, torch.tensor([True, True]))
    c(A._is_all_true.default, r(3, 4, dtype=BOOL))
    c(A._is_all_true.default, torch.tensor([], dtype=BOOL))
    c(A._is_all_true.default, r(3))
    c(A._is_any_true.default, torch.tensor([False, False]))
    c(A._is_any_true.default, r(3, 4, dtype=BOOL))
    c(A._is_any_true.default, r(3))
    c(A.is_same_size.default, r(2, 3), r(2, 3))
    c(A.is_same_size.default, r(2, 3), r(3, 2))
    c(A._has_same_storage_numel.default, r(2, 3), r(6))
    c(A._has_same_storage_numel.default, r(2, 3), r(5))
    c(A.is_set_to.default, r(2, 3), r(2, 3))
    c(A.is_pinned.default, r(2))
    c(A._fused_sdp_choice.default, r(1, 2, 4, 8), r(1, 2, 4, 8), r(1, 2, 4, 8))
    c(A._fused_sdp_choice.default, r(1, 2, 4, 8), r(1, 2, 4, 8), r(1, 2, 4, 8), None, 0.5)
    c(A._fused_sdp_choice.default, r(1, 2, 4, 8), r(1, 2, 4, 8), r(1, 2, 4, 8), r(4, 4))
    c(A._fused_sdp_choice.default, r(2, 4, 8), r(2, 4, 8), r(2, 4, 8))
    c(A._make_dep_token.default)
    c(A._functional_assert_scalar.default, 3, "three", torch.zeros(()))
    c(A._functional_assert_scalar.default, 0, "is zero", torch.zeros(()))
    for name in ("_functional_sym_constrain_range", "_functional_sym_constrain_range_for_size"):
        op = getattr(A, name).default
        c(op, 3, 0, 5, torch.zeros(()))
        c(op, 3, 2, None, torch.zeros(()))
        c(op, 3, 4, 5, torch.zeros(()))
        c(op, 3, None, 2, torch.zeros(()))
    c(A._print.default, "")
    c(A._autocast_to_full_precision.default, r(3, dtype=F16), False, True)
    c(A._autocast_to_full_precision.default, r(3, dtype=BF16), False, False)
    c(A._autocast_to_full_precision.default, r(3), True, True)
    c(A._autocast_to_reduced_precision.default, r(3), False, True, F16, BF16)
    c(A._autocast_to_reduced_precision.default, r(3), True, False, F16, BF16)
    c(A._autocast_to_reduced_precision.default, r(3, dtype=F64), True, True, F16, BF16)
    c(A.dequantize.self, r(3))
    c(A.dequantize.self, r(3, dtype=F16))
    c(A._efficientzerotensor.default, [2, 3])
    c(A._new_zeros_with_same_feature_meta.default, r(2, 3), r(2, 3).t())
    c(A._new_zeros_with_same_feature_meta.default, r(4, 2, 3), r(3, 2).t(), self_num_batch_dims=1)
    c(A.requires_grad_.default, r(3))


def indexing(c):
    x = lambda: r(4, 3)
    c(A._index_put_impl.default, x(), [torch.tensor([0, 2])], r(2, 3))
    c(A._index_put_impl.default, x(), [torch.tensor([0, 0]), torch.tensor([1, 1])], r(2), True)
    c(A._index_put_impl.default, x(), [None, torch.tensor([1, -1])], r(4, 2), False, True)
    c(A._index_put_impl_.default, x(), [torch.tensor([0, 2])], r(2, 3))
    c(A._index_put_impl.default, x(), [torch.tensor([7])], r(3))
    for out in (False, True):
        rows = torch.tensor([0, 0, 1, 3], dtype=I64)
        c(A._convert_indices_from_coo_to_csr.default, rows, 4, out_int32=out)
        crow = torch.tensor([0, 2, 3, 3, 4])
        c(A._convert_indices_from_csr_to_coo.default, crow, torch.tensor([0, 1, 2, 0]), out_int32=out)
        c(A._convert_indices_from_csr_to_coo.default, crow, torch.tensor([0, 1, 2, 0]), out_int32=out, transpose=True)
    c(A._convert_indices_from_coo_to_csr.default, torch.tensor([], dtype=I64), 3)
    c(A._convert_indices_from_coo_to_csr.default, torch.tensor([0, 1, 1], dtype=I32), 2)
    c(A._convert_indices_from_csr_to_coo.default, torch.tensor([[0, 2, 3], [0, 1, 3]]), torch.tensor([[0, 1, 2], [0, 1, 2]]))
    c(A._jagged_to_padded_dense_forward.default, r(6, 2), [torch.tensor([0, 2, 3, 6])], [3], -1.0)
    c(A._jagged_to_padded_dense_forward.default, r(6, 2), [torch.tensor([0, 2, 3, 6])], [2])
    c(A._jagged_to_padded_dense_forward.default, r(6, 2, dtype=F64), [torch.tensor([0, 0, 6])], [8])
    c(A._jagged_to_padded_dense_forward.default, r(6), [torch.tensor([0, 2, 6])], [4])
    c(A._jagged_to_padded_dense_forward.default, r(6, 2), [torch.tensor([0, 2, 3, 6]), torch.tensor([0, 1])], [3, 3])
    c(A._padded_dense_to_jagged_forward.default, r(3, 3, 2), [torch.tensor([0, 2, 3, 6])], 6)
    c(A._padded_dense_to_jagged_forward.default, r(3, 3, 2), [torch.tensor([0, 2, 3, 6])])
    c(A._padded_dense_to_jagged_forward.default, r(2, 4, 1, dtype=F64), [torch.tensor([0, 1, 5])], 5)


def products(c):
    for gelu in (False, True):
        c(A._addmm_activation.default, r(4), r(3, 5), r(5, 4), use_gelu=gelu)
        c(A._addmm_activation.default, r(3, 4), r(3, 5), r(5, 4), beta=0.5, alpha=2, use_gelu=gelu)
        c(A._addmm_activation.default, r(4, dtype=BF16), r(3, 5, dtype=BF16), r(5, 4, dtype=BF16), use_gelu=gelu)
    c(A._addmm_activation.default, r(4), r(3, 5), r(4, 4))
    c(A._int_mm.default, r(17, 8, dtype=I8, lo=-128, hi=127), r(8, 8, dtype=I8, lo=-128, hi=127))
    c(A._int_mm.default, r(3, 5, dtype=I8, lo=-128, hi=127), r(4, 5, dtype=I8, lo=-128, hi=127).t())
    c(A._int_mm.default, r(3, 5, dtype=U8, hi=255), r(5, 4, dtype=I8))
    c(A._int_mm.default, r(3, 5, dtype=I8), r(4, 4, dtype=I8))
    c(A._int_mm.default, r(3, 5), r(5, 4))
    c(A._int_mm.default, r(0, 5, dtype=I8), r(5, 4, dtype=I8))
    c(A._int_mm.default, r(3, 0, dtype=I8), r(0, 4, dtype=I8))
    b = dict(dtype=BF16)
    offs = torch.tensor([2, 5], dtype=I32)
    c(A._grouped_mm.default, r(5, 16, **b), r(2, 6, 16, **b).transpose(1, 2), offs)
    c(A._grouped_mm.default, r(5, 16, **b), r(2, 8, 16, **b).transpose(1, 2), offs)
    c(A._grouped_mm.default, r(2, 4, 16, **b), r(8, 16, **b).t(), torch.tensor([3, 8], dtype=I32))
    c(A._grouped_mm.default, r(2, 4, 16, **b), r(2, 8, 16, **b).transpose(1, 2))
    c(A._grouped_mm.default, r(8, 24, **b), r(24, 8, **b), torch.tensor([8, 24], dtype=I32))
    c(A._grouped_mm.default, r(5, 16), r(2, 8, 16).transpose(1, 2), offs)
    c(A._grouped_mm.default, r(5, 16, dtype=F16), r(2, 8, 16, dtype=F16).transpose(1, 2), offs)
    c(A._grouped_mm.default, r(5, 16, **b), r(2, 8, 16, **b).transpose(1, 2))
    c(A._grouped_mm.default, r(5, 16, **b), r(2, 8, 16, **b).transpose(1, 2), offs, None, F32)
    c(A._grouped_mm.default, r(5, 16, **b), r(2, 8, 16, **b).transpose(1, 2), offs, r(8, **b))
    c(A._grouped_mm.default, r(5, 16, dtype=F64), r(2, 8, 16, dtype=F64).transpose(1, 2), offs)
    for dtype in (F32, F64):
        for upper in (False, True):
            m = r(2, 3, 3, dtype=dtype)
            l = torch.linalg.cholesky(m @ m.mT + torch.eye(3, dtype=dtype), upper=upper)
            c(A._cholesky_solve_helper.default, r(2, 3, 2, dtype=dtype), l, upper)
    c(A._compute_linear_combination.default, r(3, 2, 2), r(4, 3))
    c(A._compute_linear_combination.default, r(2, 5, dtype=F64), r(1, 2, dtype=F64))
    c(A._compute_linear_combination.default, r(3, 2), r(4, 2))
    c(A._weight_int8pack_mm.default, r(3, 8, **b), r(4, 8, dtype=I8, lo=-128, hi=127), r(4, **b))
    c(A._weight_int8pack_mm.default, r(3, 8), r(4, 8, dtype=I8, lo=-128, hi=127), r(4))
    c(A._weight_int8pack_mm.default, r(2, 8, dtype=F16), r(4, 8, dtype=I8, lo=-128, hi=127), r(4, dtype=F16))
    c(A._weight_int8pack_mm.default, r(2, 8), r(4, 6, dtype=I8), r(4))


def scaled(c):
    f8 = torch.float8_e4m3fn
    a, b = r(3, 16).to(f8), r(8, 16).to(f8).t()
    one = (torch.tensor(0.5), torch.tensor(2.0))
    rows = (r(3, 1, lo=0.5), r(1, 8, lo=0.5))
    for scales in (one, rows):
        for dtype in (F32, BF16, F16):
            c(A._scaled_mm.default, a, b, *scales, out_dtype=dtype)
        kind = 0 if scales is one else 1
        c(A._scaled_mm_v2.default, a, b, [scales[0]], [kind], [0], [scales[1]], [kind], [0], None, F32)
    c(A._scaled_mm.default, a, b, *one, r(8), out_dtype=F32)
    c(A._scaled_mm.default, a, b, *one, r(8, dtype=BF16), out_dtype=BF16)
    c(A._scaled_mm.default, a, b, torch.tensor([0.5]), torch.tensor([2.0]), out_dtype=F32, use_fast_accum=True)
    c(A._scaled_mm.default, r(3, 16).to(torch.float8_e5m2), b, *one, out_dtype=F32)
    c(A._scaled_mm.default, r(3, 15).to(f8), r(15, 8).to(f8), *one, out_dtype=F32)
    c(A._scaled_mm.default, a, r(15, 8).to(f8), *one, out_dtype=F32)


def normalizations(c):
    x, w, b, m, v = r(3, 4, 2), r(4), r(4), r(4), r(4, lo=0.5)
    c(A._batch_norm_no_update.default, x, w, b, m, v, 0.1, 1e-5)
    c(A._batch_norm_no_update.default, x, None, None, m, v, 0.1, 1e-3)
    c(A._batch_norm_no_update.default, x.to(BF16), w, b, m, v, 0.1, 1e-5)
    c(A._batch_norm_impl_index.default, x, w, b, m, v, False, 0.1, 1e-5, True)
    c(A._batch_norm_impl_index.default, x, w, b, m.clone(), v.clone(), True, 0.1, 1e-5, False)
    c(A._batch_norm_impl_index.default, x, w, b, None, None, False, 0.1, 1e-5, False)
    c(A.batch_norm_update_stats.default, x, m, v, 0.1)
    c(A.batch_norm_update_stats.default, x.double(), m.double(), v.double(), 0.3)
    c(A.batch_norm_update_stats.default, x, None, None, 0.1)
    for dtype in (F32, F64, F16, BF16):
        s = r(2, 2, 4, 4, dtype=dtype)
        c(A._masked_softmax.default, s, r(2, 2, 4, 4, dtype=BOOL), -1, 2)
    s = r(2, 2, 4, 4)
    c(A._masked_softmax.default, s, r(4, 4, dtype=BOOL), -1, 0)
    c(A._masked_softmax.default, s, r(2, 4, dtype=BOOL), -1, 1)
    c(A._masked_softmax.default, s, r(2, 2, 4, 4, dtype=BOOL), 1, 2)
    c(A._masked_softmax.default, s, r(2, 2, 4, 4, dtype=BOOL), None, 2)
    c(A._masked_softmax.default, s, torch.ones(2, 2, 4, 4, dtype=BOOL), -1, 2)
    c(A._masked_softmax.default, s, r(2, 2, 4, 4, dtype=BOOL), -1)
    c(A._masked_softmax.default, s, r(2, 2, 4, 4), -1, 2)
    c(A._masked_softmax.default, s, r(2, 4, dtype=BOOL), -1, 2)
    c(A._masked_softmax.default, s, r(4, 4, dtype=BOOL), -1, 7)
    c(A._masked_softmax.default, r(3, 4), r(3, 4, dtype=BOOL), 0, 2)
    mask = r(2, 2, 4, 4, dtype=BOOL)
    y = A._masked_softmax(s, mask, -1, 2)
    c(A._masked_softmax_backward.default, r(2, 2, 4, 4), y, mask, -1)
    c(A._masked_softmax_backward.default, r(2, 2, 4, 4), y, mask)
    c(A._masked_softmax_backward.default, r(3, 4), r(3, 4), r(3, 4, dtype=BOOL), 0)
    for dim, shape in ((0, (4, 1, 1)), (2, (1, 1, 2))):
        saved = r(4, 3, 2)
        norms = saved.norm(2, [d for d in range(3) if d != dim], True)
        c(A._weight_norm_interface_backward.default, r(4, 3, 2), saved, r(*shape), norms, dim)
    c(A._weight_norm_interface_backward.default, r(4, 3, dtype=F64), r(4, 3, dtype=F64), r(4, 1, dtype=F64), r(4, 1, dtype=F64, lo=1), 0)


def gradients(c):
    logs = torch.log_softmax(r(6, 2, 4), -1)
    targets = torch.tensor([[1, 2, 1], [3, 3, 1]])
    for zero in (False, True):
        for lengths in (([6, 5], [3, 2]), ([6, 2], [3, 3])):
            loss, alpha = A._ctc_loss(logs, targets, *lengths, 0, zero)
            c(A._ctc_loss_backward.default, r(2), logs, targets, *lengths, loss, alpha, 0, zero)
            t = [torch.tensor(x) for x in lengths]
            c(A._ctc_loss_backward.Tensor, r(2), logs, targets, *t, loss, alpha, 0, zero)
    flat = torch.tensor([1, 2, 1, 3, 3])
    loss, alpha = A._ctc_loss(logs.double(), flat, [6, 5], [3, 2], 0, False)
    c(A._ctc_loss_backward.default, r(2, dtype=F64), logs.double(), flat, [6, 5], [3, 2], loss, alpha, 0)
    for name in ("bilinear", "bicubic", "lanczos"):
        op = getattr(A, f"_upsample_{name}2d_aa_backward").default
        for dtype in (F32, F64):
            c(op, r(1, 2, 3, 4, dtype=dtype), [3, 4], [1, 2, 7, 6], False)
        c(op, r(1, 2, 5, 6), [5, 6], [1, 2, 3, 4], False)
        c(op, r(1, 1, 3, 3), [3, 3], [1, 1, 7, 7], True)
        c(op, r(1, 1, 3, 3), [3, 3], [1, 1, 6, 6], False, 0.4, 0.6)
        c(op, r(1, 2, 3, 4), [3, 5], [1, 2, 7, 6], False)
    indices, offsets = torch.tensor([1, 2, 1, 0, 3]), torch.tensor([0, 2, 2])
    offset2bag = torch.tensor([0, 0, 2, 2, 2])
    for mode in (0, 1, 2):
        _, _, size, most = A._embedding_bag(r(5, 3), indices, offsets, False, mode)
        c(A._embedding_bag_dense_backward.default, r(3, 3), indices, offset2bag, size, most, 5, False, mode, None)
    _, _, size, most = A._embedding_bag(r(5, 3), indices, offsets, False, 0, False, r(5))
    c(A._embedding_bag_dense_backward.default, r(3, 3), indices, offset2bag, size, most, 5, True, 0, None)
    c(A._embedding_bag_dense_backward.default, r(3, 3), indices, offset2bag, size, most, 5, False, 0, r(5))
    c(A._embedding_bag_dense_backward.default, r(3, 3), indices, offset2bag, size, most, 5, False, 0, None, 1)
    c(A._grid_sampler_2d_cpu_fallback.default, r(1, 2, 4, 4), r(1, 3, 3, 2, lo=-1.2, hi=1.2), 0, 0, False)
    c(A._grid_sampler_2d_cpu_fallback.default, r(1, 2, 4, 4), r(1, 3, 3, 2, lo=-1.2, hi=1.2), 1, 2, True)
    c(A._grid_sampler_2d_cpu_fallback.default, r(1, 2, 4, 4), r(1, 3, 3, 2, lo=-1.2, hi=1.2), 2, 1, False)
    for mode in (0, 1, 2):
        c(A._grid_sampler_2d_cpu_fallback_backward.default, r(1, 2, 3, 3), r(1, 2, 4, 4), r(1, 3, 3, 2, lo=-1.2, hi=1.2), mode, mode, mode == 1)


def convolutions(c):
    x, w, b = r(2, 2, 7, 6), r(3, 2, 3, 2), r(3)
    c(A.slow_conv_dilated2d.default, x, w, [3, 2], b, [1, 2], [1, 0], [2, 1])
    c(A.slow_conv_dilated2d.default, x[0], w, [3, 2], None, [1, 1], [0, 0], [2, 2])
    c(A.slow_conv_dilated2d.default, x.double(), w.double(), [3, 2], b.double())
    c(A.slow_conv_dilated2d.default, x, w, [2, 2])
    c(A.slow_conv_transpose2d.default, r(2, 3, 4, 4), w, [3, 2], r(2), [2, 1], [1, 0], [1, 0], [1, 2])
    c(A.slow_conv_transpose2d.default, r(1, 3, 4, 4, dtype=F64), w.double(), [3, 2])
    c(A.slow_conv_transpose2d.default, r(2, 3, 4, 4), w, [3, 2], r(2), [1, 1], [0, 0], [2, 2])
    x3, w3 = r(1, 2, 4, 5, 4), r(3, 2, 2, 3, 2)
    c(A.slow_conv_dilated3d.default, x3, w3, [2, 3, 2], b, [1, 1, 2], [1, 0, 0], [1, 2, 1])
    c(A.slow_conv_transpose3d.default, r(1, 3, 2, 3, 2), w3, [2, 3, 2], r(2), [2, 1, 1], [1, 0, 0], [1, 0, 0], [1, 1, 1])
    c(A.slow_conv_transpose3d.default, r(3, 2, 3, 2), w3, [2, 3, 2])
    c(A._slow_conv2d_backward.output_mask, r(2, 3, 5, 5), x, w, [3, 2], [1, 1], [0, 0], [True, True, True])
    c(A._slow_conv2d_backward.output_mask, r(2, 3, 4, 4), x, w, [3, 2], [2, 2], [1, 1], [False, True, False])


def optimizers(c):
    def state(n, dtype=F32, lo=-1.0):
        return [r(*s, dtype=dtype, lo=lo, hi=1.0) for s in [(3,), (2, 2)][:n]]

    def steps(n, at):
        return [torch.tensor(float(at)) for _ in range(n)]

    for name in ("_fused_adam", "_fused_adamw"):
        for variant in ("default", "tensor_lr"):
            lr = torch.tensor(0.01) if variant == "tensor_lr" else 0.01
            for k in (dict(), dict(weight_decay=0.1), dict(amsgrad=True), dict(maximize=True, weight_decay=0.1), dict(grad_scale=torch.tensor(4.0)),
                      dict(found_inf=torch.tensor(1.0)), dict(found_inf=torch.tensor(0.0), grad_scale=torch.tensor(2.0), amsgrad=True)):
                for dtype in (F32,) if k else (F32, F64, BF16):
                    o = dict(lr=lr, beta1=0.9, beta2=0.99, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False) | k
                    most = state(2, dtype, 0.0) if o["amsgrad"] else []
                    for end in ("", "_"):
                        if end and (k and "amsgrad" not in k or dtype != F32):
                            continue
                        c(getattr(getattr(A, name + end), variant), state(2, dtype), state(2, dtype), state(2, dtype), state(2, dtype, 0.0), most, steps(2, 3), **o)
    for variant in ("default", "tensor_lr"):
        lr = torch.tensor(0.01) if variant == "tensor_lr" else 0.01
        for k in (dict(), dict(weight_decay=0.1), dict(nesterov=True), dict(maximize=True), dict(is_first_step=True), dict(dampening=0.3, momentum=0.5),
                  dict(momentum=0.0), dict(grad_scale=torch.tensor(4.0)), dict(found_inf=torch.tensor(1.0))):
            o = dict(weight_decay=0.0, momentum=0.9, lr=lr, dampening=0.0, nesterov=False, maximize=False, is_first_step=False) | k
            buffers = state(2) if o["momentum"] else []
            c(getattr(A._fused_sgd, variant), state(2), state(2), buffers, **o)
            if not k:
                c(getattr(A._fused_sgd_, variant), state(2), state(2), buffers, **o)
                c(getattr(A._fused_sgd, variant), state(2, F64), state(2, F64), state(2, F64), **o)
        for k in (dict(), dict(weight_decay=0.1), dict(lr_decay=0.2), dict(maximize=True), dict(grad_scale=torch.tensor(4.0)), dict(found_inf=torch.tensor(1.0))):
            o = dict(lr=lr, lr_decay=0.0, weight_decay=0.0, eps=1e-10, maximize=False) | k
            c(getattr(A._fused_adagrad, variant), state(2), state(2), state(2, lo=0.0), steps(2, 3), **o)
            if not k:
                c(getattr(A._fused_adagrad_, variant), state(2), state(2), state(2, lo=0.0), steps(2, 3), **o)
    for found in (0.0, 1.0):
        c(A._amp_update_scale.default, torch.tensor(8.0), torch.tensor(1, dtype=I32), torch.tensor(found), 2.0, 0.5, 2)
        c(A._amp_update_scale.default, torch.tensor(8.0), torch.tensor(0, dtype=I32), torch.tensor(found), 2.0, 0.5, 2)
        c(A._amp_update_scale_.default, torch.tensor(8.0), torch.tensor(1, dtype=I32), torch.tensor(found), 2.0, 0.5, 2)
    c(A._amp_update_scale.default, torch.tensor(3e38), torch.tensor(1, dtype=I32), torch.tensor(0.0), 2.0, 0.5, 2)
    for grads in ([r(3), r(2, 2)], [torch.tensor([1.0, INF])], [torch.tensor([NAN]), r(2)]):
        c(A._amp_foreach_non_finite_check_and_unscale.default, grads, torch.tensor(0.0), torch.tensor(0.5))
        c(A._amp_foreach_non_finite_check_and_unscale_.default, grads, torch.tensor(0.0), torch.tensor(0.5))
    c(A._amp_foreach_non_finite_check_and_unscale.default, [r(3)], torch.tensor(1.0), torch.tensor(1.0))


def quantization(c):
    x = r(3, 4)
    for dtype in (F32, BF16):
        c(A._fake_quantize_learnable_per_tensor_affine.default, x.to(dtype), torch.tensor([0.1]), torch.tensor([3.0]), -8, 7)
    c(A._fake_quantize_learnable_per_tensor_affine.default, x, torch.tensor([0.5]), torch.tensor([2.6]), 0, 15, 0.5)
    c(A._fake_quantize_learnable_per_tensor_affine.default, edges(), torch.tensor([0.5]), torch.tensor([0.0]), 0, 255)
    c(A._fake_quantize_learnable_per_tensor_affine_backward.default, r(3, 4), x, torch.tensor([0.1]), torch.tensor([3.0]), -8, 7)
    c(A._fake_quantize_learnable_per_tensor_affine_backward.default, r(3, 4), x, torch.tensor([0.5]), torch.tensor([2.6]), 0, 15, 0.5)
    s, z = r(4, lo=0.1, hi=1), torch.tensor([0.0, 1.4, 2.5, -3.0])
    c(A._fake_quantize_learnable_per_channel_affine.default, x, s, z, 1, -8, 7)
    c(A._fake_quantize_learnable_per_channel_affine.default, x, s[:3], z[:3], 0, 0, 15, 0.5)
    c(A._fake_quantize_learnable_per_channel_affine_backward.default, r(3, 4), x, s, z, 1, -8, 7)
    c(A._fake_quantize_learnable_per_channel_affine_backward.default, r(3, 4), x, s[:3], z[:3], 0, 0, 15, 0.5)
    on, off = torch.tensor([1]), torch.tensor([0])
    for observe in (on, off):
        for quantize in (on, off):
            for symmetric in (False, True):
                q = [torch.tensor([-1.0]), torch.tensor([2.0]), torch.tensor([0.1]), torch.tensor([3], dtype=I32)]
                c(A._fused_moving_avg_obs_fq_helper_functional.default, x, observe, quantize, *q, 0.01, 0, 255, 0, False, symmetric)
    for op in (A._fused_moving_avg_obs_fq_helper.default, A.fused_moving_avg_obs_fake_quant.default):
        q = [torch.tensor([-1.0]), torch.tensor([2.0]), torch.tensor([0.1]), torch.tensor([3], dtype=I32)]
        c(op, x, on, on, *q, 0.01, 0, 255, 0)
    q = lambda: [r(3), r(3, lo=3, hi=4), r(3, lo=0.1), torch.zeros(3, dtype=I32)]
    c(A._fused_moving_avg_obs_fq_helper_functional.default, x, on, on, *q(), 0.1, -128, 127, 0, True, True)
    c(A._fused_moving_avg_obs_fq_helper_functional.default, x, on, on, *q(), 0.1, 0, 255, 0, True, False)
    c(A._fused_moving_avg_obs_fq_helper_functional.default, x, on, on, *q(), 0.1, 0, 255, 1, True, False)
    q = [torch.tensor([INF]), torch.tensor([-INF]), torch.tensor([1.0]), torch.tensor([0], dtype=I32)]
    c(A._fused_moving_avg_obs_fq_helper_functional.default, x, on, on, *q, 0.01, 0, 255, 0)


def attention(c):
    d, h = 8, 2
    qkv_w, qkv_b, out_w, out_b = r(3 * d, d, lo=-0.5, hi=0.5), r(3 * d), r(d, d), r(d)
    x = r(2, 3, d)
    mask = torch.tensor([[False, False, True], [False, False, False]])
    for need, mean in ((True, True), (True, False), (False, True)):
        c(A._native_multi_head_attention.default, x, x, x, d, h, qkv_w, qkv_b, out_w, out_b, None, need, mean)
    c(A._native_multi_head_attention.default, x, x, x, d, h, qkv_w, qkv_b, out_w, out_b, mask, True, True, 1)
    c(A._native_multi_head_attention.default, x, x, x, d, h, qkv_w, qkv_b, out_w, out_b, torch.triu(torch.ones(3, 3, dtype=BOOL), 1), False, True, 0)
    c(A._native_multi_head_attention.default, x, r(2, 4, d), r(2, 4, d), d, h, qkv_w, qkv_b, out_w, out_b)
    c(A._transform_bias_rescale_qkv.default, r(2, 3, 3 * d), qkv_b, h)
    c(A._transform_bias_rescale_qkv.default, r(2, 3, 3 * d, dtype=F64), qkv_b.double(), 4)
    layer = (r(d), r(d), r(d), r(d), r(5, d), r(5), r(d, 5), r(d))
    for gelu in (False, True):
        for first in (False, True):
            c(A._transformer_encoder_layer_fwd.default, x, d, h, qkv_w, qkv_b, out_w, out_b, gelu, first, 1e-5, *layer)
    c(A._transformer_encoder_layer_fwd.default, x, d, h, qkv_w, qkv_b, out_w, out_b, False, False, 1e-5, *layer, mask, 1)


def layers(c):
    for dtype in (F32,):
        for reverse in (False, True):
            k = dict(dtype=dtype)
            w = (r(12, 2, **k), r(12, 3, **k), r(12, **k), r(12, **k))
            c(A.mkldnn_rnn_layer.default, r(4, 2, 2, **k), *w, r(1, 2, 3, **k), r(1, 2, 3, **k), reverse, [], 2, 3, 1, True, False, False, False)
            c(A.mkldnn_rnn_layer.default, r(1, 2, 2, **k), *w, r(2, 3, **k), r(2, 3, **k), reverse, [], 2, 3, 1, True, False, False, False)


def outputs(c):
    """`out=` forms, some of which also write to their inputs."""
    z = lambda *shape, dtype=F32: torch.zeros(shape, dtype=dtype)
    c(A.__lshift__.Tensor_out, r(3, dtype=I64, lo=0), r(3, dtype=I64, lo=0), out=z(3, dtype=I64))
    c(A.__rshift__.Scalar_out, r(3, dtype=I64), 1, out=z(3, dtype=I64))
    c(A._add_relu.out, r(3), r(3), alpha=2, out=z(3))
    c(A._aminmax.out, r(3), out0=z(), out1=z())
    c(A._logcumsumexp.out, r(3, 2), 0, out=z(3, 2))
    c(A._stack.out, [r(2), r(2)], 0, out=z(2, 2))
    c(A.hash_tensor.out, r(3), out=z(dtype=torch.uint64))
    c(A._conj_copy.out, r(2, dtype=torch.complex64), out=z(2, dtype=torch.complex64))
    c(A.view_copy.dtype_out, r(3), I32, out=z(3, dtype=I32))
    c(A._int_mm.out, r(3, 5, dtype=I8), r(5, 4, dtype=I8), out=z(3, 4, dtype=I32))
    c(A._addmm_activation.out, r(4), r(3, 5), r(5, 4), out=z(3, 4))
    c(A._masked_softmax.out, r(2, 2, 2, 2), r(2, 2, 2, 2, dtype=BOOL), -1, 2, out=z(2, 2, 2, 2))
    c(A._amp_update_scale.out, torch.tensor(8.0), torch.tensor(1, dtype=I32), torch.tensor(0.0), 2.0, 0.5, 2, out=z())
    c(A._amp_foreach_non_finite_check_and_unscale.out, [r(2)], torch.tensor(0.0), torch.tensor(0.5), out=[z(2)])
    o = dict(lr=0.01, beta1=0.9, beta2=0.99, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False)
    c(A._fused_adam.out, [r(2)], [r(2)], [r(2)], [r(2, lo=0)], [], [torch.tensor(2.0)], **o, out=[z(2)])
    k = dict(weight_decay=0.0, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=False, is_first_step=False)
    c(A._fused_sgd.out, [r(2)], [r(2)], [r(2)], **k, out=[z(2)])
    one = lambda: [torch.tensor([-1.0]), torch.tensor([2.0]), torch.tensor([0.1]), torch.tensor([3], dtype=I32)]
    on = torch.tensor([1])
    c(A._fused_moving_avg_obs_fq_helper.out, r(3), on, on, *one(), 0.1, 0, 255, 0, out0=z(3), out1=z(3, dtype=BOOL))
    stats = lambda: (r(2), r(2, lo=0.5))
    outs = lambda: dict(out=z(3, 2), save_mean=z(2), save_invstd=z(2))
    c(A._native_batch_norm_legit.out, r(3, 2), r(2), r(2), *stats(), True, 0.1, 1e-5, **outs())
    c(A._batch_norm_with_update.out, r(3, 2), r(2), r(2), *stats(), 0.1, 1e-5, **outs(), reserve=z(0, dtype=U8))
    c(A.rrelu_with_noise.out, r(3), z(3), 0.1, 0.3, False, None, out=z(3))
    c(A._ctc_loss_backward.out, r(1), torch.log_softmax(r(3, 1, 3), -1), torch.tensor([[1]]), [3], [1], r(1), r(1, 3, 3), 0, out=z(3, 1, 3))
    c(A._jagged_to_padded_dense_forward.default, r(0, 2), [torch.tensor([0, 0, 0])], [2])


def ends(c):
    """Operands of no elements, groups of no rows, special values."""
    c(A._grouped_mm.default, r(5, 16), r(3, 8, 16).transpose(1, 2), torch.tensor([0, 5, 5], dtype=I32))
    c(A._grouped_mm.default, r(0, 16), r(2, 8, 16).transpose(1, 2), torch.tensor([0, 0], dtype=I32))
    c(A._grouped_mm.default, r(5, 16), r(2, 8, 16).transpose(1, 2), torch.tensor([2, 5, 5], dtype=I32))
    hidden = torch.ones(1, 1, 2, 2, dtype=BOOL)
    c(A._masked_softmax.default, r(1, 1, 2, 2), hidden, -1, 2)
    c(A._masked_softmax_backward.default, r(1, 1, 2, 2), r(1, 1, 2, 2), hidden, -1)
    c(A._masked_softmax.default, torch.tensor([[[[NAN, 1.0], [INF, 0.0]]]]), ~hidden, -1, 2)
    c(A._addmm_activation.default, torch.tensor([NAN, INF, -INF]), torch.ones(1, 2), torch.ones(2, 3))
    c(A.glu_jvp.default, edges()[:5, None], torch.stack([edges()[:5], edges()[5:10]], 1), torch.ones(5, 2), 1)
    c(A.batch_norm_update_stats.default, r(1, 2), r(2), r(2), 0.1)
    c(A._batch_norm_no_update.default, edges()[None, :, None], None, None, r(11), r(11, lo=0.1), 0.1, 1e-5)
    c(A._upsample_bilinear2d_aa_backward.default, r(1, 1, 2, 2), [2, 2], [1, 1, 2, 2], False)
    c(A._upsample_bicubic2d_aa_backward.default, torch.full((1, 1, 2, 2), INF), [2, 2], [1, 1, 4, 4], False)
    c(A._weight_int8pack_mm.default, torch.full((1, 4), INF), r(2, 4, dtype=I8, lo=1), r(2))
    c(A._fake_quantize_learnable_per_channel_affine.default, edges()[:10].reshape(5, 2), torch.tensor([0.5, 2.0]), torch.tensor([1.0, -1.0]), 1, -8, 7)
    x = torch.tensor([[NAN, INF, -INF, 0.0]])
    c(A._fake_quantize_learnable_per_tensor_affine_backward.default, torch.ones(1, 3), x[:, 1:], torch.tensor([0.5]), torch.tensor([1.0]), -8, 7)
    on = torch.tensor([1])
    for x in (torch.zeros(2, 2), torch.full((2, 2), 1e-6), torch.full((2, 2), -3.0)):
        q = [torch.tensor([INF]), torch.tensor([-INF]), torch.tensor([1.0]), torch.tensor([0], dtype=I32)]
        c(A._fused_moving_avg_obs_fq_helper_functional.default, x, on, on, *q, 0.01, 0, 255, 0, False, True)
    logs = torch.log_softmax(r(4, 2, 3), -1)
    loss, alpha = A._ctc_loss(logs, torch.tensor([[1], [2]]), [4, 3], [0, 1], 0, False)
    c(A._ctc_loss_backward.default, r(2), logs, torch.tensor([[1], [2]]), [4, 3], [0, 1], loss, alpha, 0)
    c(A._convert_indices_from_csr_to_coo.default, torch.tensor([0, 0]), torch.tensor([], dtype=I64))
    c(A._compute_linear_combination.default, edges()[:4].reshape(2, 2), torch.ones(1, 2))
    c(A._native_multi_head_attention.default, *[r(1, 1, 4)] * 3, 4, 3, r(12, 4), r(12), r(4, 4), r(4))
    c(A._transform_bias_rescale_qkv.default, r(1, 0, 12), r(12), 2)
    c(A.slow_conv_dilated2d.default, r(0, 2, 5, 5), r(3, 2, 2, 2), [2, 2])
    nothing = dict(lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False)
    c(A._fused_adam.default, [r(0)], [r(0)], [r(0)], [r(0)], [], [torch.tensor(1.0)], **nothing)
    c(A._fused_adam.default, [edges()[:5]], [edges()[5:10]], [r(5)], [r(5, lo=0)], [], [torch.tensor(1.0)], **nothing)


def trials(c):
    """Calls whose overloads programs cannot hold, or Sconce refuses: only what the export says of them is recorded."""
    x, w, b = r(2, 2, 7, 6), r(3, 2, 3, 2), r(3)
    logs, targets, lengths = torch.log_softmax(r(6, 2, 4), -1), torch.tensor([[1, 2, 1], [3, 3, 1]]), [torch.tensor([6, 5]), torch.tensor([3, 2])]
    packed = torch.nn.utils.rnn.pack_padded_sequence(r(4, 3, 2), [4, 3, 1])
    data, sizes = packed.data, packed.batch_sizes
    for name, cls in (("rnn_tanh", torch.nn.RNN), ("rnn_relu", torch.nn.RNN), ("gru", torch.nn.GRU), ("lstm", torch.nn.LSTM)):
        params = [p.detach() for p in cls(2, 3)._flat_weights]
        hx = r(1, 3, 3)
        c(getattr(A, name).data, data, sizes, [hx, r(1, 3, 3)] if name == "lstm" else hx, params, True, 1, 0.0, False, False)
    c(A._pack_padded_sequence.default, r(4, 3, 2), torch.tensor([4, 3, 1]), False)
    c(A._pad_packed_sequence.default, data, sizes, False, 0.5, -1)
    c(A._pack_padded_sequence_backward.default, r(8, 2), [4, 3, 2], sizes, False)
    state = torch.zeros(3, 30, dtype=I64)
    c(A._sobol_engine_initialize_state_.default, state, 3)
    c(A._sobol_engine_draw.default, torch.zeros(3, dtype=I64), 5, state, 3, 1, F32)
    c(A._sobol_engine_ff_.default, torch.zeros(3, dtype=I64), 5, state, 3, 1)
    c(A._sobol_engine_scramble_.default, state[:1].clone(), torch.randint(0, 2, (1, 30, 30)).tril(), 1)
    weight = torch.randint(0, 16, (16, 32), dtype=I32)
    four = A._convert_weight_to_int4pack_for_cpu(weight, 1)
    c(A._convert_weight_to_int4pack_for_cpu.default, weight, 1)
    c(A._weight_int4pack_mm_for_cpu.default, r(2, 32), four, 32, r(1, 16, 2))
    c(A.slice_inverse.default, r(3, 4), r(3, 2), 1, 1, 3)
    c(A._shape_as_tensor.default, r(2, 3))
    c(A._reshape_from_tensor.default, r(2, 3), torch.tensor([3, 2]))
    c(A._choose_qparams_per_tensor.default, r(3, 4))
    c(A._resize_output_.default, torch.zeros(4), [2, 2], torch.device("cpu"))
    c(A.set.source_Tensor, r(3), r(2, 2))
    c(A.set_.source_Tensor, r(3), r(2, 2))
    c(A.set_.default, r(3))
    c(A.set.default, r(3))
    c(A.set_.source_Tensor_storage_offset, r(3), r(6), 1, [2, 2], [2, 1])
    c(A.shallow_copy_data_.default, r(3), r(2, 2))
    c(A._propagate_xla_data.default, r(3), r(3))
    c(A.unique_dim_consecutive.default, torch.tensor([[1, 2], [1, 2], [3, 4], [1, 2]]), 0)
    c(A._rowwise_prune.default, r(3, 2), r(3, dtype=BOOL), I32)
    c(A._saturate_weight_to_fp16.default, torch.tensor([1.0, 1e6, -1e6, 0.1]))
    c(A._standard_gamma_grad.default, r(3, 4, lo=0.1, hi=5), r(3, 4, lo=0.1, hi=5))
    c(A._dirichlet_grad.default, r(3, 4, lo=0.05, hi=0.95), r(3, 4, lo=0.1, hi=9), r(3, 4, lo=10, hi=20))
    c(A._ctc_loss.Tensor, logs, targets, *lengths)
    c(A.ctc_loss.Tensor, logs, targets, *lengths)
    c(A._nnpack_spatial_convolution.default, x, w, b, [1, 1], [1, 1])
    c(A.choose_qparams_optimized.default, r(32), 32, 200, 0.16, 8)
    c(A._foreach_powsum.Scalar, [r(3), r(2, 2)], 3)
    m = torch.eye(3)
    c(A.to_sparse.default, m)
    c(A._to_sparse.default, m)
    c(A.sparse_coo_tensor.indices, torch.tensor([[0, 1]]), r(2))
    c(A.sparse_coo_tensor.size, [2, 2])
    c(A._spdiags.default, r(1, 3), torch.tensor([0]), [3, 3])
    c(A.to_mkldnn.default, m)
    c(A.quantize_per_tensor.default, m, 0.1, 0, torch.quint8)
    c(A.quantize_per_tensor_dynamic.default, m, torch.qint8, False)
    c(A._empty_affine_quantized.default, [2], dtype=torch.quint8)
    c(A.fbgemm_pack_gemm_matrix_fp16.default, m)
    c(A._nested_tensor_from_tensor_list.default, [r(2), r(3)])
    c(A._nested_tensor_from_mask.default, r(1, 2, 3), torch.ones(1, 2, dtype=BOOL))
    c(A._make_dual.default, m, m, 0)
    c(A._fw_primal.default, m, 0)
    c(A._add_batch_dim.default, m, 0, 1)
    c(A._unpack_dual.default, m, 0)
    c(A.retain_grad.default, m)
    c(A.set_data.default, m, m)
    c(A.pin_memory.default, m)
    c(A.linear_backward.default, m, m, m, [True, True, True])
    c(A._cufft_get_plan_cache_size.default, 0)
    c(A.cudnn_convolution.default, x, w, [0, 0], [1, 1], [1, 1], 1, False, False, False)
    c(A.convolution_overrideable.default, x, w, b, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    c(A._to_dense.default, m)
    c(A.coalesce.default, m)
    c(A.int_repr.default, m)
    c(A._foobar.default, m)
    c(A._test_optional_intlist.default, torch.tensor([1, 2], dtype=I32), [1, 2])


PARTS = (arithmetic, queries, indexing, products, scaled, normalizations, gradients, convolutions, optimizers, quantization, attention, layers, outputs, ends)
