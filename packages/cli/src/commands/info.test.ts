import { describe, expect, test } from "vitest";
import { fixture, PLUGIN, sconce } from "../command.fixture.js";

describe("sconce info", () => {
  test("shows sizes, signature with types, ranges and operators", async () => {
    const { code, out, err } = await sconce("info", fixture("net_mlp"));
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("exported program (.pt2), torch 2.14.1");
    expect(out).toContain("18 nodes, 8 parameters (1085 elements), 0 constants");
    expect(out).toContain("  p_net_0_weight: PARAMETER net.0.weight f32[24, 12]\n");
    expect(out).toContain("  x: USER_INPUT f32[s77, 12]\n");
    expect(out).toContain("  s77 in [0, 256]\n");
    expect(out).toContain("      3  aten.linear.default\n");
  });

  test("--json has the same facts", async () => {
    const { code, out } = await sconce("info", "--json", fixture("net_mlp"));
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      dialect: "TRAINING",
      format: "pt2",
      nodes: 18,
      parameterElements: 1085,
      buffers: [],
      constants: [],
      ranges: { s77: { min: 0, max: 256 } },
      operators: { "aten.linear.default": 3 },
      unknownOperators: [],
    });
  });

  test("--json has the content hashes", async () => {
    const { hash } = JSON.parse((await sconce("info", "--json", fixture("net_mlp"))).out);
    expect(hash).toEqual({
      graph: expect.stringMatching(/^[0-9a-f]{64}$/),
      weights: expect.stringMatching(/^[0-9a-f]{64}$/),
      program: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test("--json has inputs, outputs and state as data", async () => {
    const facts = JSON.parse((await sconce("info", "--json", fixture("net_mlp"))).out);
    expect(facts.parameters).toHaveLength(8);
    expect(facts.parameters[0]).toEqual({
      name: "net.0.weight",
      dtype: "float32",
      shape: [24, 12],
      elements: 288,
      bytes: 1152,
    });
    expect(facts.inputs[0]).toEqual({
      name: "p_net_0_weight",
      kind: "PARAMETER",
      target: "net.0.weight",
      type: "tensor",
      dtype: "float32",
      shape: [24, 12],
      strides: [12, 1],
      device: "cpu",
    });
    expect(facts.inputs.at(-1)).toMatchObject({ name: "x", kind: "USER_INPUT", shape: ["s77", 12] });
    expect(facts.outputs).toMatchObject([{ kind: "USER_OUTPUT", target: null, shape: ["s77", 5] }]);
  });

  test.each([
    ["shape_int_input", { name: "n", kind: "USER_INPUT", type: "int" }],
    ["api_custom_module", { name: "b_my_buffer1", kind: "BUFFER", target: "my_buffer1", type: "tensor" }],
  ])("--json of %s has inputs of all kinds", async (program, input) => {
    const facts = JSON.parse((await sconce("info", "--json", fixture(program))).out);
    expect(facts.inputs).toContainEqual(expect.objectContaining(input));
  });

  test("names operators that only a plugin can define", async () => {
    const file = fixture("pm_custom_op");
    expect((await sconce("info", file)).out).toContain(
      "operators that only a plugin can define:\n  mylib.sin.default\n",
    );
    expect((await sconce("info", file, "--plugin", PLUGIN)).out).not.toContain("only a plugin");
  });

  test("control flow and symbolic arithmetic are not taken for unknown operators", async () => {
    for (const program of ["flow_cond_dynamic", "flow_while", "unbacked_int"]) {
      const { out } = await sconce("info", "--json", fixture(program));
      expect(JSON.parse(out)).toMatchObject({ unknownOperators: [] });
    }
  });
});
