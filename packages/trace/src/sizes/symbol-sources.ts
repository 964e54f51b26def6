/** @file Which input size a symbol was made for. */
import { type ExportedProgram, FakeTensor } from "@sconce/ir";
import { userLeaves } from "@sconce/ops";
import { printSource, SymExpr, symbolNumber } from "@sconce/symbolic";

/** Symbols whose numbers were taken get the next free one. */
const MOST_COLLISIONS = 3;

/**
 * For each symbol, the placeholder and dimension that it was made for. Sizes that a guard found
 * equal are written with one symbol, while the retrace reads the input that the symbol belongs to;
 * the others had their own symbols (`match_symbol` in `torch/fx/passes/runtime_assert.py`). A
 * symbol identifies its source: its number is the hash of the source's name
 * (`ShapeEnv._generate_unique_id`).
 */
export function symbolSources(program: ExportedProgram): ReadonlyMap<string, SymbolSource> {
  const found = new Map<string, SymbolSource & { readonly distance: number }>();
  for (const leaf of userLeaves(program)) {
    const value = program.graph.find(leaf.name)?.meta.val;
    if (!(value instanceof FakeTensor)) continue;
    value.shape.forEach((size, dim) => {
      if (!(size instanceof SymExpr) || size.op !== "Symbol") return;
      const printed = printSource({
        kind: "source",
        root: leaf.root,
        local: true,
        path: leaf.path,
        property: "size",
        index: dim,
      });
      const source = `L['${leaf.root}']${printed.slice(leaf.root.length)}`;
      const distance = Number(size.name.slice(1)) - symbolNumber(source);
      if (distance < 0 || distance > MOST_COLLISIONS) return;
      const known = found.get(size.name);
      if (known === undefined || distance < known.distance)
        found.set(size.name, { placeholder: leaf.name, dim, distance });
    });
  }
  return found;
}

/** The size of an input that a symbol was made for. */
export interface SymbolSource {
  /** The name of the input. */
  readonly placeholder: string;
  /** The dimension. */
  readonly dim: number;
}
