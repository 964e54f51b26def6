/** @file Patterns of many commutative calls: what was found to fail is not tried again. */
import type { Node } from "@sconce/ir";
import { parseGraph } from "@sconce/ir/text";
import { describe, expect, test } from "vitest";
import { context } from "../programs.fixture.js";
import { DeadEnds } from "./agenda.js";
import { Matcher } from "./match.js";
import { type CallPattern, parsePattern } from "./pattern.js";
import { WorkGraph } from "./work-graph.js";

const { operators } = context;
const TYPE = "f32[2]";

/** `s1 = x + x`, `s2 = s1 + leaf`, ... */
function sums(count: number, leaf = (_: number) => "%x"): string {
  const lines = Array.from(
    { length: count },
    (_, i) => `  %s${i + 1}: ${TYPE} = aten.add.Tensor(%s${i}, ${leaf(i)})`,
  );
  return [
    `graph(%x: ${TYPE}, %y: ${TYPE}) {`,
    `  %s0: ${TYPE} = aten.add.Tensor(%x, %x)`,
    ...lines,
    `  return (%s${count})\n}`,
  ].join("\n");
}
/** `((($a + inner) + $b) + ...)`, of so many calls. */
const nested = (depth: number, inner: string, leaf: (i: number) => string): string =>
  Array.from({ length: depth }, (_, i) => leaf(i)).reduce(
    (text, one) => `aten.add.Tensor(${one}, ${text})`,
    inner,
  );

function match(text: string, pattern: string): readonly Node[] | undefined {
  const graph = parseGraph(text);
  const root = graph.nodes().at(-2)!;
  const matcher = new Matcher(new WorkGraph(graph), operators);
  return matcher.match(parsePattern(pattern) as CallPattern, root)?.nodes;
}

describe("a chain of sums", () => {
  test.each([10, 30, 60])("%i calls of one repeated capture, which the innermost refuses", (depth) => {
    expect(
      match(
        sums(depth),
        nested(depth, "aten.add.Tensor($x, 1)", () => "$x"),
      ),
    ).toBeUndefined();
  });

  test.each([10, 30, 60])("%i calls of two captures, one after the other", (depth) => {
    const graph = sums(depth, (i) => (i % 2 === 0 ? "%x" : "%y"));
    const leaf = (i: number): string => (i % 2 === 0 ? "$a" : "$b");
    expect(match(graph, nested(depth, "aten.add.Tensor($a, $a)", leaf))).toHaveLength(depth + 1);
    expect(match(graph, nested(depth, "aten.add.Tensor($b, $b)", leaf))).toBeUndefined();
  });

  test("both operands are the same chain: each pair of places is tried once", () => {
    const lines = Array.from(
      { length: 40 },
      (_, i) => `  %s${i + 1}: ${TYPE} = aten.add.Tensor(%s${i}, %s${i})`,
    );
    const graph = `graph(%s0: ${TYPE}) {\n${lines.join("\n")}\n  return (%s40)\n}`;
    const twice = (depth: number): string => {
      let text = "aten.relu.default($x)";
      for (let i = 0; i < depth; i++) text = `aten.add.Tensor(_, ${text})`;
      return text;
    };
    expect(match(graph, twice(40))).toBeUndefined();
  });
});

test("a pattern that takes too many steps is refused with the node", () => {
  const count = 40;
  const inputs = Array.from({ length: count }, (_, i) => `%x${i}: ${TYPE}`).join(", ");
  const lines = Array.from(
    { length: count },
    (_, i) => `  %s${i + 1}: ${TYPE} = aten.add.Tensor(%${i === 0 ? "x0" : `s${i}`}, %x${i})`,
  );
  // Pairs of sums whose operands may each change places, with captures that all have to agree.
  const pairs = Array.from({ length: count }, (_, i) => `%p${i}`);
  const more = pairs.map((name, i) => `  ${name}: ${TYPE} = aten.mul.Tensor(%x${i}, %x${(i + 1) % count})`);
  const graph = `graph(${inputs}) {\n${[...lines, ...more].join("\n")}\n  %all: ${TYPE} = aten.cat.default([${pairs.join(", ")}])\n  return (%all)\n}`;
  const items = pairs.map((_, i) => `aten.mul.Tensor($a${i}, $b${i})`);
  const again = pairs.map((_, i) => `aten.mul.Tensor($b${(i * 7) % count}, $a${(i * 11) % count})`);
  const pattern = `aten.cat.default([${[...items.slice(0, 20), ...again.slice(20, 39), "aten.mul.Tensor($a3, $a3)"].join(", ")}])`;
  expect(() => match(graph, pattern)).toThrow(
    expect.objectContaining({ code: "PATTERN_COST", where: 'node "all"' }),
  );
});

test("dead ends depend on the names that are left, and on nothing else", () => {
  const ends = new DeadEnds();
  const pattern = parsePattern("$x");
  const agenda = { goal: { kind: "one", pattern, value: 1 }, rest: undefined } as const;
  const bound = (entries: readonly [string, number][]) => ({ captures: new Map(entries), named: new Map() });
  ends.add(agenda, bound([["x", 2]]));
  const same = { goal: { kind: "one", pattern, value: 1 }, rest: undefined } as const;
  expect(
    ends.has(
      same,
      bound([
        ["x", 2],
        ["y", 3],
      ]),
    ),
  ).toBe(true);
  expect(ends.has(same, bound([["x", 3]]))).toBe(false);
});
