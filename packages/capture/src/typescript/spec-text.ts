/**
 * @file Which sizes are dynamic: the declaration with `ParamsSpec`, for sizes that only a run
 * decides.
 */
import { scriptString } from "@sconce/errors";
import { type ExportedProgram, FakeTensor, isRef, isSymScalar, type MetaValue } from "@sconce/ir";
import { freeSymbols, isUnbacked, SymExpr } from "@sconce/symbolic";
import { boundsText } from "./dims-text.js";
import type { ModuleFile } from "./module-file.js";

/** Functions of `sym` for the expressions of sizes. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  Add: "add",
  FloorDiv: "floorDiv",
  Max: "max",
  Min: "min",
  Mod: "mod",
  Mul: "mul",
  PythonMod: "mod",
};

/** Returns whether only a run decides sizes of inputs. */
export const hasOpenSizes = (vals: readonly (MetaValue | undefined)[]): boolean =>
  vals.some((val) => symbolsOf(val).some(isUnbacked));

function symbolsOf(val: MetaValue | undefined): readonly SymExpr[] {
  if (isSymScalar(val)) return val.expr instanceof SymExpr ? [...freeSymbols(val.expr).values()] : [];
  return val instanceof FakeTensor ? val.shape.flatMap((size) => [...freeSymbols(size).values()]) : [];
}

/** Returns the symbols of assertions that are more than the bounds of one. */
function checkedSymbols({ graph }: ExportedProgram, file: ModuleFile): readonly string[] {
  return [...graph.nodes()].flatMap(({ target, args: [condition] }) => {
    if (target !== "aten._assert_scalar.default" || !isRef(condition)) return [];
    const { val } = graph.node(condition.name).meta;
    if (!isSymScalar(val) || !(val.expr instanceof SymExpr)) return [];
    const { op, args } = val.expr;
    const symbols = [...freeSymbols(val.expr).keys()];
    if (op === "Equality" && symbols.length > 1) file.differ("related-size", condition.name);
    const isBound = (op === "GreaterThan" || op === "LessThan") && args.every((arg) => arg.args.length === 0);
    return isBound ? [] : symbols;
  });
}

/** Writes the specification of a program. */
export class SpecText {
  readonly #file: ModuleFile;
  readonly #program: ExportedProgram;
  readonly #variables = new Map<string, string>();
  /** Variables that are sizes of tensors; others are integers. */
  readonly #sizes: ReadonlySet<string>;
  /** Symbols that the model requires something of: their ranges follow from it. */
  readonly #checked: ReadonlySet<string>;
  /** Declarations of variables. */
  readonly lines: string[] = [];

  constructor(file: ModuleFile, program: ExportedProgram) {
    this.#file = file;
    this.#program = program;
    this.#checked = new Set(checkedSymbols(program, file));
    this.#sizes = new Set(
      program.graph
        .placeholders()
        .flatMap(({ meta: { val } }) => (val instanceof FakeTensor ? symbolsOf(val) : []))
        .map(({ name }) => name),
    );
  }

  /** Returns the specification of an input; undefined for one without dynamic sizes. */
  input(val: MetaValue | undefined): string | undefined {
    if (symbolsOf(val).length === 0) return undefined;
    if (isSymScalar(val)) return this.#size(val.expr);
    const sizes = (val as FakeTensor).shape.map((size) =>
      size instanceof SymExpr ? this.#size(size) : this.#file.use("STATIC"),
    );
    return `new ${this.#file.use("TensorSpec")}([${sizes.join(", ")}])`;
  }

  /** Returns the specification of a container. */
  container(kind: "SeqSpec" | "DictSpec" | "ObjectSpec", parts: string): string {
    return `new ${this.#file.use(kind)}(${parts})`;
  }

  #size(size: unknown): string {
    if (!(size instanceof SymExpr)) return String(size);
    if (size.op === "Symbol") return this.#variable(size.name);
    if (size.op === "Integer") return String(size.value);
    const name = FUNCTIONS[size.op];
    // A size that no function gives is a variable, and an assertion of the model relates it.
    if (name === undefined) return this.#variable(size.toString());
    const { use } = this.#file;
    return size.args.map((arg) => this.#size(arg)).reduce((a, b) => `${use("sym")}.${name}(${a}, ${b})`);
  }

  #variable(symbol: string): string {
    const known = this.#variables.get(symbol);
    if (known !== undefined) return known;
    const variable = this.#file.names.take(/^\w+$/.test(symbol) ? symbol : "size");
    this.#variables.set(symbol, variable);
    const range = this.#checked.has(symbol) ? undefined : this.#program.rangeConstraints.get(symbol);
    const shown = boundsText(range, this.#sizes.has(symbol) ? 0 : Number.NEGATIVE_INFINITY);
    const bounds = shown === "" ? "" : `, ${shown.slice(1, -1)}`;
    const kind = this.#file.use(this.#sizes.has(symbol) || !/^\w+$/.test(symbol) ? "ShapeVar" : "IntVar");
    this.lines.push(`const ${variable} = new ${kind}(${scriptString(variable)}${bounds});`);
    return variable;
  }
}
