/**
 * @file Conditions of a program on the sizes of its inputs that no declaration of dims says: they
 * are written as guards.
 */

import { type ExportedProgram, FakeTensor, isSymScalar } from "@sconce/ir";
import { leafFinder, userLeaves } from "@sconce/ops";
import {
  asLinear,
  foldGuard,
  freeSymbols,
  type GuardNode,
  type GuardSource,
  parseGuard,
  ShapeEnv,
  SymExpr,
} from "@sconce/symbolic";
import { type Condition, SymBool, SymInt, type SymNumber, sym } from "@sconce/torch";
import { notWritable } from "./errors.js";
import { numberText } from "./literals.js";
import type { ModuleFile } from "./module-file.js";

/** A part of a guard: its text, and what is known of its value. */
interface Part {
  readonly text: string;
  readonly value: SymNumber | Condition;
}

type SymName = keyof typeof sym;

const BINARY: Readonly<Record<string, SymName>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "trueDiv",
  "//": "floorDiv",
  "%": "mod",
  "**": "pow",
  "==": "eq",
  "!=": "ne",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
};
const FUNCTIONS: Readonly<Partial<Record<string, SymName>>> = {
  max: "max",
  min: "min",
  "torch.sym_max": "max",
  "torch.sym_min": "min",
  abs: "abs",
  int: "int",
  float: "float",
  "torch.sym_float": "float",
  "torch._sym_sqrt": "sqrt",
  "math.sqrt": "sqrt",
  "math.trunc": "trunc",
  "math.floor": "floor",
  "math.ceil": "ceil",
};

/** The guards of a program that are written, and the symbols whose dims are inferred. */
export interface GuardTexts {
  readonly conditions: readonly ((textOf: (input: string) => string) => string)[];
  readonly inferred: ReadonlySet<string>;
}

/** Finds the guards that the sizes and ranges of the inputs do not imply. */
export function guardTexts(program: ExportedProgram, file: ModuleFile): GuardTexts {
  const env = new ShapeEnv({
    ranges: new Map(
      [...program.rangeConstraints]
        .filter(([name]) => /^s\d+$/.test(name))
        .map(([name, { min, max }]) => [name, { min, max }]),
    ),
  });
  const leaves = userLeaves(program);
  const derived = derivedSymbols(program);
  const indexOf = leafFinder(leaves);
  const inferred = new Set<string>();
  const conditions: GuardTexts["conditions"][number][] = [];
  for (const text of program.guardsCode) {
    const guard = parseGuard(text);
    const write = (textOf: (input: string) => string): Part =>
      partOf(guard, file, (source) => {
        const leaf = leaves[indexOf(source) ?? -1];
        if (leaf === undefined) throw unwritable(text);
        return readText(program, source, leaf.name, textOf);
      });
    const { value } = write((input) => input);
    if (value === true) continue;
    if (!(value instanceof SymBool)) throw unwritable(text);
    if (env.staticallyKnown(value.expr) === true) continue;
    const names = [...freeSymbols(value.expr as SymExpr).keys()];
    // Relations of derived dims are declared: `2*n` is even.
    if (names.every((name) => derived.has(name))) continue;
    for (const name of names) inferred.add(name);
    conditions.push((textOf) => write(textOf).text);
  }
  return { conditions, inferred };
}

/** Symbols of sizes such as `2*n`. */
const derivedSymbols = (program: ExportedProgram): ReadonlySet<string> =>
  new Set(
    program.graph.placeholders().flatMap(({ meta: { val } }) => {
      const sizes = val instanceof FakeTensor ? val.shape : [];
      return sizes.flatMap((size) => {
        const linear = asLinear(size);
        return linear === undefined || linear.coefficient === 1 ? [] : [linear.symbol.name];
      });
    }),
  );

const unwritable = (text: string): Error =>
  notWritable(
    `the guard ${text}`,
    "the guards of the program",
    "lower the program, whose guards may be simpler",
  );

/** Returns a size of an input, as text and as it stands in the graph. */
function readText(
  program: ExportedProgram,
  { property, index = 0 }: GuardSource,
  input: string,
  textOf: (input: string) => string,
): Part {
  const { val } = program.graph.node(input).meta;
  const text = textOf(input);
  const wrap = (size: unknown): SymNumber => (size instanceof SymExpr ? new SymInt(size) : (size as number));
  if (property === undefined) return { text, value: isSymScalar(val) ? wrap(val.expr) : 0 };
  if (!(val instanceof FakeTensor)) throw unwritable(text);
  if (property === "storage_offset") return { text: `${text}.storageOffset`, value: wrap(val.storageOffset) };
  const sizes = property === "size" ? val.shape : val.strides;
  return { text: `${text}.${property}(${index})`, value: wrap(sizes[index]) };
}

function partOf(node: GuardNode, file: ModuleFile, read: (source: GuardSource) => Part): Part {
  const call = (name: SymName, parts: readonly Part[]): Part => ({
    text: `${file.use("sym")}.${name}(${parts.map(({ text }) => text).join(", ")})`,
    value: (sym[name] as (...args: readonly unknown[]) => SymNumber | Condition)(
      ...parts.map(({ value }) => value),
    ),
  });
  const all =
    (name: "and" | "or") =>
    (parts: readonly (() => Part)[]): Part =>
      call(
        name,
        parts.map((part) => part()),
      );
  const refuse = (kind: GuardNode["kind"]): never => {
    throw unwritable(kind);
  };
  return foldGuard<Part>(node, {
    source: read,
    number: (number) => numberPart(number, file),
    constant: () => refuse("constant"),
    not: (operand) => call("not", [operand]),
    negate: (operand) => call("neg", [operand]),
    binary: (op, left, right) => call(BINARY[op]!, [left, right]),
    compare: (op, left, right) => call(BINARY[op]!, [left, right]),
    and: all("and"),
    or: all("or"),
    conditional: () => refuse("conditional"),
    call({ fn }, args) {
      const name = FUNCTIONS[fn];
      if (name === undefined) throw unwritable(fn);
      return call(name, args);
    },
  });
}

function numberPart(
  { value, float, exact }: Extract<GuardNode, { readonly kind: "number" }>,
  file: ModuleFile,
): Part {
  if (exact !== undefined) return { text: `${exact}n`, value: exact };
  if (!float || !Number.isInteger(value)) return { text: numberText(value), value };
  return { text: `${file.use("float")}(${numberText(value)})`, value: { kind: "float", value } };
}
