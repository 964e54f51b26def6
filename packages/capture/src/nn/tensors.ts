import { markClass } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import { COPY } from "../this-copy.js";

/**
 * A tensor that a module learns (`torch.nn.Parameter`). Assigned to a property, it is registered.
 */
export class Parameter extends Tensor {
  static {
    markClass(Parameter, "Parameter", COPY);
  }

  /** @param requiresGrad whether gradients are recorded for it */
  constructor(data: Tensor, requiresGrad = true) {
    super({ ...tensorParts(data), requiresGrad });
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

  /** Whether `stateDict()` holds it. */
  readonly persistent: boolean;

  constructor(data: Tensor, options: { readonly persistent?: boolean } = {}) {
    super(tensorParts(data));
    this.persistent = options.persistent ?? true;
  }
}

const tensorParts = ({ dtype, shape, strides, storageOffset, storage }: Tensor) => ({
  dtype,
  shape,
  strides,
  storageOffset,
  storage,
});
