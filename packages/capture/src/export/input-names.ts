/** @file Names of user inputs: those of the parameters of the traced function, and paths below. */
import type { Exportable } from "./export-program.js";

/** Names of the first parameters of a function, read from its source. */
export function argumentNames(target: Exportable, count: number): string[] {
  const forward = "forward" in target ? (target as { forward: unknown }).forward : target;
  const source = Function.prototype.toString.call(forward);
  const list = /^[^(]*\(([^)]*)\)|^(?:async\s+)?(\w+)\s*=>/.exec(source);
  const names = (list?.[1] ?? list?.[2] ?? "").split(",").map((part) => part.trim().split(/[\s=:]/)[0]!);
  return Array.from({ length: count }, (_, i) => names[i] || `args_${i}`);
}

/** The name of each leaf of the arguments. */
export function inputPaths(names: readonly string[], args: readonly unknown[]): string[] {
  const visit = (name: string, value: unknown): string[] => {
    if (Array.isArray(value)) return value.flatMap((item, i) => visit(`${name}_${i}`, item));
    const isRecord =
      typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
    if (!isRecord) return [name];
    return Object.entries(value).flatMap(([key, item]) => visit(`${name}_${key.toLowerCase()}`, item));
  };
  return args.flatMap((arg, i) => visit(names[i]!.toLowerCase(), arg));
}
