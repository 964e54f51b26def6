import { expect, test } from "vitest";
import { detectFeatures } from "./features.js";
import { FunctionBuilder } from "./function.js";
import { ModuleBuilder } from "./module.js";
import { alignmentOf, encodingOf, instructionNames } from "./opcodes.js";

/** After `unreachable` the stack has whatever an instruction takes. */
function validates(body: (f: FunctionBuilder) => void): boolean {
  const module = new ModuleBuilder();
  module.addMemory({ initial: 1, maximum: 1, shared: true });
  module.func({ params: [] }, (f) => {
    f.op("unreachable");
    body(f);
    f.op("unreachable");
  });
  return WebAssembly.validate(module.build());
}

const names = instructionNames();
const relaxed = detectFeatures().relaxed;

test("each instruction is one of WebAssembly", () => {
  const invalid = [
    ...names.plain.filter((name) => (relaxed || !name.includes("relaxed")) && !validates((f) => f.op(name))),
    ...names.memory.filter((name) => !validates((f) => f.memory(name, 4))),
    ...names.lane.filter((name) => !validates((f) => f.lane(name, 1))),
    ...names.memoryLane.filter((name) => !validates((f) => f.memoryLane(name, 1, 4))),
  ];
  expect(invalid).toEqual([]);
  expect(names.plain.length + names.memory.length).toBeGreaterThan(400);
});

test("alignments are natural", () => {
  // An alignment may not be more than natural, and atomic instructions need the natural one.
  expect(
    ["v128.load", "v128.load32_splat", "i64.load16_u", "v128.load8x8_s", "i32.atomic.load"].map(alignmentOf),
  ).toEqual([4, 2, 1, 3, 2]);
});

test("encodings are those of the specification", () => {
  expect(
    [
      "i32.rotr",
      "f64.copysign",
      "i64.extend32_s",
      "i64.trunc_sat_f64_u",
      "v128.any_true",
      "i8x16.avgr_u",
      "i16x8.extmul_high_i8x16_u",
      "i32x4.dot_i16x8_s",
      "i64x2.extmul_high_i32x4_u",
      "f64x2.pmax",
      "f64x2.convert_low_i32x4_u",
      "f64x2.relaxed_max",
    ].map(encodingOf),
  ).toEqual([0x78, 0xa6, 0xc4, 0xfc07, 0xfd53, 0xfd7b, 0xfd9f, 0xfdba, 0xfddf, 0xfdf7, 0xfdff, 0xfd110]);
  expect(encodingOf("i32.none")).toBeUndefined();
});

test("code without a form in WebAssembly is rejected", () => {
  const f = new FunctionBuilder([]);
  expect(() => f.op("f32x4.foo" as "f32x4.add")).toThrow("unknown instruction f32x4.foo");
  expect(() => f.v128(new Uint8Array(4))).toThrow("a vector has 16 bytes, not 4");
  expect(() => f.shuffle([1])).toThrow("a shuffle takes 16, 4 or 2 lanes, not 1");
  let ended: { readonly depth: number } | undefined;
  f.block((label) => {
    ended = label;
  });
  expect(() => f.br(ended!)).toThrow("a branch to a block that has ended");
  const module = new ModuleBuilder();
  module.declare({ params: [], name: "later" });
  expect(() => module.importFunction("a", "b", { params: [] })).toThrow(
    "function b is imported after others were added",
  );
  expect(() => module.build()).toThrow("function later has no body");
});
