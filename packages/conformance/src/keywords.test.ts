/**
 * @file Programs whose calls give all arguments by keyword: numbers and lowered text are the
 * same.
 */
import { wasmBackend } from "@sconce/backend-wasm";
import { parseIr } from "@sconce/ir/text";
import type { SessionBackend } from "@sconce/passes";
import { codeText, createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { sampled } from "../../../.config/sampled.js";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { ProgramFolder } from "./conformance/program-case.js";
import { checkProgramFolder } from "./conformance/programs.js";
import { withStandIns } from "./conformance/stand-in-values.js";
import { PROGRAMS } from "./fixtures.js";
import { byKeyword } from "./keywords.fixture.js";
import { NAMES } from "./programs.fixture.js";

/** Compiles programs with all arguments by keyword. */
const keyworded = (backend: SessionBackend): SessionBackend => ({
  ...backend,
  inSession: (session, host) => keyworded(backend.inSession(session, host) as SessionBackend),
  compile: (program, options) => backend.compile(byKeyword(program), options),
});
const sconce = createSconce({ plugins: [corpusPlugin], backends: [keyworded(wasmBackend({ threads: 1 }))] });

describe("programs that PyTorch exported, by keyword", () => {
  const SAVED = NAMES.filter((name) => new ProgramFolder(`${PROGRAMS}${name}`).has("program.pt2"));

  test.each(sampled(SAVED, 6))("%s", async (name) => {
    const folder = new ProgramFolder(`${PROGRAMS}${name}`);
    const program = withStandIns(await sconce.load(folder.bytes("program.pt2")));
    const options = { verify: true, record: false };
    const [lowered, expected] = [byKeyword(program), program].map((one) =>
      codeText(sconce.transform(one, "decompose", options).graph),
    );
    expect(lowered).toBe(expected);
    const checks = await checkProgramFolder(`${PROGRAMS}${name}`, sconce, {
      backend: "wasm",
      runsOnly: true,
    });
    expect(checks.filter((check) => check.problem !== undefined)).toEqual([]);
  });
});

const program = (calls: string, result = "c", dtype = "f32"): string => `program "TRAINING" {
  input %x: USER_INPUT
  output %z: USER_OUTPUT
}

graph(%x: ${dtype}[2, 3]) {
  %c: ${dtype}[2, 3] = aten.clone.default(%x)
${calls}
  %z: ${dtype}[2, 3] = aten.neg.default(%${result})
  return (%z)
}`;
const views = `  %v: f32[6] = aten.view.default(%c, [6])
  %w: f32[6] = aten.add_.Tensor(%v, 1)`;
const input = Tensor.from(
  [
    [1, 2, 3],
    [4, 5, 6],
  ],
  { dtype: "float32" },
);

test.each(["cpu", "wasm"])("a write through a view is seen by its base, on %s", async (backend) => {
  const written = byKeyword(parseIr(program(views)));
  for (const one of [
    written,
    sconce.transform(written, "functionalize"),
    sconce.runDecompositions(written),
  ]) {
    using executable = await sconce.compile(one, backend);
    expect(String((await executable.run([input]))[0])).toBe(
      "tensor([[-2., -3., -4.],\n        [-5., -6., -7.]])",
    );
  }
});

test.each(["cpu", "wasm"])("values that PyTorch refuses are refused, on %s", async (backend) => {
  const wide = `  %k: i64[] = aten.full.default([], 300, dtype=int64)
  %m: b8[2, 3] = aten.gt.Scalar(%c, 2)
  %f: i8[2, 3] = aten.masked_fill.Tensor(%c, %m, %k)`;
  const overlapping = `  %v: f32[6] = aten.view.default(%c, [6])
  %a = aten.slice.Tensor(%v, 0, 0, 4)
  %b = aten.slice.Tensor(%v, 0, 2, 6)
  %w = aten.copy_.default(%a, %b)`;
  for (const [text, dtype, message] of [
    [program(wide, "f", "i8"), "int8", /cannot be converted to type int8_t without overflow/],
    [program(overlapping), "float32", /refer to a single memory location/],
  ] as const) {
    using executable = await sconce.compile(byKeyword(parseIr(text)), backend);
    const given = Tensor.from(
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      { dtype },
    );
    await expect(async () => executable.run([given])).rejects.toThrow(message);
  }
});
