/**
 * @file Our own functions of floats in GLSL ES 3.00, which leaves open what logarithms and powers
 * are outside of their domain and what becomes of NaN. They are the functions of the WGSL device:
 * WGSL text declares all types, so it translates to GLSL.
 */
import { signaturesOfFloats, type WgslModule } from "../wgsl/wgsl-text.js";
import type { Gpu } from "./library.js";

const TYPES: Readonly<Record<string, string>> = {
  f32: "float",
  i32: "int",
  u32: "uint",
  bool: "bool",
  "vec2<f32>": "vec2",
};
const TYPE = "(f32|i32|u32|bool|vec2<f32>)";
const typed = (name: string, type: string): string => `${TYPES[type]!} ${name}`;

/** In this order: declarations before the names of types that are left, which convert. */
const STEPS: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/\bfn (\w+)\(([^)]*)\) -> (\S+) \{/g, (_, name, list, type) => `${typed(name!, type!)}(${list!}) {`],
  [
    /var<private> (\w+): array<u32, (\d+)> = array<u32, \d+>/g,
    (_, name, count) => `const uint ${name}[${count}] = uint[${count}]`,
  ],
  [
    new RegExp(`\\b(?:let|var|var<private>) (\\w+): ${TYPE} =`, "g"),
    (_, name, type) => `${typed(name!, type!)} =`,
  ],
  [new RegExp(`\\b(\\w+): ${TYPE}`, "g"), (_, name, type) => typed(name!, type!)],
  [/\bbitcast<u32>/g, () => "floatBitsToUint"],
  [/\bbitcast<f32>/g, () => "uintBitsToFloat"],
  [new RegExp(`\\b${TYPE}(?=\\()`, "g"), (_, type) => TYPES[type!]!],
  [/\bround\(/g, () => "roundEven("],
  [/\b(\d+)i\b/g, (_, digits) => digits!],
];

/** What WGSL has and GLSL has not. */
const PRELUDE = `${["float", "uint", "int"]
  .map((type) => `${type} select(${type} a, ${type} b, bool isSecond) { return isSecond ? b : a; }`)
  .join("\n")}
uint countLeadingZeros(uint x) {
  uint zeros = 32u;
  while (x != 0u) { x = x >> 1u; zeros = zeros - 1u; }
  return zeros;
}
`;

/** Returns the functions that a module uses; nothing when it uses none. */
export function glslOf(module: WgslModule): string {
  const { functions } = module;
  if (functions === "") return "";
  return (
    PRELUDE + STEPS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), functions)
  );
}

/**
 * Registers the functions with gpu.js. The text of those that a kernel calls comes with the kernel.
 */
export function declareFunctions(gpu: Gpu): void {
  for (const { name, parameters, isTest } of signaturesOfFloats()) {
    const argumentTypes = Object.fromEntries(parameters.map((parameter) => [parameter, "Number"]));
    gpu.addNativeFunction(name, "", { argumentTypes, returnType: isTest ? "Boolean" : "Number" });
  }
}
