/** @file Parameters and buffers that modules compute (`torch.nn.utils.parametrize`). */
import { checkOptions, type OptionNames } from "@sconce/errors";
import { type AnyFunction, fieldsOf } from "@sconce/source-check";
import { Tensor } from "@sconce/tensor";
import { currentTrace } from "../../trace/dispatch.js";
import { noGrad } from "../../trace/grad-mode.js";
import { runAtOnce } from "../../trace/run-at-once.js";
import { badParametrization } from "../errors.js";
import { ModuleDict, ModuleList } from "../layers/container.js";
import type { AnyModule, Module } from "../module.js";
import { registryOf } from "../registered-names.js";
import { buffersOf, parametersOf } from "../state.js";
import { Buffer, Parameter } from "../tensors.js";

/** A module that computes a tensor; `rightInverse` gives what it computes a tensor from. */
export interface Parametrization extends Module {
  /** Returns the tensors that `forward` computes a tensor from. */
  rightInverse?(value: Tensor): Tensor | readonly Tensor[];
  /**
   * False where `rightInverse` refuses every tensor: registration then starts from the tensor
   * itself, as with Python's `NotImplementedError`. @defaultValue true
   */
  readonly isInvertible?: boolean;
}

/** Options of {@link registerParametrization}. */
export interface ParametrizationOptions {
  /** Whether dtype and shape of the tensor may change. @defaultValue false */
  readonly unsafe?: boolean | undefined;
}

const OPTIONS: OptionNames<ParametrizationOptions> = { unsafe: true };

/** Registers a tensor as what it was: a parameter or a buffer. */
function registerTensor(module: Module, name: string, tensor: Tensor): void {
  if (tensor instanceof Parameter) module.registerParameter(name, tensor);
  else module.registerBuffer(name, tensor);
}

/** Takes a parameter or a buffer out of a module. */
export function unregister(module: Module, name: string): void {
  const { parameters, buffers } = registryOf(module);
  parameters.delete(name);
  buffers.delete(name);
  Reflect.deleteProperty(module, name);
}

/** Returns `value` as the kind of tensor that `original` is: a parameter or a buffer. */
const likeOriginal = (value: Tensor, original: Tensor): Tensor => {
  if (original instanceof Parameter)
    return value instanceof Parameter ? value : new Parameter(value, original.requiresGrad);
  return value instanceof Buffer ? value : new Buffer(value);
};

/**
 * The parametrizations of one tensor, and what it is computed from
 * (`torch.nn.utils.parametrize.ParametrizationList`).
 */
export class ParametrizationList extends ModuleList<AnyModule> {
  static override readonly torchClass: string = "torch.nn.utils.parametrize.ParametrizationList";

  /** Whether the first parametrization takes one tensor. */
  readonly isTensor: boolean;
  /** How many tensors the first parametrization takes. */
  readonly ntensors: number;
  /** Whether dtype and shape of the tensor may change. */
  unsafe: boolean;

  /** @throws SconceError `LAYER_ARGUMENTS` where the tensor would change its dtype or its shape */
  constructor(modules: readonly AnyModule[], original: Tensor, unsafe = false) {
    super(modules);
    this.unsafe = unsafe;
    const inverse = noGrad(() => inverseOf(this, original, false));
    this.isTensor = inverse instanceof Tensor;
    this.ntensors = inverse instanceof Tensor ? 1 : inverse.length;
    if (inverse instanceof Tensor) {
      if (inverse.dtype !== original.dtype)
        throw badParametrization("When `right_inverse` outputs one tensor, it may not change the dtype");
      registerTensor(this, "original", likeOriginal(inverse, original));
    } else
      inverse.forEach((item, i) => {
        registerTensor(this, `original${i}`, likeOriginal(item, original));
      });
    if (!unsafe) requireSame(this.forward(), original);
  }

