/** @file Which values of symbols new input sizes mean. */
import type { SconceError } from "@sconce/errors";
import { type ExportedProgram, FakeTensor, type MetaValue, rangeText } from "@sconce/ir";
import { evaluateInt, freeSymbols, type IntLike, printExpr, solveLinear, substitute } from "@sconce/symbolic";
import { contradiction } from "./errors.js";

/** New input sizes. */
export interface NewSizes {
  /** Values of symbols: `{ s77: 4 }`. */
  readonly symbols?: Readonly<Record<string, number>> | undefined;
  /** Shapes of inputs by placeholder name: `{ x: [4, 3] }`. */
  readonly inputs?: Readonly<Record<string, readonly number[]>> | undefined;
}

/** Symbols with the numbers that they represent. */
export type Bindings = ReadonlyMap<string, number>;

/**
 * @throws SconceError `SHAPE_CONTRADICTION` for sizes that the program was not exported for, or
 * that exclude each other
 */
export function bindingsOf(
  program: ExportedProgram,
  { symbols = {}, inputs = {} }: NewSizes,
): Map<string, number> {
  const bindings = new Map<string, number>();
  const bind = (name: string, value: number, place: string): void => {
    const before = bindings.get(name) ?? value;
    if (before !== value) throw contradiction(`the size ${name} would be both ${before} and ${value}`, place);
    const range = program.rangeConstraints.get(name);
    if (range !== undefined && (value < range.min || value > range.max)) {
      throw contradiction(`the size ${name} must be in ${rangeText(range)}, not ${value}`, place);
    }
    bindings.set(name, value);
  };
  const known = symbolsOf(program);
  for (const [name, value] of Object.entries(symbols)) {
    if (!known.has(name)) {
      const names = [...known].join(", ") || "none: all its sizes are numbers";
      throw contradiction(`the program's inputs have no size "${name}"`, name, `the sizes are: ${names}`);
    }
    bind(name, value, name);
  }
  for (const [name, shape] of Object.entries(inputs)) bindShape(program, name, shape, bindings, bind);
  checkDerived(program, bindings);
  return bindings;
}

function symbolsOf(program: ExportedProgram): Set<string> {
  const names = new Set<string>();
  const visit = (size: IntLike): void => {
    if (typeof size !== "number") for (const name of freeSymbols(size).keys()) names.add(name);
  };
  for (const { meta } of program.graph.placeholders()) {
    if (meta.val instanceof FakeTensor) meta.val.shape.forEach(visit);
    else if (isSymInt(meta.val)) visit(meta.val.expr);
  }
  return names;
}

const isSymInt = (val: MetaValue | undefined): val is { readonly kind: "SymInt"; readonly expr: IntLike } =>
  typeof val === "object" && val !== null && "kind" in val && val.kind === "SymInt";

function bindShape(
  program: ExportedProgram,
  name: string,
  shape: readonly number[],
  bindings: Bindings,
  bind: (name: string, value: number, place: string) => void,
): void {
  const val = program.graph.find(name)?.meta.val;
  if (!(val instanceof FakeTensor)) throw noInput(program, name);
  if (shape.length !== val.ndim)
    throw contradiction(`"${name}" has ${val.ndim} dimensions, not ${shape.length}`, name);
  shape.forEach((value, dim) => {
    const size = substitute(val.shape[dim]!, bindings) as IntLike;
    const place = `${name}.shape[${dim}]`;
    const wrong = contradiction(`${place} is ${printExpr(val.shape[dim]!)}, which cannot be ${value}`, name);
    if (typeof size === "number") {
      if (size !== value) throw wrong;
      return;
    }
    const solution = solveLinear(size, value);
    if (solution === undefined) throw wrong;
    bind(solution.symbol.name, solution.value, place);
  });
}

function noInput({ graph }: ExportedProgram, name: string): SconceError {
  const names = graph.placeholders().map((node) => node.name);
  return contradiction(
    `the program has no input tensor "${name}"`,
    name,
    `the inputs are: ${names.join(", ")}`,
  );
}

/** Ranges of expressions (`2*s17`) hold too. */
function checkDerived(program: ExportedProgram, bindings: Bindings): void {
  for (const { name, meta } of program.graph.placeholders()) {
    if (!(meta.val instanceof FakeTensor)) continue;
    for (const size of meta.val.shape) {
      if (typeof size === "number" || [...freeSymbols(size).keys()].some((own) => !bindings.has(own)))
        continue;
      const value = evaluateInt(size, bindings);
      const range = program.rangeConstraints.get(printExpr(size));
      if (range === undefined || (value >= range.min && value <= range.max)) continue;
      throw contradiction(`${printExpr(size)} must be in ${rangeText(range)}, not ${value}`, name);
    }
  }
}
