/** @file Base classes of modules whose constructors have arguments. */
import { badSettings } from "./errors.js";
import { Module } from "./module.js";

const MAKE_FIX = "give a function: `nn.moduleOf((width: number) => ({ up: new nn.Linear(width, width) }))`";

/** The class of modules whose properties a function makes. */
export type ModuleOf<Make> = Make extends (...args: infer Args) => infer Properties
  ? new (
      ...args: Args
    ) => Module & Properties
  : never;

/**
 * Returns a base class of modules. Its constructor takes the arguments of `make`, and gives the
 * module the properties that `make` returns, in their order. TypeScript knows their types, so you
 * need not declare them.
 *
 * @example
 * class FeedForward extends nn.moduleOf((width: number) => ({
 *   up: new nn.Linear(width, 4 * width),
 *   down: new nn.Linear(4 * width, width),
 * })) {
 *   override forward(x: Tensor): Tensor {
 *     return this.down(this.up(x).relu());
 *   }
 * }
 */
export function moduleOf<Make>(make: Make): ModuleOf<Make> {
  if (typeof make !== "function")
    throw badSettings("moduleOf", "moduleOf needs a function that makes the properties", MAKE_FIX);
  const properties = make as (...args: readonly unknown[]) => object;
  class MadeModule extends Module {
    constructor(...args: readonly unknown[]) {
      super();
      Object.assign(this, properties(...args));
    }
  }
  return MadeModule as unknown as ModuleOf<Make>;
}
