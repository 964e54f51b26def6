import type { ExportedProgram, InputSpec } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { programOf } from "../programs.fixture.js";
import { orderInputs } from "./input-order.js";

/** A program with these targets: `p` parameters, `b` buffers, `c` constants. */
function programWith(targets: readonly string[]): ExportedProgram {
  const names = targets.map((target) => target.replaceAll(".", "_"));
  const program = programOf(
    `graph(${[...names, "x"].map((name) => `%${name}: f32[2, 2]`).join(", ")}) {
    return (%x)
  }`,
    "TRAINING",
  );
  const inputSpecs = program.graphSignature.inputSpecs.map((spec, i): InputSpec => {
    const target = targets[i];
    return target === undefined ? spec : { ...spec, target: target.slice(2) };
  });
  return program.with({ graphSignature: { ...program.graphSignature, inputSpecs } });
}
const order = (program: ExportedProgram): string[] =>
  orderInputs(program).graphSignature.inputSpecs.flatMap(({ target }) => target ?? []);

describe("the order of lifted inputs", () => {
  test("keeps a program whose modules are in order", () => {
    const program = programWith(["p_a.w", "p_b.w", "b_a.m", "c_b.k"]);
    expect(orderInputs(program)).toBe(program);
  });

  test("puts a constant of a module before the buffers of its children", () => {
    const program = programWith(["p_m.a.w", "b_m.a.mean", "c_m.k"]);
    expect(order(program)).toEqual(["m.a.w", "m.k", "m.a.mean"]);
    expect(
      orderInputs(program)
        .graph.placeholders()
        .map(({ name }) => name),
    ).toEqual(["p_m_a_w", "c_m_k", "b_m_a_mean", "x"]);
  });

  test("puts a constant behind the buffers of its own module", () => {
    expect(order(programWith(["c_m.k", "b_m.mean"]))).toEqual(["m.mean", "m.k"]);
  });
});