  /**
   * Sets what the tensor is computed from, so that it has a value.
   *
   * @throws SconceError `LAYER_ARGUMENTS` where a parametrization has no `rightInverse`
   */
  rightInverse(value: Tensor): void {
    noGrad(() => {
      const inverse = inverseOf(this, value, true);
      const items = inverse instanceof Tensor ? [inverse] : inverse;
      if (items.length !== this.ntensors)
        throw badParametrization(
          `'right_inverse' must return a sequence of tensors of length ${this.ntensors}. Got a sequence of length ${items.length}`,
        );
      this.originals().forEach((original, i) => {
        if (items[i]!.dtype !== original.dtype)
          throw badParametrization(
            `Tensor ${i} returned by \`right_inverse\` has dtype ${items[i]!.dtype} while \`original${i}\` has dtype ${original.dtype}`,
          );
        original.copy_(items[i]!);
      });
    });
  }

  /** Returns what the tensor is computed from. */
  originals(): Tensor[] {
    const fields = fieldsOf<Tensor>(this);
    if (this.isTensor) return [fields["original"]!];
    return Array.from({ length: this.ntensors }, (_, i) => fields[`original${i}`]!);
  }

  override forward(): Tensor {
    const originals = this.originals();
    let value: Tensor | undefined;
    for (const module of this) {
      const given = value === undefined ? originals : [value];
      // The source of the model does not show these calls.
      currentTrace()?.checkFunction?.(module.forward as AnyFunction, given, module);
      value = module(...given) as Tensor;
    }
    return value!;
  }
}

/** Returns what the parametrizations compute the tensor from, last ones first. */
function inverseOf(list: ParametrizationList, value: Tensor, isStrict: boolean): Tensor | readonly Tensor[] {
  let now: Tensor | readonly Tensor[] = value;
  for (const module of [...list].reverse() as Parametrization[]) {
    if (!isStrict && module.isInvertible === false) continue;
    if (module.rightInverse !== undefined) now = module.rightInverse(now as Tensor);
    else if (isStrict)
      throw badParametrization(`parametrization ${module.constructor.name} does not implement right_inverse`);
  }
  return now;
}

function requireSame(made: unknown, original: Tensor): void {
  if (!(made instanceof Tensor)) throw badParametrization("A parametrization must return a tensor");
  const isSame = made.dtype === original.dtype && made.shape.join() === original.shape.join();
  if (isSame) return;
  const text = ({ dtype, shape }: Tensor): string => `${dtype}[${shape.join(", ")}]`;
  throw badParametrization(
    `Registering a parametrization may not change the dtype or the shape of the tensor, unless \`unsafe\` flag is enabled: ${text(original)} becomes ${text(made)}`,
  );
}

/** Returns the parametrizations of a module, by the names of their tensors. */
const listsOf = (module: Module): ModuleDict<ParametrizationList> | undefined => {
  const lists = fieldsOf<unknown>(module)["parametrizations"];
  return lists instanceof ModuleDict ? (lists as ModuleDict<ParametrizationList>) : undefined;
};

/** Returns whether a module computes a tensor of a name, or any tensor. */
export function isParametrized(module: Module, name?: string): boolean {
  const lists = listsOf(module);
  return lists !== undefined && (name === undefined ? lists.size > 0 : lists.has(name));
}

/** Values of parametrized tensors, while {@link cached} runs. */
let cache: Map<ParametrizationList, Tensor> | undefined;

/**
 * Runs something, and computes each parametrized tensor once meanwhile, as
 * `with parametrize.cached():` does.
 *
 * @throws SconceError `TORCH_ARGUMENT` for an asynchronous function
 */
export function cached<T>(run: () => T): T {
  const outer = cache;
  cache ??= new Map();
  try {
    return runAtOnce("cached", run);
  } finally {
    cache = outer;
  }
}

function tensorOf(list: ParametrizationList): Tensor {
  if (cache === undefined) return list();
  const value = cache.get(list) ?? list();
  cache.set(list, value);
  return value;
}

