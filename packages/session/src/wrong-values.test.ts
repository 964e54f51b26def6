/** @file Values that are not what a program says: the error names the culprit. */
import type { Plugin } from "@sconce/passes";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createSconce } from "./index.js";

const x = Tensor.from([1, -2], [2], "float32");
const text = (call: string, type = "f32[2]"): string => `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[2]) { %y: ${type} = ${call} return (%y) }`;

async function run(source: string, plugins: readonly Plugin[] = []): Promise<unknown> {
  const sconce = createSconce({ plugins });
  return (await sconce.compile(sconce.parseIr(source))).run([x]);
}

describe("a plugin's kernel", () => {
  const after = text("aten.neg.default(%x) %z: f32[2] = aten.relu.default(%y)");
  test.each<[string, () => unknown, string]>([
    ["of another shape", () => Tensor.from([1], [1], "float32"), "float32[1]"],
    ["of another dtype", () => Tensor.from([1, 2], [2], "float64"), "float64[2]"],
  ])("that returns a tensor %s", async (_, kernel, got) => {
    const plugins = [{ name: "mine", kernels: { "aten.neg.default": kernel as never } }];
    for (const source of [text("aten.neg.default(%x)"), after])
      await expect(run(source, plugins)).rejects.toMatchObject({
        code: "PLUGIN_FAILED",
        message: `the kernel of aten.neg.default of plugin "mine" returned ${got} where the shape rule says float32[2]`,
        fix: 'fix the plugin "mine"',
      });
  });

  test("in a list of results is named by its place", async () => {
    const kernel = () => [x, Tensor.from([1], [1], "float32")];
    const source = text("aten.aminmax.default(%x) %m: f32[] = operator.getitem(%y, 0)", "(f32[], f32[])");
    await expect(
      run(source, [{ name: "mine", kernels: { "aten.aminmax.default": kernel as never } }]),
    ).rejects.toMatchObject({ message: expect.stringContaining("where the shape rule says float32[] at 0") });
  });
});

describe("a program", () => {
  test("whose types are not what its operators give is to be corrected, not the interpreter", async () => {
    await expect(run(text("aten.relu.default(%x)", "f32[3]"))).rejects.toMatchObject({
      code: "BACKEND_OUTPUT",
      fix: expect.stringContaining("correct the program: what it says of its values is not"),
    });
  });

  test("that asks a number for its size is refused by verify and by the run", async () => {
    const sconce = createSconce();
    const program = sconce.parseIr(text("aten.relu.default(%x) %n: int(2) = aten.sym_size.int(1, 0)"));
    const message = 'aten.sym_size.int: the argument "self" must be Tensor, got the number "1"';
    expect(sconce.verify(program)).toMatchObject([{ code: "CALL_ARGUMENTS", message }]);
    const failed = (async () => (await sconce.compile(program)).run([x]))();
    await expect(failed).rejects.toMatchObject({ code: "ARGUMENT_KIND", message });
  });

  test.each([
    ["aten.sum.dim_IntList(%x, [0.5])", 'the argument "dim" must be int[1]?, got the number "0.5"'],
    ["aten.silu.default(%x, 1)", "takes 1 positional arguments but 2 were given"],
    ["aten.silu.default(%x, inplace=true)", 'has no argument "inplace"'],
    ["aten.gelu.default(%x, approximate=3)", 'the argument "approximate" must be str, got the number "3"'],
  ])("with the arguments of %s is not lowered", (call, message) => {
    const sconce = createSconce();
    const lower = () => sconce.runDecompositions(sconce.parseIr(text(call)));
    const code = expect.stringMatching(/^ARGUMENT_(KIND|UNEXPECTED)$/);
    expect(lower).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });
});

test("text is not a dtype, and the node is named", async () => {
  await expect(run(text('aten._to_copy.default(%x, dtype="float64")', "f64[2]"))).rejects.toMatchObject({
    code: "ARGUMENT_KIND",
    message: expect.stringContaining('"dtype" must be ScalarType?, got the string "float64"'),
    where: expect.stringContaining("y"),
  });
});
