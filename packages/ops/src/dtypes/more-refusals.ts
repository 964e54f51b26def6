/**
 * @file Dtypes that PyTorch 2.14 refuses, asked by hand: of overloads without recorded calls, and
 * of numbers and settings that these lack. The lines are those of `dtype-refusals.ts`.
 */
const TRANSFORMS =
  "fft_fft fft_ifft fft_rfft fft_irfft fft_hfft fft_ihfft fft_fft2 fft_ifft2 fft_rfft2 fft_irfft2 fft_hfft2 fft_ihfft2 " +
  "fft_fftn fft_ifftn fft_rfftn fft_irfftn fft_hfftn fft_ihfftn";
const CAST = '"result type Float can\'t be cast to the desired output type %S"';
const UNSIGNED = '"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote %S and';

export const MORE_REFUSALS: readonly string[] = [
  "self+other 1dc1ff: bitwise_right_shift.Tensor_Scalar=rshift_cpu bitwise_left_shift.Scalar_Tensor=lshift_cpu " +
    "bitwise_right_shift.Scalar_Tensor=rshift_cpu",
  "self+other 1c01ff: bitwise_or.Scalar_Tensor bitwise_xor.Scalar_Tensor",
  "self+other 20000: bitwise_left_shift.Tensor_Scalar=lshift_cpu bitwise_right_shift.Tensor_Scalar=rshift_cpu " +
    "bitwise_left_shift.Scalar_Tensor=lshift_cpu bitwise_right_shift.Scalar_Tensor=rshift_cpu " +
    "__lshift__.Scalar=lshift_cpu __rshift__.Scalar=rshift_cpu fmod.Scalar remainder.Scalar remainder.Scalar_Tensor " +
    "floor_divide=div_floor_cpu floor_divide.Scalar=div_floor_cpu",
  "self+other@rounding_mode=trunc 20000: divide.Scalar_mode=div_trunc_cpu",
  "self+other@rounding_mode=floor 20000: divide.Scalar_mode=div_floor_cpu",
  "self+min 20000: clamp_min=clamp_min_scalar_cpu",
  "self+max 20000: clamp_max=clamp_max_scalar_cpu",
  "sorted_sequence+self 20000: searchsorted.Scalar=searchsorted_out_cpu",
  "self+boundaries 20000: bucketize.Scalar=searchsorted_out_cpu",
  'elements 1a0000 "Unsupported input type encountered for isin(): %S": isin.Tensor_Scalar',
  'test_elements 20000 "Unsupported input type encountered for isin(): %S": isin.Scalar_Tensor',
  `self c "Unsupported dtype %S": ${TRANSFORMS}`,
  'self 40000 "expected scalar type ComplexDouble but found %S": fft_fft fft_ifft fft_fft2 fft_ifft2 fft_fftn fft_ifftn ' +
    "fft_hfft2 fft_hfftn",
  'self 40000 "expected scalar type Double but found Half": fft_irfft fft_hfft fft_irfft2 fft_irfftn',
  "self@reduce=mean 7c000: scatter_reduce.two=scatter_gather_tensor_cpu_reduce_mean",
  "self@reduce=amax 1dc000: scatter_reduce.two=scatter_gather_tensor_cpu_reduce_amax",
  "self@reduce=amin 1dc000: scatter_reduce.two=scatter_gather_tensor_cpu_reduce_amin",
  `self 3e00 ${CAST}: soft_margin_loss`,
  `self 3fe00 ${CAST}: soft_margin_loss_backward`,
  `input 3e00 ${CAST}: lstm_cell gru_cell`,
  `input@train=True 23e00 ${CAST}: native_dropout`,
  `input@train=None 23e00 ${CAST}: native_dropout`,
  `input@train=True 1c000 ${UNSIGNED} Bool": native_dropout`,
  `input@train=None 1c000 ${UNSIGNED} Bool": native_dropout`,
  "self 1dc000: bernoulli.Tensor=bernoulli_tensor_cpu_self_ bernoulli_.Tensor=bernoulli_tensor_cpu_self_",
  "p 1ffe00: bernoulli.Tensor=bernoulli_tensor_cpu_p_ bernoulli_.Tensor=bernoulli_tensor_cpu_p_",
  'x 6000c "linalg.vander supports floating point, complex, and integer tensors, but got %S": linalg_vander',
  `x 1c000 ${UNSIGNED} Long": vander`,
  'y 20000 "cumulative_trapezoid: received a bool input for `y`, but bool is not supported": cumulative_trapezoid.dx',
  'y 20000 "cumulative_trapezoid: received a bool input for `x` or `y`, but bool is not supported": cumulative_trapezoid.x',
  'x 20000 "cumulative_trapezoid: received a bool input for `x` or `y`, but bool is not supported": cumulative_trapezoid.x',
  "self 1ffff0: rrelu=leaky_relu_cpu",
  'self!noise@training=True 0 "expected scalar type %0S but found %1S": rrelu_with_noise rrelu_with_noise_ ' +
    "rrelu_with_noise_functional",
  'index 1fefff "index_copy_(): Expected a long tensor for index, but got %S": index_copy',
  'index 1fefff "index_fill_(): Expected dtype int64 for index.": index_fill.int_Scalar index_fill.int_Tensor',
  "self 5c000: native_channel_shuffle=channel_shuffle",
  "self@0d=False ? 1c000: cumsum_=cumsum_out_cpu",
  'self 1c0000 "In-place abs is not supported for complex tensors.": _foreach_abs_',
];