/** Makes a module one of a class that computes some of its tensors. */
function injectClass(module: Module): void {
  const base = module.constructor as typeof Module;
  const name = `Parametrized${base.name}`;
  const torchClass = `torch.nn.utils.parametrize.${name}`;
  const made = {
    [name]: class extends base {
      static override readonly torchClass: string = torchClass;
    },
  }[name]!;
  Object.setPrototypeOf(module, made.prototype);
}

function injectProperty(module: Module, name: string): void {
  Object.defineProperty(Object.getPrototypeOf(module), name, {
    configurable: true,
    get(this: Module): Tensor {
      return tensorOf(listsOf(this)!.get(name));
    },
    set(this: Module, value: Tensor) {
      listsOf(this)!.get(name).rightInverse(value);
    },
  });
}

/**
 * Lets a module compute one of its parameters or buffers: the tensor is the result of
 * `parametrization` for what the state holds as `parametrizations.NAME.original`. Several
 * parametrizations of a tensor run one after another
 * (`torch.nn.utils.parametrize.register_parametrization`).
 *
 * @returns the module
 * @throws SconceError `LAYER_ARGUMENTS` for a name without a tensor, and where the tensor would
 * change its dtype or its shape
 */
export function registerParametrization<M extends Module>(
  module: M,
  name: string,
  parametrization: Module,
  options: ParametrizationOptions = {},
): M {
  checkOptions("registerParametrization", options, OPTIONS);
  const { unsafe = false } = options;
  const added = parametrization as AnyModule;
  added.train(module.training);
  if (isParametrized(module, name)) {
    const list = listsOf(module)!.get(name);
    if (!unsafe) {
      const before = tensorOf(list);
      requireSame(added(before), before);
    }
    list.append(added);
    list.unsafe ||= unsafe;
    return module;
  }
  const original = fieldsOf<unknown>(module)[name];
  const own = [...parametersOf(module), ...buffersOf(module)];
  if (!(original instanceof Tensor) || !own.some(([known]) => known === name))
    throw badParametrization(
      `Module '${module.constructor.name}' does not have a parameter, a buffer, or a parametrized element with name '${name}'`,
    );
  const list = new ParametrizationList([added], original, unsafe);
  unregister(module, name);
  if (!isParametrized(module)) {
    injectClass(module);
    fieldsOf<unknown>(module)["parametrizations"] = new ModuleDict();
  }
  injectProperty(module, name);
  listsOf(module)!.set(name, list);
  return module;
}

/**
 * Makes a parametrized tensor an ordinary one again: of the value that it has, or with
 * `leaveParametrized: false` of what it is computed from.
 *
 * @returns the module
 * @throws SconceError `LAYER_ARGUMENTS` for a name that is not parametrized, and for a tensor that
 * is computed from several and would not keep its value
 */
export function removeParametrizations<M extends Module>(
  module: M,
  name: string,
  leaveParametrized = true,
): M {
  if (!isParametrized(module, name))
    throw badParametrization(`Module ${module.constructor.name} does not have a parametrization on ${name}`);
  const lists = listsOf(module)!;
  const list = lists.get(name);
  if (!list.isTensor && !leaveParametrized)
    throw badParametrization(
      "Cannot leave unparametrized a tensor that is parametrized in terms of a sequence of tensors",
    );
  const [original] = list.originals();
  const value = leaveParametrized ? noGrad(() => tensorOf(list)) : original!;
  const type = Object.getPrototypeOf(module) as object;
  Reflect.deleteProperty(type, name);
  unregister(lists, name);
  if (lists.size === 0) {
    Reflect.deleteProperty(module, "parametrizations");
    Object.setPrototypeOf(module, Object.getPrototypeOf(type) as object);
  }
  registerTensor(module, name, likeOriginal(value, original!));
  return module;
}
