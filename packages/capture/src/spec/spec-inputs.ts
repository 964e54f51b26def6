/**
 * @file Fake inputs for a `ShapesSpec` (`_make_fake_inputs_with_spec`): each size that it names is
 * a symbol that only the inputs of a run decide, and its variables and assumptions are asserted.
 */
import { areStatic, FakeTensor } from "@sconce/ir";
import {
  type BoolLike,
  eq,
  freeSymbols,
  ge,
  type IntLike,
  le,
  printExpr,
  ShapeEnv,
  SymExpr,
  substitute,
  symbol,
  symbolNumber,
} from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { fakeOf, IntVar, SymInt } from "@sconce/torch";
import {
  type FakeInput,
  type FakeInputOptions,
  type FakeInputs,
  inputLeaves,
  type NamedInputs,
  NO_EQUALITIES,
  type SymbolSource,
  symbolicStrides,
} from "../dynamic/index.js";
import { bindSpec, type LeafSpec } from "./bind-spec.js";
import { differentAnswers } from "./different-answers.js";
import { badSpec } from "./errors.js";
import type { ShapesSpec } from "./shapes-spec.js";
import type { TensorSpec } from "./specs.js";

/**
 * Makes the fake inputs of an export with a `ShapesSpec`.
 *
 * @throws SconceError `SHAPES_SPEC` for a specification that does not fit the inputs
 */
export function makeSpecInputs(
  inputs: NamedInputs,
  spec: ShapesSpec,
  { isStrict = false, ...options }: FakeInputOptions,
): FakeInputs {
  const leaves = inputLeaves(inputs, null);
  const parts = bindSpec(inputs, spec);
  const maker = new SpecMaker(spec, options, isStrict);
  const fakes = leaves.map((leaf, i) => {
    const source = isStrict ? `L['flat_args'][${i}]` : leaf.source;
    const fake = maker.fake(source, leaf.value, parts[i]);
    return { ...leaf, source, fake, constraints: [], isDynamicInt: false } satisfies FakeInput;
  });
  maker.finish();
  const { env, sources } = maker;
  return {
    env,
    sources,
    inputs: fakes,
    debugNames: new Map(),
    equalities: NO_EQUALITIES,
    dynamicShapes: null,
    fromSpec: true,
  };
}

/** A condition that waits for its variables. */
interface Pending {
  readonly condition: SymExpr;
  readonly variables: readonly string[];
}

