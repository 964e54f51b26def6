/** @file Passes and rules that are right: a checked run raises no alarm. */
import type { ExportedProgram } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { canonicalize } from "../builtin/canonicalize.js";
import { commonSubexpressionElimination } from "../builtin/cse.js";
import { deadCodeElimination } from "../builtin/dce.js";
import { foldConstants } from "../builtin/fold-constants.js";
import { repeat } from "../pass/pass.js";
import { programOf } from "../programs.fixture.js";
import type { Rule } from "../rewrite/rule.js";
import {
  around,
  BRANCHES,
  doubleNegation,
  edited,
  INTS,
  idle,
  owned,
  type Planted,
  pass,
  RELU,
  rule,
  rules,
  there,
  WEIGHTS,
  WRITES,
} from "./planted.fixture.js";

/** A program of one call of a sine. */
const plain = (call: string): ExportedProgram =>
  programOf(`graph(%x: f32[6]) {
  %sin: f32[6] = aten.sin.default(%x)
  %v: f32[6] = ${call.replaceAll("$", "%sin")}
  %after: f32[6] = aten.exp.default(%v)
  return (%after)
}`);

const rightRule = (
  name: string,
  program: ExportedProgram,
  match: string,
  replace: string | Rule["replace"],
  more: object = {},
): Planted => ({
  name,
  program,
  passes: [rules("good", doubleNegation, rule("right", match, replace, more))],
});

const rightChanges: readonly Planted[] = [
  rightRule("relu as a clamp", RELU, "aten.relu.default($x)", "aten.clamp_min.default($x, 0)"),
  rightRule(
    "a sum of a value with itself",
    around("aten.add.Tensor($, $)"),
    "aten.add.Tensor($x, $x)",
    "aten.mul.Tensor($x, 2)",
  ),
  {
    name: "a difference as a sum",
    program: plain("aten.sub.Tensor($, $)"),
    passes: [
      rules("good", rule("right", "aten.sub.Tensor($x, $y)", "aten.add.Tensor($x, aten.neg.default($y))")),
    ],
  },
  rightRule(
    "a sine as a shifted cosine, within a declared tolerance",
    around("aten.sin.default($)"),
    "aten.sin.default($x)",
    "aten.cos.default(aten.sub.Tensor($x, 1.5707963267948966))",
    { changesNumbers: { rtol: 1, atol: 1 } },
  ),
  rightRule(
    "silu as a product",
    around("aten.silu.default($)"),
    "aten.silu.default($x)",
    "aten.mul.Tensor($x, aten.sigmoid.default($x))",
    { changesNumbers: { valueClasses: ["infinity"] } },
  ),
  rightRule(
    "remainder by a power of two stays",
    around("aten.remainder.Scalar($, 4)", INTS),
    "aten.remainder.Scalar($x, 4)",
    "aten.bitwise_and.Scalar($x, 3)",
  ),
  rightRule(
    "a square",
    around("aten.pow.Tensor_Scalar($, 2)"),
    "aten.pow.Tensor_Scalar($x, 2)",
    "aten.mul.Tensor($x, $x)",
  ),
  rightRule(
    "clamp in two steps",
    around("aten.clamp.default($, 0, 6)"),
    "aten.clamp.default($x, $a, $b)",
    "aten.clamp_max.default(aten.clamp_min.default($x, $a), $b)",
  ),
  rightRule(
    "maximum of both",
    around("aten.maximum.default($, $)"),
    "aten.maximum.default($x, $x)",
    "aten.mul.Tensor($x, 1)",
  ),
  rightRule("a branch", BRANCHES, "aten.relu.default($x)", "aten.clamp_min.default($x, 0)"),
  {
    name: "an in-place call on a fresh value",
    program: WRITES,
    passes: [edited("good", (e) => e.replaceNode("cos", { kwargs: {} }))],
  },
  { name: "a pass that finds nothing", program: RELU, passes: [idle] },
  {
    name: "a pass that changes nothing of the calls",
    program: RELU,
    passes: [edited("good", (e) => e.replaceNode("v", { kwargs: {} }))],
  },
  {
    name: "a new node in place of another, without metadata",
    program: RELU,
    passes: [
      edited("good", (e) => {
        const { op, args, meta } = e.graph.node("v");
        const val = meta.val!;
        const one = e.insertBefore("v", { op, target: "aten.neg.default", args, meta: { val } });
        const two = e.insertBefore("v", { op, target: "aten.neg.default", args: [one], meta: { val } });
        e.replaceAllUses(
          "v",
          e.insertBefore("v", { op, target: "aten.relu.default", args: [two], meta: { val } }),
        );
        e.remove("v");
      }),
    ],
  },
  {
    name: "a repetition that converges",
    program: RELU,
    passes: [repeat([rules("good", doubleNegation), rules("more", there)])],
  },
  {
    name: "built-in clean-up",
    program: plain("aten.mul.Tensor($, 1)"),
    passes: [canonicalize, commonSubexpressionElimination, deadCodeElimination],
  },
  {
    name: "built-in clean-up of branches",
    program: BRANCHES,
    passes: [repeat([canonicalize, deadCodeElimination])],
  },
  { name: "folded weights", program: WEIGHTS, passes: [foldConstants] },
  // The maximum of -0 and 0 is the first.
  rightRule(
    "abs as a maximum",
    plain("aten.abs.default($)"),
    "aten.abs.default($x)",
    "aten.add.Tensor(aten.maximum.default($x, aten.neg.default($x)), 0)",
  ),
  rightRule(
    "a minimum from a maximum",
    around("aten.minimum.default($, $)"),
    "aten.minimum.default($x, $x)",
    "aten.mul.Tensor($x, 1)",
  ),
  rightRule(
    "an integer shift as a product",
    around("aten.__lshift__.Scalar($, 1)", INTS),
    "aten.__lshift__.Scalar($x, 1)",
    "aten.mul.Tensor($x, 2)",
  ),
  rightRule("a clamp with one bound", RELU, "aten.relu.default($x)", "aten.clamp.default($x, 0)"),
  rightRule(
    "a refused rewrite leaves the program alone",
    RELU,
    "aten.relu.default($x)",
    "aten._to_copy.default($x, dtype=float64)",
  ),
  rightRule("a rule that says no", RELU, "aten.relu.default($x)", () => "not here"),
  {
    name: "a copy of a weight",
    program: WEIGHTS,
    passes: [pass("good", (p) => p.with({ stateDict: new Map(p.stateDict) }))],
  },
];

describe("what is right raises no alarm", () => {
  test.each(rightChanges)("$name", ({ program, passes }) => {
    const { culprit } = bisect(program, passes, owned);
    expect(culprit?.error.message).toBeUndefined();
  });
});
