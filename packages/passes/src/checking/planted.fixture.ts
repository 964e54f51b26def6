/** @file What tests of planted passes and rules share. Not exported. */
import { type ExportedProgram, edit } from "@sconce/ir";
import type { FailureKind } from "../bisect/trial.js";
import { rulePass } from "../builtin/rule-pass.js";
import { definePass, type Pass, type PassContext, type PipelineItem } from "../pass/pass.js";
import { context, programOf } from "../programs.fixture.js";
import { defineRule, type Match, type Rule } from "../rewrite/rule.js";
import type { NumberChange } from "../sampling/number-change.js";

/** Everything is of the plugin "mine". */
export const owned: PassContext = { ...context, ownerOf: () => "mine" };

export interface Planted {
  readonly name: string;
  readonly program: ExportedProgram;
  readonly passes: readonly (Pass | PipelineItem)[];
}

/** What `bisect` has to find. */
export interface PlantedBug extends Planted {
  readonly kind: FailureKind;
  /** Name of the pass at fault; "bad" when left out. */
  readonly pass?: string;
  readonly rule?: string;
  readonly graph?: string;
}

export const rule = (
  name: string,
  match: string,
  replace: string | Rule["replace"],
  more: object = {},
): Rule => defineRule({ name, doc: "-", match, replace: replace as string, ...more });
export const rules = (name: string, ...all: readonly Rule[]): Pass =>
  rulePass({ name, doc: "-", rules: all });
export const pass = (name: string, run: Pass["run"], more: object = {}): Pass =>
  definePass({ name, doc: "-", run, ...more });
export const edited = (name: string, change: (e: Parameters<Parameters<typeof edit>[1]>[0]) => void): Pass =>
  pass(name, (p) => p.with({ graph: edit(p.graph, change) }));

export const doubleNegation = rule("double-negation", "aten.neg.default(aten.neg.default($x))", "$x");
export const idle = pass("idle", (p) => p);
/**
 * Returns a program of one call with a negation on either side, so that neither input nor output is
 * the call's own.
 */
export const around = (call: string, type = "f32[6]"): ExportedProgram =>
  programOf(`graph(%x: ${type}) {
  %before: ${type} = aten.neg.default(%x)
  %twice: ${type} = aten.neg.default(%before)
  %v: ${type} = ${call.replaceAll("$", "%twice")}
  %after: ${type} = aten.neg.default(%v)
  return (%after)
}`);
export const BRANCHES = programOf(`graph(%p: b8[], %x: f32[3]) {
  %yes = get_attr yes
  %no = get_attr no
  %cond: (f32[3]) = higher_order.cond(%p, %yes, %no, (%x))
  %getitem: f32[3] = operator.getitem(%cond, 0)
  return (%getitem)
  graph yes(%a: f32[3]) {
    %relu: f32[3] = aten.relu.default(%a)
    %sin: f32[3] = aten.sin.default(%relu)
    return (%sin)
  }
  graph no(%a: f32[3]) {
    %tanh: f32[3] = aten.tanh.default(%a)
    return (%tanh)
  }
}`);
export const WRITES = programOf(
  `graph(%b_n: f32[2, 2], %x: f32[2, 2]) {
  %sin: f32[2, 2] = aten.sin.default(%x)
  %add_: f32[2, 2] = aten.add_.Tensor(%b_n, %sin)
  %cos: f32[2, 2] = aten.cos.default(%x)
  return (%cos)
}`,
  "TRAINING",
);
export const WRITES_INPUT = programOf(
  `graph(%x: f32[4]) {
  %mul_: f32[4] = aten.mul_.Tensor(%x, 2)
  %sin: f32[4] = aten.sin.default(%x)
  return (%sin)
}`,
  "TRAINING",
);
export const WEIGHTS = programOf(`graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
  %mul: f32[2, 2] = aten.mul.Tensor(%x, %p_w)
  %relu: f32[2, 2] = aten.relu.default(%mul)
  return (%relu)
}`);
export const RELU = around("aten.relu.default($)");
export const there = rule("there", "aten.relu.default($x)", "aten.clamp_min.default($x, 0)");
export const back = rule("back", "aten.clamp_min.default($x, 0)", "aten.relu.default($x)");
export const INTS = "i64[6]";

/** A program with a rule, as rows of the tables have it. */
export interface RuleRow {
  readonly name: string;
  /** Inputs, `x: f32[4]`. */
  readonly inputs: string;
  /** Calls, of which the rule is applied to the one that gives `%y`, the result. */
  readonly calls: string;
  readonly match: string;
  readonly replace: string;
  readonly changesNumbers?: NumberChange;
}

export const programOfRow = ({ inputs, calls }: RuleRow): ExportedProgram => {
  const params = inputs.split("; ").map((input) => `%${input}`);
  return programOf(`graph(${params.join(", ")}) {
  ${calls.split("; ").join("\n  ")}
  return (%y)
}`);
};

/** Returns the rule of a row, for `%y` alone: what it makes is not rewritten again. */
export const ruleOfRow = (name: string, { match, replace, changesNumbers }: RuleRow): Rule =>
  rule(name, match, replace, {
    where: (_: unknown, { root }: Match) => root.name === "y" || "another call",
    ...(changesNumbers !== undefined && { changesNumbers }),
  });
