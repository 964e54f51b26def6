/** @file Whether suggested fixes are enough. */
import { FakeTensor } from "@sconce/ir";
import { type BoolLike, freeSymbols, type IntLike, SymExpr, substitute } from "@sconce/symbolic";
import { type FakeInputs, fakeLeaves, sizeSource } from "./fake-inputs.js";
import { produceGuards } from "./produce-guards.js";
import { rangeConstraints } from "./range-constraints.js";
import { refiner } from "./refine-shapes.js";

/**
 * Returns whether an export with the fixes of a message succeeds. The guards of the trace are
 * recorded again on inputs with the new specification; what they require has to be declared.
 *
 * @param guards the conditions that the trace recorded, without those that the specification adds
 */
export function fixesSuffice(prepared: FakeInputs, message: string, guards: readonly SymExpr[]): boolean {
  try {
    const refine = refiner(message, prepared.dynamicShapes);
    const leaves = prepared.inputs.map((input) => ({ ...input, spec: refine(input.spec) }));
    const again = fakeLeaves(leaves, prepared.dynamicShapes);
    const sizes = sizesBySource(again);
    for (const guard of guards) {
      const condition = moved(guard, prepared, sizes, again);
      if (condition !== undefined && !again.env.guard(condition)) return false;
    }
    const { violations, solver } = produceGuards(again);
    solver.solve();
    rangeConstraints(again);
    return (
      violations.length === 0 && [...solver.specialized.keys()].every((name) => !solver.marked.has(name))
    );
  } catch {
    // The fixes cannot be applied, or the example inputs do not fit them.
    return false;
  }
}

function sizesBySource({ inputs }: FakeInputs): ReadonlyMap<string, IntLike> {
  const sizes = new Map<string, IntLike>();
  for (const { source, fake } of inputs) {
    if (fake instanceof SymExpr || typeof fake === "number") sizes.set(source, fake);
    if (!(fake instanceof FakeTensor)) continue;
    for (const [dim, size] of fake.shape.entries()) sizes.set(sizeSource(source, dim), size);
  }
  return sizes;
}

/**
 * Returns a guard in terms of the symbols of other inputs; undefined for one of symbols without an
 * input.
 */
function moved(
  guard: SymExpr,
  { sources }: FakeInputs,
  sizes: ReadonlyMap<string, IntLike>,
  { env }: FakeInputs,
): BoolLike | undefined {
  const values = new Map<string, IntLike>();
  for (const name of freeSymbols(guard).keys()) {
    const size = sizes.get(sources.get(name)?.[0]?.name ?? "");
    if (size === undefined) return undefined;
    values.set(name, env.replace(size));
  }
  return substitute(guard, values) as BoolLike;
}
