/** @file Which input size a symbol was made for. */
import { type ExportedProgram, FakeTensor, isSymScalar, type NodeMeta } from "@sconce/ir";
import { type Leaf, userLeaves } from "@sconce/ops";
import { type IntLike, printSource, SymExpr, symbolByName, symbolNumber, symEquals } from "@sconce/symbolic";
import { pathBindings } from "../nodes/unbacked-bindings.js";
import type { InputSymbols, OwnSymbols } from "./runtime-asserts.js";
import { isSymbol } from "./size-expressions.js";

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
      if (!isSymbol(size)) return;
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

/**
 * Symbols that sizes of inputs had before a guard found them equal to others, by the names of
 * inputs in the trace: those of which another input is the source, and sizes that are computed from
 * others. Programs that were exported here know them; PyTorch reads one symbol for all of them from
 * a file.
 */
export function ownSymbols(program: ExportedProgram): OwnSymbols {
  if (program.torchVersion !== undefined) return new Map();
  const sources = symbolSources(program);
  const leaves = new Map(userLeaves(program).map((leaf) => [leaf.name, leaf]));
  const own = new Map<string, InputSymbols>();
  for (const [i, { name, meta }] of program.graph.placeholders().entries()) {
    const leaf = leaves.get(name);
    if (leaf === undefined) continue;
    if (isSymScalar(meta.val)) {
      const value = boundSymbols(meta).get(undefined);
      if (value !== undefined && !isShown(value, meta.val.expr))
        own.set(`arg${i}_1`, { sizes: [], strides: [], value });
    }
    if (!(meta.val instanceof FakeTensor)) continue;
    const { shape, strides } = meta.val;
    const bound = boundSymbols(meta);
    const sizes = shape.map((size, dim) => {
      const given = bound.get(dim);
      if (given !== undefined) return isShown(given, size) ? undefined : given;
      const source = isSymbol(size) ? sources.get(size.name) : undefined;
      const isOther = source !== undefined && (source.placeholder !== name || source.dim !== dim);
      const isComputed = size instanceof SymExpr && !isSymbol(size);
      if (!isOther && !isComputed) return undefined;
      return symbolByName(`s${symbolNumber(sourceText(leaf, dim))}`);
    });
    if (!sizes.some((symbol) => symbol !== undefined)) continue;
    const ofStride = (stride: IntLike): SymExpr | undefined =>
      sizes.find((_, dim) => isSymbol(stride) && symEquals(shape[dim]!, stride));
    own.set(`arg${i}_1`, { sizes, strides: strides.map(ofStride) });
  }
  return own;
}

/** Symbols that only the data decide, by the dimensions whose sizes they are. */
const boundSymbols = ({ unbackedBindings }: NodeMeta): ReadonlyMap<number | undefined, SymExpr> =>
  new Map(
    pathBindings(unbackedBindings).flatMap(({ symbol, dim, of }) =>
      of === "size" ? [[dim, symbolByName(symbol)] as const] : [],
    ),
  );

const isShown = (symbol: SymExpr, as: unknown): boolean =>
  as instanceof SymExpr && as.op === "Symbol" && as.name === symbol.name;

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
