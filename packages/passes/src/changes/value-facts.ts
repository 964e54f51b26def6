/** @file Operators after which not every value is possible, and those that hand values on. */

/** Functions whose results keep to a range or a set: what follows may rely on it. */
const RESTRICTING =
  /^aten\.(relu6?|sigmoid|hardsigmoid|tanh|hardtanh|softmax|_softmax|softplus|abs|exp2?|clamp|clamp_min|clamp_max|clip|sqrt|square|sign|sgn|floor|ceil|round|trunc|frac|erf|sin|cos|atan|atan2|logical_\w+|bitwise_and|isnan|isinf|isfinite|signbit|eq|ne|lt|le|gt|ge|any|all|where|masked_fill|nan_to_num|maximum|minimum|amax|amin|argmax|argmin|arange|full|full_like|zeros|zeros_like|ones|ones_like|scalar_tensor|eye|tril|triu|one_hot|count_nonzero|norm|linalg_vector_norm|var|std|rsqrt|reciprocal|pow|mul|remainder|fmod|fmod|relu_|sum|mean|_to_copy|to|native_dropout|bernoulli|rand|sort|topk|cumsum|nonzero|searchsorted|bucketize|view_as_real|imag|real)\./;

/** Views, copies and rearrangements. */
const PRESERVING =
  /^(aten\.(view|_unsafe_view|reshape|permute|transpose|t|squeeze|unsqueeze|expand|slice|select|clone|alias|detach|contiguous|flatten|unflatten|cat|stack|split|split_with_sizes|chunk|unbind|narrow|repeat|flip|roll|gather|index_select|index|lift_fresh_copy|constant_pad_nd|dropout|max_pool2d|max_pool2d_with_indices)\.|operator\.getitem$)/;

export const restrictsRange = (target: string): boolean => RESTRICTING.test(target);

export const isValuePreserving = (target: string): boolean => PRESERVING.test(target);

/** Sums and products over dimensions. The sign of a zero that they give depends on their order. */
const ACCUMULATING =
  /^aten\.(_?\w*(sum|mean|norm|softmax|var|std|mm|bmm|matmul|linear|conv\w*|attention\w*|pool\w*|upsample\w*|scatter_\w+|fft\w*|prod|einsum|lstm|gru|rnn\w*|loss)|mv|dot|vdot|addmv|addr|baddbmm|index_add|index_put|index_reduce|trapezoid|cross_entropy\w*|embedding_bag|bilinear|cdist|logsumexp|cumprod|logcumsumexp|var_mean|std_mean|grid_sampler\w*|native_\w+_norm\w*|_native_batch_norm\w*)(_backward|_forward)?\./;

export const accumulates = (target: string): boolean => ACCUMULATING.test(target);
