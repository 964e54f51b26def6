import { checkOptions, markObject, type OptionNames } from "@sconce/errors";
import type { FakeTensor, MetaValue } from "@sconce/ir";
import type { Emit, EmitArg } from "@sconce/ops";
import { COPY } from "../copy/this-copy.js";
import { badRule } from "./errors.js";
import { type Emission, NeedsTensors, type Trace, traceExpression } from "./expression-recorder.js";
import type { CallPattern, Pattern } from "./pattern.js";
import { checkRoots, type Rule, RuleFault } from "./rule.js";

/** An expression written over an emitter: the same shape as a decomposition. */
export type Expression = (emit: Emit, ...operands: FakeTensor[]) => FakeTensor | readonly FakeTensor[];

/** How the rule of `replacePattern` is named and when it fires. */
export interface ReplacePatternOptions {
  /** "replace-pattern" when left out. */
  readonly name?: string;
  /** What the rule does, in one sentence. */
  readonly doc?: string;
  /** Decides whether a match is replaced: true, or the reason why not. */
  readonly where?: Rule["where"];
}

const REPLACE: OptionNames<ReplacePatternOptions> = { name: true, doc: true, where: true };

/**
 * Returns a rule from a pair of functions, as `torch.fx.replace_pattern` takes them: wherever the
 * graph has the calls that `before` emits, it gets those of `after`. Parameters behind `emit` are
 * captures, one for each operand; literals must be equal. A value that `before` uses twice is one
 * node of the graph; results of calls with several are taken with `emit.many`, by index, or with
 * `operator.getitem`. A function with several results replaces all of them together.
 *
 * Both functions are run once here, on stand-ins for tensors. `before` may not ask them for dtypes
 * or sizes; an `after` that does is checked when the rule fires.
 *
 * @throws SconceError `RULE` when `before` emits nothing, or what no result needs, or ignores an
 * operand; when the two take
 *   or give different numbers of values; when one passes on `undefined`
 */
export function replacePattern(
  before: Expression,
  after: Expression,
  options: ReplacePatternOptions = {},
): Rule {
  checkOptions("replacePattern", options, REPLACE);
  const name = options.name ?? "replace-pattern";
  const label = `rule "${name}"`;
  if (before.length !== after.length)
    throw badRule(
      label,
      `has a pattern of ${before.length - 1} operands and a replacement of ${after.length - 1}`,
    );
  const count = Math.max(0, before.length - 1);
  const roots = patternsOf(label, traced(label, "pattern", before, count));
  checkRoots(label, roots);
  const emits = emittedBy(label, after, count, roots.size);
  const rule: Rule = {
    name,
    doc: options.doc ?? "Calls that one function emits become those of another.",
    roots,
    sharesInner: false,
    changesLayout: false,
    changesNumbers: undefined,
    where: options.where,
    emits,
    replace: (emit, captures) => {
      const operands = Array.from({ length: count }, (_, i) => captures[operandName(i)] as FakeTensor);
      const result = after(indexable(emit), ...operands);
      const values = (Array.isArray(result) ? result : [result]) as readonly MetaValue[];
      if (values.length !== roots.size)
        throw new RuleFault(`replaces ${roots.size} results by ${values.length}`);
      return roots.size === 1
        ? values[0]!
        : Object.fromEntries(values.map((value, i) => [resultName(i), value]));
    },
  };
  return Object.freeze(markObject(rule, label, COPY));
}

const operandName = (index: number): string => `operand${index}`;
const resultName = (index: number): string => `result${index}`;

/** Returns an emitter whose calls with several results can be indexed, as in `before`. */
const indexable = (emit: Emit): Emit =>
  Object.assign(
    (target: string, args: readonly EmitArg[], kwargs?: Readonly<Record<string, EmitArg>>) =>
      emit.value(target, args, kwargs) as FakeTensor,
    { many: emit.many, value: emit.value, env: emit.env },
  );

function traced(label: string, part: string, expression: Expression, operands: number): Trace {
  try {
    return traceExpression(expression, operands, (what) => badRule(label, `has a ${part} that ${what}`));
  } catch (error) {
    if (error instanceof NeedsTensors && part === "pattern")
      throw badRule(label, `has a ${part} that ${error.message}`);
    throw error;
  }
}

