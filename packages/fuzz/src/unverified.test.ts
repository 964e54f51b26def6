import { gpujsByName } from "@sconce/backend-gpujs";
import { isSconceError } from "@sconce/errors";
import { createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";

const session = createSconce();
const gpujs = await gpujsByName("gpujs:cpu");
const program = (body: string): string => `sconce-ir 1
program "ATEN" {
  input %x: USER_INPUT
  output %y: USER_OUTPUT
  call "" ((*), {}) -> (*)
}
graph(%x: f32[2]) { ${body} }
`;

/** Programs of IR text that read, and that nothing has verified. */
const INVALID = [
  "%y: f32[2] = aten.relu.default() return (%y)",
  '%y: f32[2] = aten.relu.default("a", %x, foo=1) return (%y)',
  '%y: f32[2] = aten.add.Tensor(%x, "q", alpha=[1]) return (%y)',
  "%y: f32[2] = aten.relu.default(%z) return (%y)",
  "%y: f32[2] = aten.relu.default(%y) return (%y)",
  "%y: f32[2] = aten.relu.default(%x)",
  "%y: (f32[2], i64[3]) = aten.relu.default(%x) return (%y)",
  "%y: f32[2] = higher_order.cond(true, %x, %x, [%x]) return (%y)",
  "%y = higher_order.while_loop(1) return (%y)",
  "%t = get_attr nowhere %y: f32[2] = aten.relu.default(%x) return (%y)",
  "%y: f32[2] = operator.getitem(%x, 99) return (%y)",
  '%y: f32[2] = aten.relu.default(%x) return {"a": %y}',
  "%y: f32[2] = aten.permute.default(%x, [0, 0, 7]) return (%y)",
  "%y: f32[2] = aten.convolution.default(%x, %x, none, [1], [0], [1], false, [0], 1) return (%y)",
];

test.each(INVALID)("compiled without verify: %s", async (body) => {
  const parsed = session.parseIr(program(body));
  for (const backend of [undefined, gpujs]) {
    const outcome: unknown = await session
      .module(parsed, backend === undefined ? {} : { backend })
      .then((module) => module.call([Tensor.from([1, 2], { dtype: "float32" })]))
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    if (outcome === undefined) continue;
    expect(isSconceError(outcome), String(outcome)).toBe(true);
    expect(outcome).toMatchObject({ fix: expect.stringMatching(/\w/) });
    expect(["INTERNAL", "PLUGIN_FAILED"]).not.toContain((outcome as { code: string }).code);
  }
});
