/** @file Errors of inputs and outputs that are not supported, in PyTorch's words. */
import { SconceError } from "@sconce/errors";

/** Returns the error for a leaf of the inputs that is neither a tensor nor a plain value. */
export const unsupportedInput = (className: string, where: string): SconceError =>
  new SconceError({
    code: "UNSUPPORTED_INPUT",
    message:
      `Unsupported input type <class '${className}'>. ` +
      "Export only supports pytree containers of basic types (Tensor, int, float, ...) as input. " +
      "To register a custom dataclass, use torch.export.register_dataclass. " +
      "To register a custom container type, use torch.utils._pytree.register_pytree_node. " +
      "To register a constant input, use torch.utils._pytree.register_constant",
    where,
    fix: "pass tensors, numbers, booleans, strings and null in arrays, objects and Maps; register a class with `pytree.registerDataclass`, `pytree.registerPytreeNode` or `pytree.registerConstant`",
  });

/** Returns the error for a model that calls methods of nested arrays, which are numbers to it. */
export const arrayInput = (cause: Error, where: string): SconceError =>
  new SconceError({
    code: "UNSUPPORTED_INPUT",
    message: `${cause.message}; ${where} is nested arrays, which the model gets as numbers`,
    where,
    fix: `make a tensor of the nested arrays at ${where}: Tensor.from(arrays)`,
    cause,
  });

/** Returns the error for a leaf of the outputs that is neither a tensor nor a plain value. */
export const unsupportedOutput = (className: string): SconceError =>
  new SconceError({
    code: "UNSUPPORTED_OUTPUT",
    message:
      `Found <class '${className}'> in output, which is not a known type. ` +
      "If this type holds tensors, you need to register a pytree for it. " +
      "See https://github.com/pytorch/functorch/issues/475 for a brief explanation why. " +
      "If you don't need to register a pytree, please leave a comment explaining your use case and we'll make this more ergonomic to deal with",
    fix:
      className === "Promise"
        ? "a model runs at once: make `forward` and what it calls synchronous, without `async` and `await`"
        : "return tensors, numbers, booleans, strings and null in arrays, objects and Maps; register a class with `pytree.registerDataclass` or `pytree.registerPytreeNode`",
  });
