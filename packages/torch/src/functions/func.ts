/** @file Modules as functions of their state (`torch.func`). */
import { describeValue } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import { vmap } from "../control-flow/vmap.js";
import { callOperator } from "../trace/dispatch.js";
import { runAtOnce } from "../trace/run-at-once.js";
import { isStateGetter } from "../trace/state-reads.js";
import { invalidArgument } from "./errors.js";

/** A module, as far as it is called with other state. */
interface StatefulModule<Args extends readonly unknown[], Result> {
  (...args: Args): Result;
  /** Returns the module at a path. */
  getSubmodule(path: string): object;
}

/** Tensors by their fully qualified names. */
type StateByName = ReadonlyMap<string, Tensor> | Readonly<Record<string, Tensor>>;

/** Returns the tensors of one state or of several, by name. @throws SconceError `TORCH_ARGUMENT` */
function entriesOf(state: StateByName | readonly StateByName[]): ReadonlyMap<string, Tensor> {
  const all = new Map<string, Tensor>();
  for (const one of Array.isArray(state) ? (state as readonly StateByName[]) : [state as StateByName]) {
    if (typeof one !== "object" || one === null) throw badState(`the state is ${describeValue(one)}`);
    for (const [name, value] of one instanceof Map ? (one as Map<string, Tensor>) : Object.entries(one)) {
      if (!(value instanceof Tensor)) throw badState(`${JSON.stringify(name)} is ${describeValue(value)}`);
      if (all.has(name)) throw badState(`${JSON.stringify(name)} appears in several states`);
      all.set(name, value);
    }
  }
  return all;
}

const badState = (problem: string): Error =>
  invalidArgument("functionalCall", problem, "pass tensors by their names, each once");

/**
 * Calls a module with other parameters and buffers, by their fully qualified names; those that are
 * not given are the module's own (`torch.func.functional_call`).
 *
 * @param state tensors by name, or a list of such states
 * @param args the arguments of the call, with keyword arguments in an object behind them. A value
 * that is not a list is the only argument
 * @throws SconceError `TORCH_ARGUMENT`, `MODULE_PATH` for names that the module does not have
 *
 * @example const y = torch.func.functionalCall(this.layer, { weight }, [x]);
 */
function functionalCall<Args extends readonly unknown[], Result>(
  module: StatefulModule<Args, Result>,
  state: StateByName | readonly StateByName[],
  args?: Args | Args[0],
  ...rest: readonly never[]
): Result {
  if (typeof module !== "function")
    throw invalidArgument("functionalCall", `the module is ${describeValue(module)}`, "pass a module");
  if (rest.length > 0)
    throw invalidArgument(
      "functionalCall",
      `${describeValue(rest[0])} is given behind the arguments`,
      "pass keyword arguments in an object, as the last of the arguments",
    );
  const given = (Array.isArray(args) ? args : args === undefined || args === null ? [] : [args]) as Args;
  const before: { readonly owner: object; readonly name: string; readonly property: PropertyDescriptor }[] =
    [];
  try {
    for (const [path, value] of entriesOf(state)) {
      const [, prefix = "", name = path] = /^(?:(.*)\.)?([^.]+)$/.exec(path) ?? [];
      const owner = module.getSubmodule(prefix);
      const property = Object.getOwnPropertyDescriptor(owner, name);
      if (property === undefined || !isState(property))
        throw invalidArgument(
          "functionalCall",
          `the module has no parameter or buffer ${JSON.stringify(path)}`,
          "use names of `module.stateDict()`",
        );
      before.push({ owner, name, property });
      Object.defineProperty(owner, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return runAtOnce("functionalCall", () => module(...given));
  } finally {
    for (const { owner, name, property } of before.reverse()) Object.defineProperty(owner, name, property);
  }
}

const isState = ({ value, get }: PropertyDescriptor): boolean =>
  value instanceof Tensor || (get !== undefined && isStateGetter(get));

/** A module with named state. */
interface NamedState {
  namedParameters(): readonly (readonly [string, Tensor])[];
  namedBuffers(): readonly (readonly [string, Tensor])[];
}

/**
 * Returns the parameters and the buffers of modules of one class, each stacked along a new first
 * dimension (`torch.func.stack_module_state`): what `vmap` takes to run an ensemble.
 */
function stackModuleState(models: readonly NamedState[]): {
  readonly parameters: Readonly<Record<string, Tensor>>;
  readonly buffers: Readonly<Record<string, Tensor>>;
} {
  if (models.length === 0)
    throw invalidArgument(
      "stackModuleState",
      "Expected at least one model, got 0",
      "pass models of one class",
    );
  const stacked = (
    read: (model: NamedState) => readonly (readonly [string, Tensor])[],
  ): Record<string, Tensor> => {
    const all = models.map((model) => new Map(read(model)));
    const names = [...all[0]!.keys()];
    if (all.some((own) => own.size !== names.length || names.some((name) => !own.has(name))))
      throw invalidArgument(
        "stackModuleState",
        "the models have different parameters or buffers",
        "pass models of one class, made with the same options",
      );
    return Object.fromEntries(
      names.map((name) => [
        name,
        callOperator("aten.stack.default", [all.map((own) => own.get(name)!)]) as Tensor,
      ]),
    );
  };
  return {
    parameters: stacked((model) => model.namedParameters()),
    buffers: stacked((model) => model.namedBuffers()),
  };
}

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
