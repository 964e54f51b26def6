/**
 * @file Guards that a retrace adds. PyTorch asks of each result whether one of its sizes is 0
 * (`FunctionalTensor.__new__`, `guard_or_false`); what the ranges and the existing guards do not
 * decide becomes a guard.
 */
import { type ExportedProgram, FakeTensor, isSymScalar, type MetaValue } from "@sconce/ir";
import { evaluateScalarFunction, userLeaves } from "@sconce/ops";
import {
  asLinear,
  type BoolLike,
  foldGuard,
  type GuardNode,
  type GuardSource,
  ge,
  type IntLike,
  ne,
  parseGuard,
  printSource,
  type ShapeEnv,
  SymExpr,
} from "@sconce/symbolic";
import { printGuardExpr } from "@sconce/symbolic/print-guard";

const OPERATORS: Readonly<Record<string, string>> = {
  "+": "operator.add",
  "-": "operator.sub",
  "*": "operator.mul",
  "//": "operator.floordiv",
  "%": "operator.mod",
  "==": "operator.eq",
  "!=": "operator.ne",
  "<": "operator.lt",
  "<=": "operator.le",
  ">": "operator.gt",
  ">=": "operator.ge",
};

type Operand = IntLike | BoolLike | undefined;

/** Guards of inputs as texts: those of the program, and those that lowering adds. */
export class SizeGuards {
  readonly #env: ShapeEnv;
  readonly #sources = new Map<string, SymExpr>();
  readonly #names = new Map<string, string>();
  readonly #added: string[] = [];

  constructor(program: ExportedProgram, env: ShapeEnv) {
    this.#env = env;
    this.#collectSources(program);
    for (const text of program.guardsCode) {
      const condition = this.#expr(parseGuard(text));
      if (condition instanceof SymExpr) this.#learn(condition);
    }
  }

  /** The guards that were added, as PyTorch writes them. */
  get added(): readonly string[] {
    return this.#added;
  }

  /** Returns the guards by which a trace found two sizes of inputs equal. */
  joining(env: ShapeEnv): readonly string[] {
    return env.guards.flatMap((guard) => {
      if (guard.op !== "Equality" || guard.args.some(({ op }) => op !== "Symbol")) return [];
      return printGuardExpr(guard, (name) => this.#names.get(name)) ?? [];
    });
  }

  /** Takes note of a call's result. */
  note(result: MetaValue): void {
    if (result instanceof FakeTensor) for (const size of result.shape) this.#nonZero(size);
    else if (Array.isArray(result)) for (const item of result as readonly MetaValue[]) this.note(item);
  }

  #learn(condition: SymExpr): void {
    this.#env.addAxiom(condition as BoolLike);
    const [left, right] = condition.args;
    const form = condition.op === "GreaterThan" && right?.op === "Integer" ? asLinear(left!) : undefined;
    if (form === undefined || form.coefficient <= 0) return;
    const least = Math.ceil((Number(right!.value) - form.offset) / form.coefficient);
    this.#env.addAxiom(ge(form.symbol, least));
  }

  #nonZero(size: IntLike): void {
    if (!(size instanceof SymExpr) || size.op === "Symbol") return;
    const condition = ne(size, 0);
    if (this.#env.staticallyKnown(condition) !== undefined || this.#env.hint(size) === undefined) return;
    const text = printGuardExpr(condition as SymExpr, (name) => this.#names.get(name));
    // An input of size 0 makes the condition false, which is then the guard.
    if (text === undefined || this.#env.hint(condition) !== true) return;
    this.#env.addAxiom(condition);
    this.#added.push(text);
  }

  #collectSources(program: ExportedProgram): void {
    for (const { name, root, path } of userLeaves(program)) {
      const value = program.graph.find(name)?.meta.val;
      const leaf = { kind: "source", root, local: true, path } as const;
      if (isSymScalar(value)) this.#source(leaf, value.expr);
      if (!(value instanceof FakeTensor)) continue;
      for (const [index, size] of value.shape.entries())
        this.#source({ ...leaf, property: "size", index }, size);
    }
  }

  #source(source: GuardSource, size: unknown): void {
    if (!(size instanceof SymExpr)) return;
    this.#sources.set(printSource(source), size);
    const text = `L['${source.root}']${printSource(source).slice(source.root.length)}`;
    if (size.op === "Symbol" && !this.#names.has(size.name)) this.#names.set(size.name, text);
  }

  /** Returns a guard as an expression; undefined where it is not one of sizes. */
  #expr(guard: GuardNode): Operand {
    const no = (): undefined => undefined;
    const apply = this.#apply.bind(this);
    return foldGuard<Operand>(guard, {
      source: (source) => this.#sources.get(printSource(source)),
      number: ({ float, value }) => (float ? undefined : value),
      constant: no,
      not: no,
      negate: (operand) => apply("*", operand, -1),
      binary: apply,
      compare: apply,
      and: no,
      or: no,
      conditional: no,
      call: no,
    });
  }

  #apply(op: string, a: Operand, b: Operand): Operand {
    const target = OPERATORS[op];
    if (target === undefined || a === undefined || b === undefined) return undefined;
    if (typeof a === "number" && typeof b === "number" && op === "*") return a * b;
    const operands = [a, b].map((value) =>
      value instanceof SymExpr ? ({ kind: "SymInt", expr: value } as const) : (value as number),
    );
    return evaluateScalarFunction(target, operands).expr as IntLike | BoolLike;
  }
}
