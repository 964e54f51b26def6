/** @file The text of a module. */
import { relaxedProbe } from "@sconce/backend-wasm/build";
import { scriptComment, scriptString } from "@sconce/errors";
import { Code, literal } from "../code/code.js";
import type { WrittenPlan } from "../plan/module-plan.js";
import type { CalledFunction } from "../plan/script-kernels.js";
import {
  DIVISIONS,
  FUNCTIONS,
  HOST,
  KINDS,
  LOADS,
  RUNTIME,
  SCRIPT_ENGINE,
  SCRIPT_FUNCTIONS,
  THREADS,
  WORKER,
} from "./runtime-text.js";

/** Kernels of WebAssembly, and how they run. */
export interface WasmPart {
  readonly plan: WrittenPlan;
  readonly wasm: Uint8Array<ArrayBuffer>;
  /** Whether kernels call functions of JavaScript. */
  readonly callsFunctions: boolean;
  /** Whether only engines with relaxed SIMD take the kernels. */
  readonly relaxed: boolean;
  /** Whether threads share the memory. */
  readonly isShared: boolean;
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
  /** The first ones that an engine takes are used. */
  readonly wasm: readonly WasmPart[] | undefined;
  readonly js: ScriptPart | undefined;
  /** Undefined for a program without weights. */
  readonly weights: Uint8Array | undefined;
  /** Kernels of the interpreter, as an expression of an object with `makeKernels`. */
  readonly interpreter: string | undefined;
  /** Whether kernels divide integers. */
  readonly divides: boolean;
  /** Whether the text holds the bytes of kernels and weights. */
  readonly inline: boolean;
}

/** Returns the name of the file of kernels. */
export const kernelFile = (name: string, { relaxed, isShared }: WasmPart): string =>
  `${name}${relaxed ? ".relaxed" : ""}${isShared ? ".threads" : ""}.wasm`;

/** Returns the text of the module. Nothing of a program is in it but as strings and numbers. */
export function moduleText({
  name,
  wasm = [],
  js,
  interpreter,
  weights,
  divides,
  inline,
}: ModuleText): string {
  const file = (bytes: Uint8Array, path: string): string =>
    inline ? `() => decoded(${scriptString(base64(bytes))})` : `() => ${besideModule(path)}`;
  const all = [...wasm, ...(js === undefined ? [] : [js])];
  return [
    `// ${scriptComment(name)}: written by \`sconce build\`.`,
    `const { loadModel, ModelError } = ${RUNTIME};`,
    ...(all.some(checksLoads) ? [`const { inside } = ${LOADS};`] : []),
    ...(inline
      ? ["const decoded = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));"]
      : []),
    `const files = {${weights === undefined ? "" : ` weights: ${file(weights, `${name}.safetensors`)} `}};`,
    ...wasmLines(name, wasm, inline, (part) => file(part.wasm, kernelFile(name, part))),
    ...(js === undefined ? [] : scriptLines(js)),
    ...hostLines(all, interpreter),
    divides
      ? `export const load = async (options) => ${DIVISIONS}.dividing(await loadModel(files, options));`
      : "export const load = (options) => loadModel(files, options);",
    "export { ModelError };",
    "",
  ].join("\n");
}

/** Bundlers look for this form. */
const besideModule = (path: string): string => `new URL(${scriptString(`./${path}`)}, import.meta.url)`;

function wasmLines(
  name: string,
  parts: readonly WasmPart[],
  inline: boolean,
  kernels: (part: WasmPart) => string,
): readonly string[] {
  if (parts.length === 0) return [];
  const plans = new Map<string, string>();
  const rows = parts.map((part) => {
    const text = literal(part.plan);
    const plan = plans.get(text) ?? `wasmPlan${plans.size || ""}`;
    plans.set(text, plan);
    const called = callsFunctions(parts) ? "functions" : "functions: {}";
    const fields = [
      `plan: ${plan}, name: ${scriptString(kernelFile(name, part))}, ${called}, kernels: ${kernels(part)}`,
      ...(part.relaxed ? [`probe: Uint8Array.of(${String(relaxedProbe())})`] : []),
      ...(part.isShared ? ["isShared: true"] : []),
    ];
    return `{ ${fields.join(", ")} }`;
  });
  const threads = parts.some(({ isShared }) => isShared) ? `, ${threadsText(name, parts, inline)}` : "";
  const kinds = rows.slice(0, -1);
  return [
    ...[...plans].map(([text, plan]) => `const ${plan} = ${text};`),
    ...(callsFunctions(parts) ? [`const { functions } = ${FUNCTIONS};`] : []),
    `files.wasm = ${rows.at(-1)!};`,
    ...(kinds.length === 0 ? [] : [`files.choose = ${KINDS}.chooser([${kinds.join(", ")}]${threads});`]),
  ];
}
const callsFunctions = (parts: readonly WasmPart[]): boolean => parts.some((part) => part.callsFunctions);

/** Returns the text of the worker that computes for a module. */
export const workerText = (parts: readonly WasmPart[]): string =>
  `${WORKER}.serve(${callsFunctions(parts) ? FUNCTIONS : "{ functions: {} }"});\n`;

/** Returns what makes threads, as an expression. */
function threadsText(name: string, parts: readonly WasmPart[], inline: boolean): string {
  if (!inline) {
    const path = besideModule(`${name}.worker.mjs`);
    return `${THREADS}.threadsWith(() => new Worker(${path}, { type: "module" }), () => ${path})`;
  }
  const text = scriptString(workerText(parts));
  const blob = `new Blob([${text}], { type: "text/javascript" })`;
  const inPage = `() => new Worker(URL.createObjectURL(${blob}), { type: "module" })`;
  return `${THREADS}.threadsWith(${inPage}, () => new URL("data:text/javascript," + encodeURIComponent(${text})))`;
}

function scriptLines({ plan, kernels, functions }: ScriptPart): string[] {
  const f = functions.length === 0 ? "[]" : `(${SCRIPT_FUNCTIONS}).functionsOf(${literal(functions)})`;
  return [
    `const jsPlan = ${literal(plan)};`,
    `const f = ${f};`,
    `files.js = { plan: jsPlan, open: ${SCRIPT_ENGINE}.scriptOpener((h) => [`,
    kernels.map((text) => `${text},`).join("\n"),
    "]) };",
  ];
}

/** Returns what runs the steps of the host; nothing without any. */
function hostLines(
  parts: readonly (WasmPart | ScriptPart)[],
  interpreter: string | undefined,
): readonly string[] {
  if (parts.every(({ plan }) => plan.host === undefined)) return [];
  const kernels = interpreter === undefined ? "" : `, ...${interpreter}`;
  return [`files.host = { ...${HOST}${kernels} };`];
}

/** Returns whether sizes are checked with `inside`. */
const checksLoads = ({ plan }: WasmPart | ScriptPart): boolean =>
  [plan.sizes, ...(plan.host?.segments ?? []).map(({ sizes }) => sizes)].some(
    (one) => one instanceof Code && one.text.includes("inside("),
  );

function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  // The arguments of one call are limited.
  for (let at = 0; at < bytes.length; at += 0x6000)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));
  return parts.join("");
}
