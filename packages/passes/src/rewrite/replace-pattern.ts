import { SconceError } from "@sconce/errors";
import { FakeTensor, type MetaValue } from "@sconce/ir";
import { type Emit, type EmitArg, emitFrom } from "@sconce/ops";
import { STATIC_ENV } from "@sconce/symbolic";
import type { CallPattern, Pattern } from "./pattern.js";
import { badRule, checkRoots, type Rule, RuleFault } from "./rule.js";

/** An expression written over an emitter: the same shape as a decomposition. */
export type Expression = (emit: Emit, ...operands: FakeTensor[]) => FakeTensor | readonly FakeTensor[];

export interface ReplacePatternOptions {
  /** "replace-pattern" when left out. */
  readonly name?: string;
  readonly doc?: string;
  readonly where?: Rule["where"];
}

/**
 * A rule from a pair of functions, as `torch.fx.replace_pattern` takes them: wherever the graph has the calls that
 * `before` emits, it gets those of `after`. Parameters behind `emit` are captures, one for each operand; literals must be
 * equal. A function with several results replaces all of them together.
 *
 * @throws SconceError `RULE` when `before` emits nothing, or the two take or give different numbers of values
 */
export function replacePattern(
  before: Expression,
  after: Expression,
  options: ReplacePatternOptions = {},
): Rule {
  const name = options.name ?? "replace-pattern";
  const label = `rule "${name}"`;
  if (before.length !== after.length)
    throw badRule(
      label,
      `has a pattern of ${before.length - 1} operands and a replacement of ${after.length - 1}`,
    );
  const operands = Array.from({ length: Math.max(0, before.length - 1) }, (_, i) => `operand${i}`);
  const roots = patternOf(label, before, operands);
  checkRoots(label, roots);
  const rule: Rule = {
    name,
    doc: options.doc ?? "Calls that one function emits become those of another.",
    roots,
    sharesInner: false,
    changesLayout: false,
    where: options.where,
    replace: (emit, captures) => {
      const result = after(emit, ...operands.map((operand) => captures[operand] as FakeTensor));
      const values: readonly MetaValue[] = Array.isArray(result)
        ? (result as readonly FakeTensor[])
        : [result as FakeTensor];
      if (values.length !== roots.size)
        throw new RuleFault(`replaces ${roots.size} results by ${values.length}`);
      return roots.size === 1
        ? values[0]!
        : Object.fromEntries([...roots.keys()].map((key, i) => [key, values[i]!]));
    },
  };
  return Object.freeze(rule);
}

/** Runs the function with holes for tensors, and reads the calls off its results. */
function patternOf(
  label: string,
  expression: Expression,
  operands: readonly string[],
): ReadonlyMap<string, CallPattern> {
  const patterns = new Map<FakeTensor, Pattern>();
  const hole = (pattern: Pattern): FakeTensor => {
    const tensor = new FakeTensor({ dtype: "float32", shape: [], strides: [] });
    patterns.set(tensor, pattern);
    return tensor;
  };
  const call = (
    target: string,
    args: readonly EmitArg[],
    kwargs: Readonly<Record<string, EmitArg>>,
  ): CallPattern => ({
    kind: "call",
    targets: [target],
    args: args.map(patternFor),
    kwargs: new Map(Object.entries(kwargs).map(([key, value]) => [key, patternFor(value)])),
    rest: undefined,
    name: undefined,
  });
  const patternFor = (value: EmitArg): Pattern => {
    if (value instanceof FakeTensor) {
      const pattern = patterns.get(value);
      if (pattern === undefined) throw badRule(label, "uses a tensor that is neither an operand nor emitted");
      return pattern;
    }
    if (Array.isArray(value))
      return { kind: "list", items: (value as readonly EmitArg[]).map(patternFor), rest: undefined };
    return { kind: "literal", value: (value ?? null) as never };
  };
  const emit = emitFrom(STATIC_ENV, (target, args, kwargs): MetaValue => hole(call(target, args, kwargs)));
  const several: Emit["many"] = () => {
    throw new SconceError({
      code: "RULE",
      message: `${label} emits a call with several results in its pattern`,
      fix: "write the pattern as text: operator.getitem(aten.split.Tensor($x, 2), 0)",
    });
  };
  const result = expression(
    Object.assign(emit, { many: several }),
    ...operands.map((name) => hole({ kind: "any", name })),
  );
  const results = Array.isArray(result) ? (result as readonly FakeTensor[]) : [result as FakeTensor];
  return new Map(
    results.map((tensor, i) => {
      const pattern = patterns.get(tensor);
      if (pattern?.kind !== "call")
        throw badRule(label, "gives one of its operands back: there is nothing to match");
      return [results.length === 1 ? "root" : `result${i}`, pattern] as const;
    }),
  );
}
