/**
 * @file Wrong entries of decomposition tables are named, with their plugin and the call that they
 * replace.
 */
import type { ExportedProgram } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { checkPasses } from "../bisect/check-passes.js";
import { decompose } from "../builtin/decompose.js";
import { runDecompositions } from "../decompose/run-decompositions.js";
import type { Pass, PassContext } from "../pass/pass.js";
import { context, programOf } from "../programs.fixture.js";
import type { Decomposition } from "../tables/decomposition.js";
import { ownedEntry } from "../tables/entry-owners.js";
import { type DecompositionTable, defaultDecompositions } from "../tables/table.js";
import { owned, pass } from "./planted.fixture.js";

/** `self + tensor1 * tensor2`: forgets `value`. */
const forgets: Decomposition = (emit, args) =>
  emit("aten.add.Tensor", [args["self"]!, emit("aten.mul.Tensor", [args["tensor1"]!, args["tensor2"]!])]);
/** A right one. */
const relu: Decomposition = (emit, { self }) => emit("aten.clamp_min.default", [self!, 0]);

function tableWith(plugin?: string): DecompositionTable {
  const own = (entry: Decomposition): Decomposition =>
    plugin === undefined ? entry : ownedEntry((emit, args) => entry(emit, args), plugin);
  return defaultDecompositions(context.operators).update(
    new Map([
      ["aten.addcmul.default", own(forgets)],
      ["aten.relu.default", own(relu)],
    ]),
  );
}

const session = (plugin?: string): PassContext => ({ ...context, decompositions: () => tableWith(plugin) });

const PLAIN = programOf(`graph(%x: f32[4]) {
  %a: f32[4] = aten.relu.default(%x)
  %b: f32[4] = aten.addcmul.default(%a, %x, %x, value=2)
  %c: f32[4] = aten.relu.default(%b)
  %d: f32[4] = aten.sin.default(%c)
  return (%d)
}`);

const BRANCH = programOf(`graph(%p: b8[], %x: f32[3]) {
  %yes = get_attr yes
  %no = get_attr no
  %cond: (f32[3]) = higher_order.cond(%p, %yes, %no, (%x))
  %getitem: f32[3] = operator.getitem(%cond, 0)
  return (%getitem)
  graph yes(%a: f32[3]) {
    %v: f32[3] = aten.relu.default(%a)
    return (%v)
  }
  graph no(%a: f32[3]) {
    %w: f32[3] = aten.relu.default(%a)
    %v: f32[3] = aten.addcmul.default(%w, %a, %a, value=2)
    return (%v)
  }
}`);

const culpritOf = (program: ExportedProgram, one: Pass, around: PassContext) =>
  bisect(program, [one], around, { maxTries: 30 }).culprit;

describe("a wrong entry of a table", () => {
  test("of a plugin: entry, plugin and call are named", () => {
    expect(() => checkPasses(PLAIN, [decompose], session("mine"))).toThrow(
      /pass "decompose" \(step 1\) changed numbers by the decomposition of aten\.addcmul\.default of plugin "mine" for %b/,
    );
    const culprit = culpritOf(PLAIN, decompose, session("mine"));
    expect([culprit?.pass, culprit?.kind]).toEqual(["decompose", "numbers"]);
    expect(culprit?.rewrite).toMatchObject({
      rule: "aten.addcmul.default",
      plugin: "mine",
      node: "b",
      graph: "",
      number: 2,
      total: 3,
    });
  });

  test("in a branch, taken or not", () => {
    for (const seed of [0, 1, 2]) {
      const { culprit } = bisect(BRANCH, [decompose], session("mine"), { maxTries: 30, seed });
      expect(culprit?.rewrite).toMatchObject({
        rule: "aten.addcmul.default",
        plugin: "mine",
        node: "v",
        graph: "false_graph_0",
      });
    }
  });

  test("of a table that the session changed", () => {
    expect(culpritOf(PLAIN, decompose, session())?.rewrite).toMatchObject({
      rule: "aten.addcmul.default",
      plugin: undefined,
      node: "b",
    });
  });

  test("of a table that a pass gives to runDecompositions: the plugin is the pass's", () => {
    const lower = pass("lower", (program) => runDecompositions(program, tableWith()));
    const culprit = culpritOf(PLAIN, lower, owned);
    expect([culprit?.pass, culprit?.plugin]).toEqual(["lower", "mine"]);
    expect(culprit?.rewrite).toMatchObject({ rule: "aten.addcmul.default", plugin: "mine", node: "b" });
  });

  test("that another entry calls", () => {
    const outer: Decomposition = (emit, { self }) =>
      emit("aten.addcmul.default", [self!, self!, self!], { value: 3 });
    const table = (): DecompositionTable =>
      tableWith("mine").update(new Map([["aten.mish.default", ownedEntry(outer, "other")]]));
    const program = programOf(`graph(%x: f32[4]) {
  %m: f32[4] = aten.mish.default(%x)
  %s: f32[4] = aten.sin.default(%m)
  return (%s)
}`);
    const culprit = culpritOf(program, decompose, { ...context, decompositions: table });
    expect(culprit?.rewrite).toMatchObject({ rule: "aten.addcmul.default", plugin: "mine", node: "m" });
  });

  test("right entries and Sconce's own raise nothing", () => {
    const program = programOf(`graph(%x: f32[4]) {
  %a: f32[4] = aten.relu.default(%x)
  %b: f32[4] = aten.addcmul.default(%a, %x, %x)
  return (%b)
}`);
    expect(culpritOf(program, decompose, session("mine"))).toBeUndefined();
  });
});
