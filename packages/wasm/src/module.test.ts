import { describe, expect, test } from "vitest";
import { detectFeatures } from "./features.js";
import type { FunctionBuilder } from "./function.js";
import { ModuleBuilder } from "./module.js";
import type { Instruction } from "./opcodes.js";
import type { Local, ValueType } from "./types.js";

type Run = (...values: readonly (number | bigint)[]) => number | bigint;

/** Compiles one function and a memory of a page. */
function compile<const P extends readonly ValueType[]>(
  params: P,
  results: readonly ValueType[],
  body: (f: FunctionBuilder, ...params: { readonly [I in keyof P]: Local<P[I]> }) => void,
): { run: Run; bytes: DataView } {
  const module = new ModuleBuilder();
  module.addMemory({ initial: 1 }, "memory");
  module.func({ params, results, export: "run" }, body);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module.build()));
  return {
    run: exports["run"] as Run,
    bytes: new DataView((exports["memory"] as WebAssembly.Memory).buffer),
  };
}

describe("scalar instructions", () => {
  const binary = (type: ValueType, name: Instruction, result: ValueType = type): Run =>
    compile([type, type], [result], (f, a, b) => f.get(a, b).op(name)).run;

  test.each([
    ["i32.add", 7, -9, -2],
    ["i32.rotr", 1, 1, -(2 ** 31)],
    ["i32.shr_u", -1, 28, 15],
    ["i32.ge_u", -1, 1, 1],
    ["i32.eq", 3, 3, 1],
  ] as const)("%s", (name, a, b, result) => expect(binary("i32", name)(a, b)).toBe(result));

  test.each([
    ["i64.add", 1n << 62n, 1n << 62n, -(1n << 63n)],
    ["i64.rotr", 1n, 1n, -(1n << 63n)],
    ["i64.div_s", -7n, 2n, -3n],
  ] as const)("%s", (name, a, b, result) => expect(binary("i64", name)(a, b)).toBe(result));

  test.each([
    ["f64.add", 1, 2, 3],
    ["f64.copysign", 3, -0, -3],
    ["f64.max", 1, Number.NaN, Number.NaN],
    ["f32.div", 1, 3, Math.fround(1 / 3)],
    ["f32.copysign", 3, -0, -3],
  ] as const)("%s", (name, a, b, result) =>
    expect(binary(name.startsWith("f64") ? "f64" : "f32", name)(a, b)).toBe(result),
  );

  test.each([
    ["f64.lt", "f64", 1, 2],
    ["f32.ge", "f32", 2, 2],
    ["f64.ge", "f64", 2, 1],
  ] as const)("%s", (name, type, a, b) => expect(binary(type, name, "i32")(a, b)).toBe(1));

  test.each<[Instruction, ValueType, ValueType, number | bigint, number | bigint]>([
    ["i32.eqz", "i32", "i32", 0, 1],
    ["i32.clz", "i32", "i32", 1, 31],
    ["i64.eqz", "i64", "i32", 0n, 1],
    ["f32.sqrt", "f32", "f32", 9, 3],
    ["f64.nearest", "f64", "f64", 2.5, 2],
    ["i32.wrap_i64", "i64", "i32", (1n << 40n) + 5n, 5],
    ["i64.extend_i32_u", "i32", "i64", -1, 0xffffffffn],
    ["i64.trunc_f64_s", "f64", "i64", -2.7, -2n],
    ["f32.demote_f64", "f64", "f32", 0.1, Math.fround(0.1)],
    ["f64.promote_f32", "f32", "f64", 0.5, 0.5],
    ["f64.convert_i64_u", "i64", "f64", -1n, 2 ** 64],
    ["f64.reinterpret_i64", "i64", "f64", 1n, 5e-324],
    ["i32.extend16_s", "i32", "i32", 0xffff, -1],
    ["i64.extend32_s", "i64", "i64", 0xffffffffn, -1n],
    ["i32.trunc_sat_f32_s", "f32", "i32", 1e30, 2 ** 31 - 1],
    ["i64.trunc_sat_f64_u", "f64", "i64", -5, 0n],
  ])("%s", (name, from, to, value, result) =>
    expect(compile([from], [to], (f, a) => f.get(a).op(name)).run(value)).toBe(result),
  );

  test.each([0, 1, -1, 63, 64, -64, -65, 127, 128, 2 ** 31 - 1, -(2 ** 31), 624485, -123456])(
    "the constant %d",
    (value) => {
      expect(compile([], ["i32"], (f) => f.i32(value)).run()).toBe(value);
      expect(compile([], ["i64"], (f) => f.i64(BigInt(value) * 4097n)).run()).toBe(BigInt(value) * 4097n);
      expect(compile([], ["f64"], (f) => f.f64(value / 3)).run()).toBe(value / 3);
    },
  );
});

