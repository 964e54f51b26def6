/** @file The text of a module. */
import { scriptComment, scriptString } from "@sconce/errors";
import { Code, literal } from "../code/code.js";
import type { WrittenPlan } from "../plan/module-plan.js";
import type { CalledFunction } from "../plan/script-kernels.js";
import { FUNCTIONS, HOST, LOADS, RUNTIME, SCRIPT_ENGINE, SCRIPT_FUNCTIONS } from "./runtime-text.js";

/** Kernels of WebAssembly, and how they run. */
export interface WasmPart {
  readonly plan: WrittenPlan;
  readonly wasm: Uint8Array<ArrayBuffer>;
  /** Whether kernels call functions of JavaScript. */
  readonly callsFunctions: boolean;
}
/** Kernels of JavaScript, and how they run. */
export interface ScriptPart {
  readonly plan: WrittenPlan;
  /** The text of each kernel: nothing of a program but numbers is in it. */
  readonly kernels: readonly string[];
  readonly functions: readonly CalledFunction[];
}
/** What a module is written of. */
export interface ModuleText {
  readonly name: string;
  readonly wasm: WasmPart | undefined;
  readonly js: ScriptPart | undefined;
  /** Undefined for a program without weights. */
  readonly weights: Uint8Array | undefined;
  /** Kernels of the interpreter, as an expression of an object with `makeKernels`. */
  readonly interpreter: string | undefined;
  /** Whether the text holds the bytes of kernels and weights. */
  readonly inline: boolean;
}

/** Returns the text of the module. Nothing of a program is in it but as strings and numbers. */
export function moduleText({ name, wasm, js, interpreter, weights, inline }: ModuleText): string {
  const file = (bytes: Uint8Array, extension: string): string =>
    inline
      ? `() => decoded(${scriptString(base64(bytes))})`
      : `() => new URL(${scriptString(`./${name}.${extension}`)}, import.meta.url)`;
  return [
    `// ${scriptComment(name)}: a program with its kernels, written by \`sconce build\`.`,
    ...([wasm, js].some(checksLoads) ? [`const { inside } = ${LOADS};`] : []),
    ...(wasm === undefined ? [] : [`const wasmPlan = ${literal(wasm.plan)};`]),
    ...(js === undefined ? [] : [`const jsPlan = ${literal(js.plan)};`]),
    `const { loadModel, ModelError } = ${RUNTIME};`,
    ...(inline
      ? ["const decoded = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));"]
      : []),
    `const files = {${weights === undefined ? "" : ` weights: ${file(weights, "safetensors")} `}};`,
    ...(wasm === undefined ? [] : wasmLines(wasm, file(wasm.wasm, "wasm"))),
    ...(js === undefined ? [] : scriptLines(js)),
    ...hostLines([wasm, js], interpreter),
    "export const load = (options) => loadModel(files, options);",
    "export { ModelError };",
    "",
  ].join("\n");
}

const wasmLines = ({ callsFunctions }: WasmPart, kernels: string): string[] => [
  `files.wasm = { plan: wasmPlan, ${callsFunctions ? `...${FUNCTIONS}` : "functions: {}"}, kernels: ${kernels} };`,
];

function scriptLines({ kernels, functions }: ScriptPart): string[] {
  const f = functions.length === 0 ? "[]" : `(${SCRIPT_FUNCTIONS}).functionsOf(${literal(functions)})`;
  return [
    `const f = ${f};`,
    `files.js = { plan: jsPlan, ...${SCRIPT_ENGINE}, kernels: (h) => [`,
    kernels.map((text) => `${text},`).join("\n"),
    "] };",
  ];
}

/** Returns what runs the steps of the host; nothing without any. */
function hostLines(
  parts: readonly (WasmPart | ScriptPart | undefined)[],
  interpreter: string | undefined,
): readonly string[] {
  if (parts.every((part) => part?.plan.host === undefined)) return [];
  const kernels = interpreter === undefined ? "" : `, ...${interpreter}`;
  return [`files.host = { ...${HOST}${kernels} };`];
}

/** Returns whether sizes are checked with `inside`. */
const checksLoads = (part: WasmPart | ScriptPart | undefined): boolean =>
  part !== undefined &&
  [part.plan.sizes, ...(part.plan.host?.segments ?? []).map(({ sizes }) => sizes)].some(
    (one) => one instanceof Code && one.text.includes("inside("),
  );

function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  // The arguments of one call are limited.
  for (let at = 0; at < bytes.length; at += 0x6000)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));
  return parts.join("");
}
