import { parseGraph } from "@sconce/ir/text";
import { describe, expect, test } from "vitest";
import { withReadParts } from "./read-parts.js";

const SIZES = Array.from({ length: 20 }, (_, at) => at % 3);
const TOTAL = SIZES.reduce((sum, size) => sum + size, 0);

/** The type of part `at` along the last dimension. */
const partOf = (at: number): string => `f32[2, ${SIZES[at]}]{${TOTAL}, 1}`;

interface Reads {
  readonly call?: string;
  readonly parts: readonly number[];
  readonly returned?: string;
  readonly types?: string;
}

function graphOf({
  call = `aten.split_with_sizes.default(%x, [${SIZES.join(", ")}], -1)`,
  parts,
  returned = "",
  types = SIZES.map((_, at) => partOf(at)).join(", "),
}: Reads) {
  return parseGraph(
    [
      `graph(%x: f32[2, ${TOTAL}]) {`,
      `  %split: (${types}) = ${call}`,
      ...parts.map((at, i) => `  %part_${i}: ${partOf(at)} = operator.getitem(%split, ${at})`),
      `  return (${[...parts.map((_, i) => `%part_${i}`), returned].filter(Boolean).join(", ")})`,
      "}",
    ].join("\n"),
  );
}

describe("parts that nothing reads", () => {
  test("slices take the place of those that are read, under their names", () => {
    const graph = graphOf({ parts: [5, 19, 0] });
    const calls = withReadParts(graph)
      .nodes()
      .filter(({ op }) => op === "call_function");
    expect(calls.map(({ name, target, args }) => [name, target, ...args.slice(1)])).toEqual([
      ["part_0", "aten.slice.Tensor", 1, 4, 6],
      ["part_1", "aten.slice.Tensor", 1, 18, 19],
      ["part_2", "aten.slice.Tensor", 1, 0, 0],
    ]);
    expect(calls[0]!.meta).toBe(graph.node("part_0").meta);
  });

  test.each<[string, Reads]>([
    ["many parts are read", { parts: [0, 1, 2, 3, 4, 5] }],
    ["all parts are returned", { parts: [1], returned: "%split" }],
    ["the call is another one", { parts: [1], call: "aten.unsafe_split.Tensor(%x, 1, -1)" }],
    ["few parts exist", { parts: [1], types: [0, 1, 2].map(partOf).join(", ") }],
    ["the parts are not all of the tensor", { parts: [1], types: SIZES.map(() => partOf(1)).join(", ") }],
  ])("the graph stays where %s", (_, reads) => {
    const graph = graphOf(reads);
    expect(withReadParts(graph)).toBe(graph);
  });
});
