/**
 * @file The functions that a strict export notes for its nodes (`source_fn_stack`): what the user's
 * code called, or the class of the layer of PyTorch that did, as torch.export saves them.
 */
import { type ModuleStackEntry, Namespace } from "@sconce/ir";

/** A function with the name that TorchDynamo gives its call. */
export type SourceFunction = readonly [name: string, target: string];

const OPERATORS: Readonly<Record<string, SourceFunction>> = {
  __getitem__: ["getitem", "_operator.getitem"],
  __setitem__: ["setitem", "_operator.setitem"],
  __get__: ["getattr", "builtins.getattr"],
};

/** Layers of PyTorch that do more than calling other modules. */
const LAYER = /^torch\.nn\.modules\.(?!container\.)/;

const isLayer = (type: string | undefined): boolean => type !== undefined && LAYER.test(type);

/** Names the calls of one graph, as TorchDynamo does before operators are traced. */
export class SourceFunctions {
  readonly #names = new Namespace();
  /** The calls around the graph: of `cond` and the like. */
  readonly outer: readonly SourceFunction[];
  #current: SourceFunction | undefined;

  constructor(outer: readonly SourceFunction[] = []) {
    this.outer = outer;
  }

  /** Runs a call of a function; calls inside it belong to it. */
  run<T>(name: string, target: string, call: () => T): T {
    if (this.#current !== undefined) return call();
    const [base, source] = OPERATORS[name] ?? [name, target];
    this.#current = [this.#names.create(base.toLowerCase()), source];
    try {
      const result = call();
      // Each result of several is a node.
      if (Array.isArray(result)) for (const _ of result) this.#names.create("getitem");
      return result;
    } finally {
      this.#current = undefined;
    }
  }

  /** Returns the functions of a node that is added now; undefined between calls. */
  of(modules: readonly ModuleStackEntry[]): readonly SourceFunction[] | undefined {
    if (this.#current === undefined) return undefined;
    const [name, target] = this.#current;
    const layer = modules.at(-1)?.[2];
    return [...this.outer, [name, layer !== undefined && isLayer(layer) ? layer : target]];
  }

  /** Returns the functions of a graph that a call of `cond` and the like runs. */
  nested(operator: string): readonly SourceFunction[] {
    return [...this.outer, [operator, `torch.ops.higher_order.${operator}`]];
  }
}

/**
 * Returns how torch.export saves an operator that is called itself: `torch.ops.aten.add.Tensor`.
 * The layers of PyTorch call methods instead.
 */
export function operatorSource(target: string, modules: readonly ModuleStackEntry[]): SourceFunction {
  const name = target.slice(target.indexOf(".") + 1);
  const isMethod = isLayer(modules.at(-1)?.[2]);
  return [isMethod ? name.slice(0, name.indexOf(".")) : name.replace(".", "_"), `torch.ops.${target}`];
}
