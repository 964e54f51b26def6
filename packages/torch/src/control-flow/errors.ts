/** @file Errors of control flow. Messages follow PyTorch's. */
import { SconceError } from "@sconce/errors";

/** Arguments of control flow that PyTorch refuses. */
export const controlFlowArguments = (message: string, fix: string): SconceError =>
  new SconceError({ code: "CONTROL_FLOW_ARGUMENTS", message, fix });

/** Returns the error for a function of control flow whose results PyTorch refuses. */
export const controlFlowResults = (operator: string, message: string, fix: string): SconceError =>
  new SconceError({ code: "CONTROL_FLOW_RESULTS", message: `torch.${operator}: ${message}`, fix });

/** Returns the error for a function of control flow that writes to its inputs. */
export const inputMutation = (operator: string, target: string): SconceError =>
  new SconceError({
    code: "CONTROL_FLOW_MUTATION",
    message: `Encountered input mutation during higher order op tracing: torch.${operator} does not support input mutation, and \`${target}\` writes to a tensor from outside of the function`,
    fix: "compute a new tensor, return it, and write it back after the call: `buffer.copy_(result)`",
  });

/** Returns the error for a function of control flow that returns memory that something else has. */
export const resultAliasing = (
  operator: string,
  what: "Input-to-input" | "Input-to-output" | "Output-to-output",
): SconceError =>
  new SconceError({
    code: "CONTROL_FLOW_ALIASING",
    message: `Encountered aliasing during higher order op tracing: torch.${operator} does not support aliasing. ${what} aliasing detected`,
    fix: "Replace `return input` with `return input.clone()` to avoid aliasing.",
  });

/** Returns the error for a size that depends on data, used inside of control flow. */
export const unbackedOperand = (operator: string, expr: string): SconceError =>
  new SconceError({
    code: "CONTROL_FLOW_ARGUMENTS",
    message: `torch.${operator}: Attempted to wrap unbacked SymInt ${expr}. Unbacked SymInt input is not supported yet.`,
    fix: "use the tensor that holds the number, or read the number inside of the function by `item()`",
  });

/** Returns the error for an invalid call of `vmap`. */
export const badVmap = (
  problem: string,
  fix: string,
  code: "CONTROL_FLOW_ARGUMENTS" | "CONTROL_FLOW_RESULTS" = "CONTROL_FLOW_ARGUMENTS",
): SconceError => new SconceError({ code, message: `vmap: ${problem}`, where: "torch.vmap", fix });
