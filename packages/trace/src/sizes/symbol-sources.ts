/** @file Which input size a symbol was made for. */
import { type ExportedProgram, FakeTensor } from "@sconce/ir";
import { type Leaf, userLeaves } from "@sconce/ops";
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
      const distances = rootsOf(leaf)
        .map((from) => Number(size.name.slice(1)) - symbolNumber(sourceText(from, dim)))
        .filter((distance) => distance >= 0 && distance <= MOST_COLLISIONS);
      if (distances.length === 0) return;
      const distance = Math.min(...distances);
      const known = found.get(size.name);
      if (known === undefined || distance < known.distance)
        found.set(size.name, { placeholder: leaf.name, dim, distance });
    });
  }
  return found;
}

type Root = Pick<Leaf, "root" | "path">;

/**
 * Where an input may come from: `forward(*x)` has `x[0]` for the parameter that is listed as `x_0`.
 */
function rootsOf({ root, path }: Root): readonly Root[] {
  const [, name, at] = /^(.+)_(\d+)$/.exec(root) ?? [];
  return name === undefined
    ? [{ root, path }]
    : [
        { root, path },
        { root: name, path: [Number(at), ...path] },
      ];
}

/** `L['x'][0].size()[1]` */
function sourceText({ root, path }: Root, dim: number): string {
  const printed = printSource({ kind: "source", root, local: true, path, property: "size", index: dim });
  return `L['${root}']${printed.slice(root.length)}`;
}

/** The size of an input that a symbol was made for. */
export interface SymbolSource {
  /** The name of the input. */
  readonly placeholder: string;
  /** The dimension. */
  readonly dim: number;
}
