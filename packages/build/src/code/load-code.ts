/** @file Loads that sizes keep inside of their operands, as data that a module checks. */
import type { Index, IndexAtom, SizedLoad } from "@sconce/codegen";
import { printExpr, type SymExpr } from "@sconce/symbolic";
import { literal } from "./code.js";
import type { SizeCode } from "./size-code.js";

/**
 * Writes the check of a load: `inside(load, sizes)`. Sizes are positions in the list, and texts are
 * numbers: equal ones are equal numbers.
 */
export function loadCode(load: SizedLoad, code: SizeCode): string {
  const sizes = new Map<string, { readonly at: number; readonly expr: SymExpr }>();
  const texts = new Map<string, string>();
  const sizeAt = (expr: SymExpr): number => {
    const key = printExpr(expr);
    const known = sizes.get(key) ?? { at: sizes.size, expr };
    sizes.set(key, known);
    return known.at;
  };
  const textOf = (text: string): string => {
    const known = texts.get(text) ?? String(texts.size);
    texts.set(text, known);
    return known;
  };
  const plain = ({ terms, constant, text }: Index): unknown => ({
    terms: terms.map(({ coefficient, atoms }) => ({ coefficient, atoms: atoms.map(plainAtom) })),
    constant,
    text: textOf(text),
  });
  const plainAtom = (item: IndexAtom): unknown => {
    switch (item.kind) {
      case "axis":
        return { kind: item.kind, name: item.name, extent: plain(item.extent) };
      case "size":
        return { kind: item.kind, expr: sizeAt(item.expr) };
      case "value":
        return { kind: item.kind, key: textOf(item.key), bound: plain(item.bound) };
      default:
        return { kind: item.kind, numerator: plain(item.numerator), denominator: plain(item.denominator) };
    }
  };
  const data = {
    index: plain(load.index),
    limit: plain(load.limit),
    guards: load.guards.map(plain),
    axes: load.axes.map(plainAtom),
  };
  const text = literal(data);
  return `inside(${text},[${[...sizes.values()].map(({ expr }) => code.of(expr)).join(",")}])`;
}
