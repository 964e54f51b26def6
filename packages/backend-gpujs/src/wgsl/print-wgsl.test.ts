import { parseKernel } from "@sconce/codegen";
import { expect, test } from "vitest";
import { printWgsl } from "./print-wgsl.js";

const kernel = (memories: readonly string[], body: readonly string[], grid = "2, 1, 1"): string =>
  [`kernel grid(${grid}) size 64 {`, ...memories, ...body, "}"].join("\n");
const print = (...args: Parameters<typeof kernel>) => printWgsl(parseKernel(kernel(...args)));

test("bindings are what is read, what is written, and separate memory", () => {
  const { source, ...rest } = print(
    [
      "@out: global write f32[8] of b7",
      "@own: global read_write index[16]",
      "@in: global read f32x4[2] of b3",
    ],
    ["%0: f32x4 = load @in[0]", "%1: f32 = lane 2 %0", "@out[0] = %1", "@own[0] = 3"],
  );
  expect(rest).toEqual({ reads: [3], workgroups: [2, 1, 1], scratch: 16 });
  expect(source).toMatchInlineSnapshot(`
    "@group(0) @binding(0) var<storage, read> m0: array<vec4<f32>>;
    @group(0) @binding(1) var<storage, read_write> m1: array<f32>;
    @group(0) @binding(2) var<storage, read_write> m2: array<i32>;

    @compute @workgroup_size(64)
    fn main(@builtin(workgroup_id) at: vec3<u32>, @builtin(local_invocation_index) number: u32) {
      let group = i32(at.x);
      let local = i32(number);
      let v0 = m0[0i];
      m1[0i] = v0.z;
      m2[0i] = 3i;
    }
    "
  `);
});

test("bools are numbers in buffers only; a workgroup has its own memory", () => {
  const { source } = print(
    ["@in: global read b8[4] of b0", "@out: global write b8[4] of b1", "@s: workgroup read_write b8[64]"],
    [
      "%0: index = local",
      "%1: b8 = load @in[%0]",
      "@s[%0] = %1",
      "barrier",
      "%2: b8 = load @s[0]",
      "%3: b8 = and %2, %1",
      "@out[%0] = %3",
    ],
  );
  expect(source).toMatchInlineSnapshot(`
    "@group(0) @binding(0) var<storage, read> m0: array<i32>;
    @group(0) @binding(1) var<storage, read_write> m1: array<i32>;
    var<workgroup> m2: array<bool, 64>;

    @compute @workgroup_size(64)
    fn main(@builtin(workgroup_id) at: vec3<u32>, @builtin(local_invocation_index) number: u32) {
      let group = i32(at.x);
      let local = i32(number);
      let v0 = (m0[local] != 0i);
      m2[local] = v0;
      workgroupBarrier();
      m1[local] = select(0i, 1i, (m2[0i] & v0));
    }
    "
  `);
});

test("a value that is read once stands where it is read, unless something changes before", () => {
  const { source } = print(
    ["@in: global read f32[9] of b0", "@out: global write f32[9] of b1", "@p: private read_write f32[4]"],
    [
      "%0: index = workgroup",
      "var $0: f32 = 0:f32",
      "%1: f32 = add $0, 1:f32",
      "for %2: index = 0 to 4 step 2 {",
      "%3: index = mul %0, %2",
      "%4: f32 = load @in[%3]",
      "%5: f32 = add $0, %4",
      "$0 = %5",
      "}",
      "loop {",
      "%6: b8 = gt $0, 4:f32",
      "break if %6",
      "%7: f32 = mul $0, 2:f32",
      "$0 = %7",
      "}",
      "@p[1] = $0",
      "%8: f32 = load @p[%0]",
      "%9: f32 = sub %8, %1",
      "%10: b8 = lt %0, 9",
      ...["if %10 {", "@out[%0] = %9", "} else {", "@out[0] = 1:f32", "}"],
    ],
    "70, 3, 1",
  );
  expect(source.slice(source.indexOf("  var m2"))).toMatchInlineSnapshot(`
    "  var m2: array<f32, 4>;
      var v0: f32 = 0.0f;
      let v1 = (v0 + 1.0f);
      for (var v2 = 0i; v2 < 4i; v2 += 2i) {
        v0 = (v0 + m0[(group * v2)]);
      }
      loop {
        if ((v0 > 4.0f)) { break; }
        v0 = (v0 * 2.0f);
      }
      m2[1i] = v0;
      let v3 = (m2[group] - v1);
      if ((group < 9i)) {
        m1[group] = v3;
      }
      else {
        m1[0i] = 1.0f;
      }
    }
    "
  `);
});

test("what needs care: constants alone, infinities, division, functions of our own", () => {
  const { source } = print(
    ["@in: global read i64[9] of b0", "@out: global write f32[9] of b1"],
    [
      "%0: i64 = load @in[0]",
      "%1: index = cast %0",
      "%2: index = udiv %1, 3",
      "%3: i64 = floor_div %0, 0:i64",
      "%4: f32 = div 1:f32, 0:f32",
      "%5: f32 = cast %3",
      "%6: f32 = max %5, -Infinity:f32",
      "%7: f32 = mul %4, %6",
      "@out[%2] = %7",
    ],
  );
  expect(source.slice(source.indexOf("@compute"))).toMatchInlineSnapshot(`
    "@compute @workgroup_size(64)
    fn main(@builtin(workgroup_id) at: vec3<u32>, @builtin(local_invocation_index) number: u32) {
      let group = i32(at.x);
      let local = i32(number);
      let v0 = m0[0i];
      let v1 = 1.0f;
      let v2 = 0.0f;
      m1[i32(u32(v0) / u32(3i))] = f_mul(f_div(v1, v2), f_max(f32(i_floordiv(v0, 0i)), -f_inf()));
    }
    "
  `);
});

test("deep expressions are cut", () => {
  const chain = Array.from({ length: 40 }, (_, i) => `%${i + 1}: f32 = sub %${i}, 2:f32`);
  const { source } = print(
    ["@in: global read f32[9] of b0", "@out: global write f32[9] of b1"],
    ["%0: f32 = load @in[0]", ...chain, "@out[0] = %40"],
  );
  const deepest = Math.max(...source.split("\n").map((line) => line.split("(").length));
  expect(deepest).toBeLessThan(15);
  expect(source.split(" - ")).toHaveLength(41);
});

test("only numbers and what a shader can say", () => {
  const memory = ["@out: global write f32[4] of b0"];
  const bad = { ...parseKernel(kernel(memory, [])), launch: { grid: [1, 2, 1], size: 0.5 } } as const;
  expect(() => printWgsl(bad)).toThrow("0.5 is not a count");
  expect(() => print(memory, ["@out[3000000000] = 0:f32"])).toThrow("3000000000 is not a 32-bit integer");
  expect(() => print(memory, ["%0: index = thread 1", "@out[%0] = 0:f32"])).toThrow(
    "WGSL has no thread here",
  );
});