/**
 * Returns what can be known of a replacement before there is anything to replace: the operators
 * that it calls. Undefined when it asks for dtypes or sizes.
 */
function emittedBy(
  label: string,
  after: Expression,
  operands: number,
  results: number,
): readonly string[] | undefined {
  try {
    const trace = traced(label, "replacement", after, operands);
    if (trace.results.length !== results)
      throw badRule(label, `replaces ${results} results by ${trace.results.length}`);
    return trace.emissions.flatMap((emission) => (emission.kind === "call" ? [emission.target] : []));
  } catch (error) {
    if (!(error instanceof NeedsTensors)) throw error;
    return undefined;
  }
}

/** Returns the results as patterns, in the order in which they were emitted. */
function patternsOf(label: string, trace: Trace): ReadonlyMap<string, CallPattern> {
  const { results, emissions } = trace;
  if (new Set(results).size < results.length)
    throw badRule(label, "gives the same value twice in its pattern");
  const uses = usesIn(trace);
  for (const emission of emissions) {
    if (uses.has(emission)) continue;
    if (emission.kind === "operand")
      throw badRule(label, `has a pattern that ignores its operand ${emission.index + 1}`);
    throw badRule(label, `has a pattern that emits ${emission.target} for nothing`);
  }
  const order = [...uses.keys()].filter((emission) => results.includes(emission));
  const patterns = new Patterns(trace, uses);
  return new Map(
    order.map((emission) => {
      if (emission.kind === "operand")
        throw badRule(label, "gives one of its operands back: there is nothing to match");
      const name = results.length === 1 ? "root" : resultName(results.indexOf(emission));
      return [name, patterns.root(emission)] as const;
    }),
  );
}

/**
 * Returns how often each emission that the results need is used, operands of calls before the
 * calls.
 */
function usesIn(trace: Trace): ReadonlyMap<Emission, number> {
  const counts = new Map<Emission, number>();
  const order = new Set<Emission>();
  const use = (emission: Emission): void => {
    counts.set(emission, (counts.get(emission) ?? 0) + 1);
    if (counts.get(emission) === 1 && emission.kind === "call") {
      emission.args.forEach(visit);
      Object.values(emission.kwargs).forEach(visit);
    }
    order.add(emission);
  };
  const visit = (value: EmitArg): void => {
    const emission = trace.emissionOf(value);
    if (emission !== undefined) use(emission);
    else if (Array.isArray(value)) (value as readonly EmitArg[]).forEach(visit);
  };
  trace.results.forEach(use);
  return new Map([...order].map((emission) => [emission, counts.get(emission)!]));
}

/** Patterns of emissions; one that is used again is identified by its first name. */
class Patterns {
  readonly #trace: Trace;
  readonly #uses: ReadonlyMap<Emission, number>;
  readonly #names = new Map<Emission, string>();

  constructor(trace: Trace, uses: ReadonlyMap<Emission, number>) {
    this.#trace = trace;
    this.#uses = uses;
  }

  root(emission: Extract<Emission, { readonly kind: "call" }>): CallPattern {
    const { target, args, kwargs } = emission;
    let name = this.#names.get(emission);
    if (name === undefined && this.#uses.get(emission)! > 1) {
      name = `value${this.#names.size}`;
      this.#names.set(emission, name);
    }
    return {
      kind: "call",
      targets: [target],
      args: args.map((value) => this.#pattern(value)),
      kwargs: new Map(Object.entries(kwargs).map(([key, value]) => [key, this.#pattern(value)])),
      open: false,
      name,
    };
  }

  #pattern(value: EmitArg): Pattern {
    const emission = this.#trace.emissionOf(value);
    if (emission?.kind === "operand") return { kind: "any", name: operandName(emission.index) };
    if (emission !== undefined) {
      const name = this.#names.get(emission);
      return name === undefined ? this.root(emission) : { kind: "any", name };
    }
    if (Array.isArray(value))
      return {
        kind: "list",
        items: (value as readonly EmitArg[]).map((item) => this.#pattern(item)),
      };
    return { kind: "literal", value: (value ?? null) as never };
  }
}
