import { markClass } from "@sconce/errors";
import { Tensor, type TensorInit } from "@sconce/tensor";
import { requireGradients } from "../functions/gradients.js";
import { COPY } from "../this-copy.js";
import { callOperator } from "../trace/dispatch.js";
import { TracedTensor } from "../trace/traced-tensor.js";

/**
 * A tensor that a module learns (`torch.nn.Parameter`). Assigned to a property, it is registered.
 */
export class Parameter extends Tensor {
  static {
    markClass(Parameter, "Parameter", COPY);
  }

  /**
   * While a program is traced, a traced tensor becomes its detached alias.
   *
   * @param requiresGrad whether gradients are recorded for it
   * @throws SconceError `TORCH_ARGUMENT` for a tensor of integers or bools that asks for gradients
   */
  constructor(data: Tensor, requiresGrad = true) {
    if (requiresGrad) requireGradients(data);
    super({ ...tensorParts(data), requiresGrad });
    // biome-ignore lint/correctness/noConstructorReturn: PyTorch gives an alias, too
    if (data instanceof TracedTensor) return traced(data) as Parameter;
  }
}

/**
 * State of a module that is not learned (`torch.nn.Buffer`). Assigned to a property, it is
 * registered.
 */
export class Buffer extends Tensor {
  static {
    markClass(Buffer, "Buffer", COPY);
  }

  /**
   * Whether `stateDict()` holds it. Optional in the type, so that a property of this class takes a
   * tensor: `this.count = this.count.add(1)`.
   */
  readonly persistent?: boolean | undefined;

  /** While a program is traced, a traced tensor becomes its detached alias. */
  constructor(data: Tensor, options: { readonly persistent?: boolean | undefined } = {}) {
    super(tensorParts(data));
    this.persistent = options.persistent ?? true;
    // biome-ignore lint/correctness/noConstructorReturn: PyTorch gives an alias, too
    if (data instanceof TracedTensor) return traced(data) as Buffer;
  }
}

const tracedState = new WeakSet<Tensor>();

/** Returns whether a traced tensor was made a parameter or a buffer. */
export const isTracedState = (tensor: Tensor): boolean => tracedState.has(tensor);

/**
 * Returns what the constructors give while a program is traced (`torch.nn.Parameter(x)` records a
 * `detach`).
 */
function traced(data: TracedTensor): Tensor {
  const alias = callOperator("aten.detach.default", [data]) as Tensor;
  tracedState.add(alias);
  return alias;
}

function tensorParts(data: Tensor): TensorInit {
  const { dtype, storage } = data;
  // Sizes of a traced tensor may be dynamic; what is made of them is not used.
  if (data instanceof TracedTensor) return { dtype, shape: [], storage };
  return { dtype, shape: data.shape, strides: data.strides, storageOffset: data.storageOffset, storage };
}