/** Returns a text without the numbers of variables: `batch#0` is `batch`. */
const pretty = (text: string): string => text.replaceAll(/#\d+/g, "");

class SpecMaker {
  readonly env: ShapeEnv;
  readonly sources = new Map<string, SymbolSource[]>();
  /** The symbols that variables have, by the names of the variables. */
  readonly #bound = new Map<string, SymExpr>();
  readonly #fakes = new Map<Tensor, FakeTensor>();
  readonly #strides = new Map<number, SymExpr>();
  #pending: Pending[];

  /** @param isStrict whether integers are known to be sizes, as TorchDynamo takes them */
  constructor(
    { assumptions }: ShapesSpec,
    options: FakeInputOptions,
    private readonly isStrict: boolean,
  ) {
    this.env = new ShapeEnv({ ...options, keepsMin: true, openNote: (expr) => this.#note(expr) });
    this.#pending = assumptions.map(({ expr }) => pendingOf(expr));
  }

  /** Returns a fake tensor, a symbol for an integer, or the value itself. */
  fake(source: string, value: unknown, spec: LeafSpec): unknown {
    if (value instanceof Tensor) return this.#tensor(source, value, spec as TensorSpec | null | undefined);
    if (!Number.isInteger(value)) return value;
    if (typeof spec === "number" && spec !== value)
      throw badSpec(
        `shapes_spec declared ${source} as static with value ${spec}, but got ${String(value)} at trace time`,
        `pass ${spec} as the example, or a variable in place of ${spec}`,
      );
    if (!(spec instanceof SymInt)) return value;
    const symbol = this.#noted(this.isStrict ? this.env.freshUnbackedSize() : this.env.freshUnbackedInt(), {
      name: source,
      kind: "value",
    });
    this.#wire(spec, symbol);
    return symbol;
  }

  #tensor(source: string, tensor: Tensor, spec: TensorSpec | null | undefined): FakeTensor {
    const dims = spec?.dims;
    if (dims !== undefined && dims.length !== tensor.shape.length)
      throw badSpec(
        `TensorSpec has ${dims.length} dims but tensor ${source} has ${tensor.shape.length} dims`,
        `give one entry for each dimension of [${tensor.shape.join(", ")}]`,
      );
    const fake = this.#fakes.get(tensor) ?? this.#fakeTensor(source, tensor, spec);
    this.#fakes.set(tensor, fake);
    dims?.forEach((dim, i) => {
      const size = fake.shape[i];
      if (dim instanceof SymInt && size instanceof SymExpr) this.#wire(dim, size);
    });
    return fake;
  }

  #fakeTensor(source: string, tensor: Tensor, spec: TensorSpec | null | undefined): FakeTensor {
    const shape = tensor.shape.map((size, i) => {
      const dim = spec?.dims[i];
      if (typeof dim === "number" && dim !== size)
        throw badSpec(
          `shapes_spec declares dim ${i} as static with value ${dim}, but got ${size}`,
          `pass an example whose size ${i} is ${dim}, or write a variable in place of ${dim}`,
        );
      if (!(dim instanceof SymInt)) return size;
      return this.#noted(this.env.freshUnbackedSize(), { name: `${source}.size()[${i}]`, kind: "size" });
    });
    const isStatic = areStatic(shape);
    const strides = symbolicStrides(tensor, shape, (stride, dim) =>
      isStatic || stride <= 1 ? stride : this.#strideSymbol(`${source}.stride()[${dim}]`, stride),
    );
    return new FakeTensor({ ...fakeOf(tensor), shape, strides });
  }

  /** Returns a symbol for a stride that the sizes do not give; its value is that of the example. */
  #strideSymbol(name: string, stride: number): SymExpr {
    const known = this.#strides.get(stride);
    if (known !== undefined) return known;
    let number = symbolNumber(name);
    while (this.sources.has(`s${number}`)) number++;
    const made = symbol(`s${number}`, { positive: true, integer: true });
    this.env.setHint(made.name, stride);
    this.env.setRange(made, { min: 2, max: Infinity });
    this.sources.set(made.name, [{ name, kind: "stride" }]);
    this.#strides.set(stride, made);
    return made;
  }

  #noted(symbol: SymExpr, source: SymbolSource): SymExpr {
    this.sources.set(symbol.name, [source]);
    return symbol;
  }

  /** Gives a size or an integer its variable, or the expression that it equals. */
  #wire(spec: SymInt, size: SymExpr): void {
    const { env } = this;
    const own = env.replace<IntLike>(size);
    if (!(spec instanceof IntVar)) {
      this.#pending.push(pendingOf(eq(own, spec.expr) as SymExpr));
      this.#drain();
      return;
    }
    const known = this.#bound.get(spec.expr.name);
    if (known !== undefined) {
      env.check(eq(own, known));
      return;
    }
    this.#bound.set(spec.expr.name, own as SymExpr);
    if (spec.min !== null) env.check(ge(size, spec.min));
    if (spec.max !== null) env.check(le(size, spec.max));
    this.#drain();
  }

  /** Requires what waited for variables that are known by now. */
  #drain(): void {
    const waiting = this.#pending;
    this.#pending = waiting.filter(({ variables }) => !this.#isKnown(variables));
    for (const { condition, variables } of waiting)
      if (this.#isKnown(variables)) this.env.check(substitute<BoolLike>(condition, this.#bound) as BoolLike);
  }

  #isKnown(variables: readonly string[]): boolean {
    return variables.every((name) => this.#bound.has(name));
  }

  /**
   * @throws SconceError `SHAPES_SPEC` where a variable is not a size or an integer of the inputs
   */
  finish(): void {
    if (this.#pending.length === 0) return;
    const unbound = (variables: readonly string[]): string[] =>
      variables.filter((name) => !this.#bound.has(name)).map(pretty);
    const text = (names: readonly string[]): string =>
      `[${[...new Set(names)]
        .sort()
        .map((name) => `'${name}'`)
        .join(", ")}]`;
    const lines = this.#pending.map(
      ({ condition, variables }) =>
        `  - ${pretty(printExpr(condition))}  (unbound: ${text(unbound(variables))})`,
    );
    const all = text(this.#pending.flatMap(({ variables }) => unbound(variables)));
    throw badSpec(
      `shapes_spec: ${lines.length} pending check(s) reference unbound IntVar(s) ${all}. Every IntVar used in a derived expression or assumption must also appear as a bare-IntVar slot somewhere in the spec. Offending checks:\n${lines.join("\n")}`,
      "give each variable by itself to a size or an integer argument",
    );
  }

  /** Returns what messages about a choice that the inputs decide say of the specification. */
  #note(expr: SymExpr): string {
    const lines = this.#pending.map(({ condition }) => `  - ${pretty(printExpr(condition))}`);
    const waiting =
      lines.length === 0
        ? ""
        : `\nThe following spec relation(s) were not materialized before this guard and may be the cause:\n${lines.join("\n")}`;
    if (this.#bound.size === 0 && lines.length === 0) return "";
    return `\n\nThe ShapesSpec/ParamsSpec dynamic-shapes API is in use. You can often resolve this by adding a relational assumption to your ShapesSpec, e.g. \`assumptions=[a == 2 * b]\`, so the relation is known at trace time.${waiting}${differentAnswers(expr, this.env, this.sources)}`;
  }
}

const pendingOf = (condition: SymExpr): Pending => ({
  condition,
  variables: [...freeSymbols(condition).keys()].filter((name) => name.includes("#")),
});
