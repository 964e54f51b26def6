import { type Argument, FakeTensor, type Graph, isRef, itemsOf, mapRefs, type Value } from "@sconce/ir";
import { STATIC_ENV } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { context } from "../../programs.fixture.js";
import { rewriteGraph } from "../../rewrite/driver.js";
import type { Rule } from "../../rewrite/rule.js";
import { approximateRules } from "./approximate.js";
import { sameBits } from "./edge-values.js";
import { identityRules } from "./identities.js";
import { callsOf, type RuleCalls } from "./rule-calls.js";
import { viewRules } from "./views.js";

const { operators, evaluate } = context;

/** The results of a graph; undefined where a kernel refuses its operands. */
function results(graph: Graph, inputs: RuleCalls["inputs"]): (Value | undefined)[] {
  const values = new Map<string, Value | undefined>(inputs);
  const resolve = (argument: Argument): Argument =>
    mapRefs(argument, ({ name }) => {
      const value = values.get(name);
      if (value === undefined) throw new Error(`%${name} was refused`);
      return value as Argument;
    });
  for (const { op, name, target, args, kwargs } of graph.nodes()) {
    if (op !== "call_function") continue;
    try {
      const given = Object.fromEntries(Object.entries(kwargs).map(([key, value]) => [key, resolve(value)]));
      values.set(name, evaluate!(target, args.map(resolve), given) as Value);
    } catch {
      values.set(name, undefined);
    }
  }
  return itemsOf(graph.outputArgument())!.map((output) => values.get(isRef(output) ? output.name : ""));
}

/** What a rule makes of all calls that its pattern describes. */
function outcome(rule: Rule): { fired: number; differences: string[]; retyped: string[] } {
  const { graph, inputs } = callsOf(rule.roots.values().next().value!, operators);
  let fired = 0;
  const rewritten = rewriteGraph(graph, [rule], {
    operators,
    env: STATIC_ENV,
    pass: "test",
    fired: () => fired++,
  }).graph;
  const [before, after] = [results(graph, inputs), results(rewritten, inputs)];
  const [outputs, differences, retyped] = [itemsOf(graph.outputArgument())!, [] as string[], [] as string[]];
  before.forEach((value, i) => {
    if (!(value instanceof Tensor)) return;
    const other = after[i];
    const what = described(graph, outputs[i]!);
    if (!(other instanceof Tensor) || !sameBits(value, other)) differences.push(what);
    if (!(other instanceof Tensor) || typeOf(value) !== typeOf(other)) retyped.push(what);
  });
  return { fired, differences, retyped };
}

const typeOf = ({ dtype, shape, strides }: Tensor): string => `${dtype}[${shape}]{${strides}}`;

/** The call behind a copy, with the dtypes of its operands. */
function described(graph: Graph, output: Argument): string {
  const text = (value: Argument): string => {
    if (!isRef(value)) return JSON.stringify(value);
    const { op, target, args, meta } = graph.node(value.name);
    if (op !== "placeholder") return `${target}(${args.map(text).join(", ")})`;
    return meta.val instanceof FakeTensor ? `${meta.val.dtype}[${meta.val.shape.join()}]` : value.name;
  };
  return text(output);
}

describe("of every dtype, pair of dtypes and edge value, the results keep each bit", () => {
  test.each([...identityRules, ...viewRules].map((rule) => [rule.name, rule] as const))("%s", (_, rule) => {
    const { fired, differences, retyped } = outcome(rule);
    expect(differences).toEqual([]);
    expect(retyped).toEqual([]);
    expect(fired).toBeGreaterThan(0);
  });
});

describe("approximate rules keep dtype, sizes and strides", () => {
  test.each(approximateRules.map((rule) => [rule.name, rule] as const))("%s", (_, rule) => {
    const { fired, retyped } = outcome(rule);
    expect(retyped).toEqual([]);
    expect(fired).toBeGreaterThan(0);
  });
});
