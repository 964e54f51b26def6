import { expect, test } from "vitest";
import { signaturesOfFloats, WgslModule } from "../wgsl/wgsl-text.js";
import { glslOf } from "./glsl.js";

function textOf(name: string, ...args: readonly string[]): string {
  const module = new WgslModule();
  module.call(name, ...args);
  return glslOf(module);
}

test("functions are the same in GLSL, after those that they call", () => {
  expect(glslOf(new WgslModule())).toBe("");
  const text = textOf("f_log2", "x");
  expect(text.slice(text.indexOf("vec2 p_log"))).toMatchInlineSnapshot(`
    "vec2 p_log(float x) {
      uint bits = floatBitsToUint(x);
      int e = 0;
      if (bits < 0x00800000u) {
        uint shift = countLeadingZeros(bits) - 8u;
        bits = bits << shift;
        e = 1 - int(shift) - int(bits >> 23u);
      }
      int k = int(bits - 0x3f3504f3u) >> 23u;
      float f = uintBitsToFloat(bits - (uint(k) << 23u)) - 1.0f;
      float z = f * f;
      float y = ((((((((7.0376836292e-2f * f - 1.1514610310e-1f) * f + 1.1676998740e-1f) * f - 1.2420140846e-1f) * f
        + 1.4249322787e-1f) * f - 1.6668057665e-1f) * f + 2.0000714765e-1f) * f - 2.4999993993e-1f) * f
        + 3.3333331174e-1f) * f * z;
      return vec2(float(k + e), f + (y - 0.5f * z));
    }
    bool f_isnan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
    bool f_isinf(float x) { return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u; }
    uint NAN_BITS = 0x7fc00000u;
    float f_nan() { return uintBitsToFloat(NAN_BITS); }
    uint INF_BITS = 0x7f800000u;
    float f_inf() { return uintBitsToFloat(INF_BITS); }
    bool f_truth(float x) { return (floatBitsToUint(x) & 0x7fffffffu) != 0u; }
    float p_logdomain(float x) {
      if (f_isnan(x)) { return x; }
      if (!f_truth(x)) { return -f_inf(); }
      if ((floatBitsToUint(x) >> 31u) != 0u) { return f_nan(); }
      if (f_isinf(x)) { return x; }
      return 1.0f;
    }
    float f_log2(float x) {
      float special = p_logdomain(x);
      if (floatBitsToUint(special) != 0x3f800000u) { return special; }
      vec2 p = p_log(x);
      return p.x + p.y * 1.44269504088896341f;
    }
    "
  `);
  expect(textOf("f_sin", "x")).toContain("const uint TWO_OVER_PI[7] = uint[7](\n  0u, 0x28be60dbu");
});

test("nothing of WGSL alone is left", () => {
  const signatures = [...signaturesOfFloats()];
  expect(signatures.length).toBeGreaterThan(40);
  expect(signatures.find(({ name }) => name === "f_pow")).toEqual({
    name: "f_pow",
    parameters: ["a", "b"],
    isTest: false,
  });
  expect(signatures.find(({ name }) => name === "f_isnan")!.isTest).toBe(true);
  for (const { name, parameters } of signatures)
    expect(textOf(name, ...parameters)).not.toMatch(/\b(fn|let|var|bitcast|[fiu]32)\b|\b\d+i\b|\bround\(|->/);
});
