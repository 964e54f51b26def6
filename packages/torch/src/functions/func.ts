/** @file Modules as functions of their state (`torch.func`). */
import { vmap } from "../control-flow/vmap.js";
import { invalidArgument } from "./errors.js";
import { functionalCall } from "./functional-call.js";
import { stackModuleState } from "./stack-module-state.js";

/** The functions of PyTorch's module `torch.func`. */
export interface Func {
  /** See `torch.vmap`. */
  readonly vmap: typeof vmap;
  /** Calls a module with other parameters and buffers. */
  readonly functionalCall: typeof functionalCall;
  /** Stacks the state of modules of one class. */
  readonly stackModuleState: typeof stackModuleState;
  /** Not supported: it throws `TORCH_ARGUMENT`, as those below do. */
  readonly grad: Derivative;
  readonly gradAndValue: Derivative;
  readonly vjp: Derivative;
  readonly jvp: Derivative;
  readonly jacrev: Derivative;
  readonly jacfwd: Derivative;
  readonly hessian: Derivative;
  readonly linearize: Derivative;
}

/** A function of PyTorch that differentiates a function, which Sconce does not have. */
type Derivative = (...given: readonly unknown[]) => never;

/** @throws SconceError `TORCH_ARGUMENT`, whatever it is given */
const derivative =
  (name: string): Derivative =>
  () => {
    throw invalidArgument(
      `torch.func.${name}`,
      "derivatives of functions are not supported",
      "write the formula of the derivative, or export the model in PyTorch and load the program",
    );
  };

/** `torch.func`. */
export const func: Func = Object.freeze({
  vmap,
  functionalCall,
  stackModuleState,
  grad: derivative("grad"),
  gradAndValue: derivative("gradAndValue"),
  vjp: derivative("vjp"),
  jvp: derivative("jvp"),
  jacrev: derivative("jacrev"),
  jacfwd: derivative("jacfwd"),
  hessian: derivative("hessian"),
  linearize: derivative("linearize"),
});
