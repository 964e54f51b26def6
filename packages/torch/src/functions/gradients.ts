/** @file Which tensors may ask for gradients. */
import { isComplexDType, isFloatDType, type Tensor } from "@sconce/tensor";
import { invalidArgument } from "./errors.js";

/**
 * Refuses a tensor whose dtype has no gradients; the message is PyTorch's.
 * @throws SconceError `TORCH_ARGUMENT`
 */
export function requireGradients({ dtype }: Tensor, name = "nn.Parameter"): void {
  if (isFloatDType(dtype) || isComplexDType(dtype)) return;
  throw invalidArgument(
    name,
    "Only Tensors of floating point and complex dtype can require gradients",
    `the tensor is ${dtype}: make it of floats (\`torch.tensor(2, { dtype: "float32" })\`), leave gradients out (\`new nn.Parameter(x, false)\`), or use \`nn.Buffer\``,
  );
}
