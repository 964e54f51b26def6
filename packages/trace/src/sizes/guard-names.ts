/** @file Names that the guards of a program take, which PyTorch traces before its calls. */
import { type ExportedProgram, FakeTensor, isSymScalar, type MetaValue } from "@sconce/ir";
import { leafFinder, programGuards, userLeaves } from "@sconce/ops";
import {
  foldGuard,
  type GuardBinaryOp,
  type GuardCompareOp,
  type GuardNode,
  type IntLike,
  SymExpr,
} from "@sconce/symbolic";
import type { TakenNames } from "./counted-arithmetic.js";

const OPERATORS: Readonly<Record<GuardBinaryOp | GuardCompareOp, string>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "truediv",
  "//": "floordiv",
  "%": "mod",
  "**": "pow",
  "==": "eq",
  "!=": "ne",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
};

/** Comparisons from the other side. */
const REFLECTED: Partial<Record<GuardCompareOp, GuardCompareOp>> = {
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

/** An operand of a guard: a product with 1 is the other factor. */
type Operand = "symbolic" | "one" | "other";

/** What names are taken from. */
interface GuardTrace {
  readonly names: TakenNames;
  /** Reads a size that a guard asks for. */
  readonly read: (size: IntLike) => void;
  /** Finds the value of an input. */
  readonly inputOf: (name: string) => MetaValue | undefined;
}

/** Takes the names of the guards of a program. */
export function takeGuardNames(program: ExportedProgram, { names, read, inputOf }: GuardTrace): void {
  if (program.exampleInputs === null) return;
  const leaves = userLeaves(program);
  const indexOf = leafFinder(leaves);
  const source = (node: Extract<GuardNode, { kind: "source" }>): Operand => {
    const name = leaves[indexOf(node) ?? -1]?.name;
    const val = name === undefined ? undefined : inputOf(name);
    if (val instanceof FakeTensor && node.property === "size") {
      const size = val.shape[node.index ?? 0]!;
      if (!(size instanceof SymExpr)) return size === 1 ? "one" : "other";
      read(size);
      return "symbolic";
    }
    return isSymScalar(val) ? "symbolic" : "other";
  };
  const node = (name: string, operands: readonly Operand[]): Operand => {
    if (!operands.includes("symbolic")) return "other";
    names.take(name);
    return "symbolic";
  };
  for (const guard of programGuards(program, leaves))
    foldGuard<Operand>(guard, {
      source,
      number: ({ value, float }) => (value === 1 && !float ? "one" : "other"),
      constant: () => "other",
      not: () => "other",
      negate: (operand) => node("neg", [operand]),
      binary: (op, left, right) =>
        op === "*" && [left, right].includes("one")
          ? left === "one"
            ? right
            : left
          : node(OPERATORS[op], [left, right]),
      // A number at the left has no such method: Python asks the size at the right.
      compare: (op, left, right) =>
        node(OPERATORS[left === "symbolic" ? op : (REFLECTED[op] ?? op)], [left, right]),
      and: (parts) => parts.map((part) => part()).at(-1) ?? "other",
      or: (parts) => parts[0]?.() ?? "other",
      conditional: (test, then) => {
        test();
        return then();
      },
      call: ({ fn }, args) => node(fn.replace(/^(?:torch|math)\./, ""), args),
    });
}
