import type { ModuleBase } from "./module-base.js";
import { childrenOf } from "./state.js";

/** Returns the class of a module as PyTorch names it. */
export function className({ constructor: type }: ModuleBase): string {
  const { torchClass } = type as { readonly torchClass?: string };
  return torchClass !== undefined && Object.hasOwn(type, "torchClass")
    ? torchClass.slice(torchClass.lastIndexOf(".") + 1)
    : type.name;
}

/**
 * Returns the text of a module, as PyTorch's `repr`: its class, its settings and its submodules.
 */
export function moduleText(module: ModuleBase): string {
  const extra = module.extraRepr();
  const children = childrenOf(module).map(([name, child]) => indented(`(${name}): ${child.toString()}`));
  const lines = [...(extra === "" ? [] : extra.split("\n").map((line) => `  ${line}`)), ...children];
  const name = className(module);
  if (children.length === 0 && lines.length <= 1) return `${name}(${extra})`;
  return `${name}(\n${lines.join("\n")}\n)`;
}

/** Returns a text whose lines all begin two places later. */
export const indented = (text: string): string => `  ${text.replaceAll("\n", "\n  ")}`;
