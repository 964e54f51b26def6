/**
 * @file PyTorch's overloads that an exported program cannot hold, or that no program can be
 * computed with outside of PyTorch: why, by class. `packages/testing/oracle/ops/make_overloads.py`
 * asked `torch.export` about them.
 */

/** Why a class of overloads is refused. */
export interface RefusedClass {
  /** What the class is about: `sparse`. */
  readonly name: string;
  /** Why its overloads are refused, as the end of "... is refused: it". */
  readonly reason: string;
  /** What to do about a program that calls one. */
  readonly fix: string;
}

interface Members extends RefusedClass {
  /** Matches names without `aten.`, and with the overload where it has one. */
  readonly names: RegExp;
}

const DENSE = "convert its inputs with to_dense() before the export";
const ON_CPU = "export the program on the CPU, where PyTorch calls another operator";
const REWRITE = "write the model without it, and export again";

/** The first class that matches counts. */
const CLASSES: readonly Members[] = [
  {
    name: "sparse",
    reason: "takes or gives a sparse tensor, and Sconce has dense ones only",
    fix: DENSE,
    names:
      /sparse|_cs[rc]|_bs[rc]|coalesce|^_cslt|^_?(indices|values)(_copy)?\b|^(c?col|c?row|crow)_indices|^(_nnz|_dim[IV]|dense_dim|hspmm|smm|sspaddmm|native_norm|_spdiags|_spsolve|_to_dense)\b/,
  },
  {
    name: "nested",
    reason: "takes or gives a nested tensor, which export does not trace",
    fix: "pad the tensors to one length before the export",
    names: /nested|^to_padded_tensor|^(linear|matmul)_backward/,
  },
  {
    name: "mkldnn",
    reason: "takes or gives a tensor in the layout of oneDNN, which depends on the processor",
    fix: "export the model without torch.utils.mkldnn.to_mkldnn",
    names: /mkldnn/,
  },
  {
    name: "packed",
    reason: "reads weights in a layout that depends on the machine that packed them",
    fix: "quantize with torch.ao's pt2e flow, whose programs hold plain integers",
    names: /^fbgemm|int4pack|^_mixed_dtypes_linear|^_wrapped_/,
  },
  {
    name: "device",
    reason: "runs on one kind of device only",
    fix: ON_CPU,
    names:
      /cudnn|miopen|mps|triton|cufft|xla|nnpack|overrideable|_flash_attention|_efficient_attention|_cudnn_attention|^_thnn_fused|^_copy_from|^batch_norm_|^_?conv_depthwise|^_fused_dropout|^_masked_scale|^max_pool2d_backward|^_scaled_grouped_mm|^record_stream|^_fill_mem_eff/,
  },
  {
    name: "quantized",
    reason: "takes or gives a tensor of a quantized dtype, which export cannot save",
    fix: "quantize with torch.ao's pt2e flow, whose programs hold plain integers",
    names: /quantize|_affine_quantized|^q_|^qscheme|^int_repr/,
  },
  {
    name: "values",
    reason: "reads the values of a tensor while it is traced, so that export fails at it",
    fix: REWRITE,
    names:
      /^_sobol|^_?(shape_as|reshape_from)_tensor|^_?choose_qparams|^_rowwise_prune|^_saturate_weight|\.data$|^_pack_padded|^_pad_packed|^unique_dim_consecutive|^_?ctc_loss\.Tensor/,
  },
  {
    name: "autograd",
    reason: "changes how autograd or functorch follows a tensor, which a program does not record",
    fix: "export what is inside of the transform, or use torch.func around the exported module",
    names: /^_backward\b|_dual|^_fw_primal|^retain_grad|^_add_batch_dim|^set_data|^get_gradients/,
  },
  {
    name: "memory",
    reason: "puts other memory behind a tensor, which a program of values cannot say",
    fix: "copy the values instead: x.copy_(y)",
    names: /^set_?\b|^from_file|pin_memory|^shallow_copy_data_|^_resize_output|^slice_inverse/,
  },
  {
    name: "approximated",
    reason: "is an approximation that PyTorch fitted to samples, which Sconce does not reproduce",
    fix: "export the program without the gradient of a gamma or Dirichlet sample",
    names: /^_standard_gamma_grad|^_dirichlet_grad/,
  },
  {
    name: "written-parts",
    reason: "writes a part of the results of another overload, and export lowers to that one",
    fix: "run_decompositions() in PyTorch before saving",
    names: /\.grad_input$/,
  },
  {
    name: "tests",
    reason: "exists for PyTorch's own tests",
    fix: REWRITE,
    names: /^_test_|^_foobar/,
  },
];

/** Returns the class of an overload of PyTorch that has no row; undefined for others. */
export function refusedClass(target: string): RefusedClass | undefined {
  if (!target.startsWith("aten.")) return undefined;
  const name = target.slice("aten.".length).replace(/\.default$/, "");
  return CLASSES.find(({ names }) => names.test(name));
}

/** Returns all classes, in the order in which they are looked up. */
export const refusedClasses = (): readonly RefusedClass[] => CLASSES;
