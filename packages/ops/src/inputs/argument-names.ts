/** @file The names of the arguments of a program's call. */
import { keyText, type ModuleCallSignature } from "@sconce/ir";

/**
 * Returns the names of the arguments that are given by position. Each is another than those before
 * it and than the keywords: `forward(args_0, *args)` names two of its arguments `args_0`, of which
 * the second becomes `args_0_1`, as its placeholder does.
 */
export function positionalNames({
  inSpec,
  forwardArgNames,
}: Pick<ModuleCallSignature, "inSpec" | "forwardArgNames">): string[] {
  const [args, kwargs] = inSpec.children;
  const keys = Array.isArray(kwargs?.context) ? (kwargs.context as readonly unknown[]) : [];
  const taken = new Set(keys.map((key) => keyText(key)));
  return (args?.children ?? []).map((_, i) => {
    const own = forwardArgNames?.[i] ?? `args_${i}`;
    let name = own;
    for (let count = 1; taken.has(name); count++) name = `${own}_${count}`;
    taken.add(name);
    return name;
  });
}
