/** @file The text of a module. */
import { scriptComment, scriptString } from "@sconce/errors";
import { literal } from "../code/code.js";
import type { WrittenPlan } from "../plan/module-plan.js";
import { FUNCTIONS, LOADS, RUNTIME } from "./runtime-text.js";

/** What a module is written of. */
export interface ModuleText {
  readonly plan: WrittenPlan;
  /** Whether sizes are checked with `inside`. */
  readonly checksLoads: boolean;
  /** Whether kernels call functions of JavaScript. */
  readonly callsFunctions: boolean;
  /** The bytes of kernels and weights, for a module in one file. */
  readonly inline?: { readonly wasm: Uint8Array; readonly weights: Uint8Array } | undefined;
}

/** Returns the text of the module. Nothing of a program is in it but as strings and numbers. */
export function moduleText({ plan, checksLoads, callsFunctions, inline }: ModuleText): string {
  const { name } = plan;
  const file = (bytes: Uint8Array | undefined, extension: string): string =>
    bytes === undefined
      ? `() => new URL(${scriptString(`./${name}.${extension}`)}, import.meta.url)`
      : `() => decoded(${scriptString(base64(bytes))})`;
  return [
    `// ${scriptComment(name)}: a program with its kernels, written by \`sconce build\`.`,
    ...(checksLoads ? [`const { inside } = ${LOADS};`] : []),
    `const plan = ${literal(plan)};`,
    `const { loadModel, ModelError } = ${RUNTIME};`,
    `const { functions } = ${callsFunctions ? FUNCTIONS : "{ functions: {} }"};`,
    ...(inline === undefined
      ? []
      : ["const decoded = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));"]),
    `const files = { plan, functions, wasm: ${file(inline?.wasm, "wasm")}, weights: ${file(inline?.weights, "safetensors")} };`,
    "export const load = (options) => loadModel(files, options);",
    "export { ModelError };",
    "",
  ].join("\n");
}

function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  // The arguments of one call are limited.
  for (let at = 0; at < bytes.length; at += 0x6000)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));
  return parts.join("");
}
