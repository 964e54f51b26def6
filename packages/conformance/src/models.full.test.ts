/**
 * @file The usual models as loops: everything is lowered, fused as far as it should be, and
 * computes the same numbers.
 */
import { evaluateLoops, LOOP_PIPELINE, lowerProgram, planMemory } from "@sconce/codegen";
import type { Node } from "@sconce/ir";
import { createSconce, type Sconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import { describe, expect, test } from "vitest";
import { type Model, model } from "./models.js";

const sconce = createSconce();

/** The model as loops, without any call left to an interpreter. */
function loopsOf({ program }: Model, { operators }: Sconce) {
  const prepared = sconce.transform(program, LOOP_PIPELINE);
  const { regions, left, program: outer } = lowerProgram(prepared, { operators });
  expect(left).toEqual([]);
  expect(regions).toHaveLength(1);
  const calls = prepared.graph.nodes().filter(({ op }) => op === "call_function").length;
  const region = outer.graph.nodes().find(({ target }) => target.endsWith("invoke_subgraph"))!;
  return { loops: regions[0]!.loops, calls, prepared, operands: region.args.slice(2) as { name: string }[] };
}

describe.each(["bert4-small", "gpt2-small", "resnet18-small"] as const)("%s", (name) => {
  const one = model(name);
  const { loops, calls, prepared, operands } = loopsOf(one, sconce);

  test("has few kernels: one for a convolution, a third of the calls for a transformer", () => {
    const convolutions = prepared.graph.nodes().filter(isConvolution).length;
    if (convolutions === 0) expect(loops.nests.length).toBeLessThanOrEqual(calls / 3);
    // Besides: the pooling, the mean, the last layer.
    else expect(loops.nests.length).toBe(convolutions + 3);
    const withConvolution = loops.nests.filter(({ nodes }) =>
      nodes.some((node) => isConvolution(prepared.graph.node(node))),
    );
    expect(withConvolution).toHaveLength(convolutions);
  });

  test.each([
    ["arena", 1.05],
    ["slots", 1.3],
  ] as const)("is planned to need little more memory than is alive at once: %s", (layout, factor) => {
    const { peakBytes, liveBytes } = planMemory(loops, { layout });
    expect(peakBytes).toBeLessThanOrEqual(factor * liveBytes);
  });

  test("gives the interpreter's numbers", async () => {
    const wanted = (await (await sconce.compile(one.program)).run(one.inputs)) as Tensor[];
    const state = new Map([...prepared.stateDict, ...prepared.constants]);
    const specs = prepared.graphSignature.inputSpecs;
    const users = specs.filter(({ kind }) => kind === "USER_INPUT");
    const given = operands.map(({ name: input }) => {
      const at = users.findIndex(({ arg }) => arg.name === input);
      return at >= 0 ? one.inputs[at] : state.get(specs.find(({ arg }) => arg.name === input)!.target!);
    });
    const got = evaluateLoops(loops, given).filter((value): value is Tensor => value instanceof Tensor);
    wanted.forEach((tensor, i) => {
      expect(compareTensors(got[i]!, tensor, { rtol: 1e-4, atol: 1e-4, values: true })).toBeUndefined();
    });
  });
});

const isConvolution = ({ target }: Node): boolean => target === "aten.convolution.default";