describe("vector instructions", () => {
  const lanes = (body: (f: FunctionBuilder) => void): number[] => {
    const { run, bytes } = compile([], [], (f) => {
      f.i32(16);
      body(f);
      f.memory("v128.store", 16);
    });
    run();
    return [0, 1, 2, 3].map((i) => bytes.getFloat32(32 + 4 * i, true));
  };

  test.each<[Instruction, number[]]>([
    ["f32x4.add", [9, 8, 7, 6]],
    ["f32x4.sub", [-7, -4, -1, 2]],
    ["f32x4.pmax", [8, 6, 4, 4]],
    ["f32x4.div", [1 / 8, 2 / 6, 3 / 4, 2].map(Math.fround)],
  ])("%s", (name, result) =>
    expect(lanes((f) => f.f32x4(1, 2, 3, 4).f32x4(8, 6, 4, 2).op(name))).toEqual(result),
  );

  test.each<[Instruction, number[]]>([
    ["f32x4.neg", [-1.5, 2.5, -3, 0.25]],
    ["f32x4.abs", [1.5, 2.5, 3, 0.25]],
    ["f32x4.ceil", [2, -2, 3, -0]],
    ["f32x4.nearest", [2, -2, 3, -0]],
  ])("%s", (name, result) => expect(lanes((f) => f.f32x4(1.5, -2.5, 3, -0.25).op(name))).toEqual(result));

  test("integers, shifts, selections, lanes and conversions", () => {
    expect(lanes((f) => f.i32x4(1, 2, 3, -4).i32x4(5).op("i32x4.mul", "f32x4.convert_i32x4_s"))).toEqual([
      5, 10, 15, -20,
    ]);
    expect(lanes((f) => f.i32x4(1, 2, 3, 4).i32(4).op("i32x4.shl", "f32x4.convert_i32x4_u"))).toEqual([
      16, 32, 48, 64,
    ]);
    expect(
      lanes((f) => f.f32x4(1, 2, 3, 4).f32x4(0).f32x4(1, 5, 3, 5).f32x4(2).op("f32x4.gt", "v128.bitselect")),
    ).toEqual([0, 2, 3, 4]);
    expect(lanes((f) => f.f32x4(1, 2, 3, 4).f32(9).lane("f32x4.replace_lane", 2))).toEqual([1, 2, 9, 4]);
    expect(lanes((f) => f.f64x2(1.5, 2.5).f64x2(1).op("f64x2.add", "f32x4.demote_f64x2_zero"))).toEqual([
      2.5, 3.5, 0, 0,
    ]);
    const reversed = [3, 2, 1, 0].flatMap((i) => [0, 1, 2, 3].map((b) => 4 * i + b));
    expect(lanes((f) => f.f32x4(1, 2, 3, 4).f32x4(0).shuffle(reversed))).toEqual([4, 3, 2, 1]);
    expect(lanes((f) => f.f32x4(1, 2, 3, 4).f32x4(0).shuffle([3, 1, 4, 0]))).toEqual([4, 2, 0, 1]);
    expect(lanes((f) => f.f32x4(1, 2, 3, 4).f32x4(0).shuffle([1, 0]))).toEqual([3, 4, 1, 2]);
  });

  test("lanes move between vectors and memory", () => {
    const { run, bytes } = compile(["i32"], [], (f, at) => {
      f.get(at).get(at).memory("v128.load32_splat", 4).memory("v128.store", 16);
      f.get(at).f32x4(1, 2, 3, 4).memoryLane("v128.store32_lane", 2, 8);
    });
    bytes.setFloat32(300, 7, true);
    run(296);
    expect([0, 1, 2, 3].map((i) => bytes.getFloat32(312 + 4 * i, true))).toEqual([7, 7, 7, 7]);
    expect(bytes.getFloat32(304, true)).toBe(3);
  });

  test("a relaxed multiply and add runs where the engine has it, and is refused elsewhere", () => {
    const sum = (): number[] => lanes((f) => f.f32x4(2).f32x4(3).f32x4(1, 2, 3, 4).op("f32x4.relaxed_madd"));
    if (detectFeatures().relaxed) expect(sum()).toEqual([7, 8, 9, 10]);
    else expect(sum).toThrow(WebAssembly.CompileError);
  });
});

