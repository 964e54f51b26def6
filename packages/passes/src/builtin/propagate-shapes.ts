import { definePass } from "../pass/pass.js";
import type { NewSizes } from "../shapes/bindings.js";
import { propagationSteps } from "../shapes/propagate.js";
import { givenTwice } from "./errors.js";

/**
 * `{sizes=[s77=4]}` or `{sizes=[x=4x3]}` specializes the program. Without sizes, the pass fills in
 * what the shape rules know.
 */
export const shapePropagation = definePass({
  name: "propagate-shapes",
  doc: "Computes the shapes of all values again, for new sizes if given.",
  options: {
    sizes: {
      default: [],
      check: (item) => (readSize(String(item)) === undefined ? "cannot be read as a size" : undefined),
      doc: "new sizes: of a symbol, s77=4, or of an input, x=4x3 (nothing behind = for a scalar)",
    },
  },
  steps: (program, { operators }, options) => propagationSteps(program, operators, parseSizes(options.sizes)),
});

function parseSizes(items: readonly string[]): NewSizes {
  const symbols: Record<string, number> = {};
  const inputs: Record<string, readonly number[]> = {};
  for (const item of items) {
    const { name, text } = readSize(item)!;
    if (Object.hasOwn(symbols, name) || Object.hasOwn(inputs, name)) throw givenTwice(name);
    // Symbols are s77 or u0, by PyTorch's naming; a one-dimensional input is written x=[4].
    if (/^(s|u)\d+$/.test(name) && /^\d+$/.test(text)) symbols[name] = Number(text);
    else inputs[name] = text.replace(/[[\]]/g, "").split("x").filter(Boolean).map(Number);
  }
  return { symbols, inputs };
}

function readSize(item: string): { readonly name: string; readonly text: string } | undefined {
  const match = /^(\w+)=(\d+(?:x\d+)*|\[\d*\]|)$/.exec(item.replaceAll(" ", ""));
  return match === null ? undefined : { name: match[1]!, text: match[2]! };
}