describe("control", () => {
  test("loops, branches and locals", () => {
    const { run } = compile(["i32"], ["i32"], (f, n) => {
      const sum = f.local("i32");
      f.block((done) => {
        f.loop((next) => {
          f.get(n).op("i32.eqz").brIf(done);
          f.increase(sum, n).increase(n, -1).br(next);
        });
      });
      f.get(sum);
    });
    expect([0, 1, 10, 1000].map((n) => run(n))).toEqual([0, 1, 55, 500500]);
  });

  test("conditions with results", () => {
    const { run } = compile(["i32"], ["i32"], (f, a) =>
      f.get(a).if(
        () => f.i32(10),
        () => f.i32(20),
        "i32",
      ),
    );
    expect([run(0), run(1)]).toEqual([20, 10]);
  });

  test("functions call imports, each other and those that follow", () => {
    const module = new ModuleBuilder();
    const seen: number[] = [];
    const report = module.importFunction("host", "report", { params: ["i32"] });
    const count = module.global("i32", 40);
    const square = { params: ["i32"], results: ["i32"], name: "square" } as const;
    const later = module.declare(square);
    module.func({ params: ["i32"], export: "run" }, (f, a) => {
      f.get(a).call(later).getGlobal(count).op("i32.add").tee(a).call(report);
      f.get(a).setGlobal(count);
    });
    module.define(later, square, (f, a) => f.get(a, a).op("i32.mul"));
    const instance = new WebAssembly.Instance(new WebAssembly.Module(module.build()), {
      host: { report: (value: number) => seen.push(value) },
    });
    const run = instance.exports["run"] as Run;
    run(3);
    run(2);
    expect(seen).toEqual([49, 53]);
  });

  test("a function of many locals and instructions", () => {
    const { run } = compile(["i32"], ["i32"], (f, a) => {
      const locals = f.locals("i32", 300);
      f.local("v128");
      for (const local of [...locals, ...f.locals("i32", 300)])
        f.get(a).i32(1).op("i32.add").tee(a).set(local);
      f.get(a);
    });
    expect(run(5)).toBe(605);
  });
});

describe("memory", () => {
  test("an imported, shared memory with atomic instructions", () => {
    const module = new ModuleBuilder();
    module.importMemory("env", "memory", { initial: 1, maximum: 2, shared: true });
    module.func({ params: ["i32", "i32"], results: ["i32"], export: "run" }, (f, at, by) => {
      f.get(at, by).memory("i32.atomic.rmw.add", 8).op("drop").fence();
      f.get(at).memory("i32.atomic.load", 8);
    });
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true });
    const instance = new WebAssembly.Instance(new WebAssembly.Module(module.build()), { env: { memory } });
    const run = instance.exports["run"] as Run;
    expect([run(8, 5), run(8, -2)]).toEqual([5, 3]);
    expect(new Int32Array(memory.buffer)[4]).toBe(3);
  });

  test("copy, fill and size", () => {
    const { run, bytes } = compile([], ["i32"], (f) => {
      f.i32(8).i32(7).i32(3).memoryFill();
      f.i32(100).i32(8).i32(4).memoryCopy();
      f.memorySize();
    });
    expect(run()).toBe(1);
    expect([100, 101, 102, 103].map((i) => bytes.getUint8(i))).toEqual([7, 7, 7, 0]);
  });
});
