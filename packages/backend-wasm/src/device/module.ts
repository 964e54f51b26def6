/** @file Modules of kernels. */
import { ModuleBuilder } from "@sconce/wasm";
import type { KernelCode, PreparedBuffer } from "../kernel-code.js";
import type { Entry } from "../threads/modules.js";
import { formsOf, type Prepare } from "./constants.js";
import { MOST_PAGES, type WasmMemory } from "./wasm-memory.js";
import type { WideMemory } from "./wide-memory.js";

/** Returns what adds the functions of kernels: several kernels may be the same on other buffers. */
export const entriesOf = (codes: readonly KernelCode[]): KernelCode["emit"][] => [
  ...new Set(codes.map(({ emit }) => emit)),
];
export const fillOf = ({ emit, parts }: PreparedBuffer): PreparedBuffer["emit"] => parts?.emit ?? emit;
/** Returns what adds the functions that make forms. */
const fillsOf = (codes: readonly KernelCode[]): PreparedBuffer["emit"][] => [
  ...new Set([...formsOf(codes).values()].map(fillOf)),
];

/** What a module depends on besides its kernels. */
export interface ModuleSettings {
  /** Whether threads share the memory. */
  readonly isShared: boolean;
  /** Whether code may use relaxed SIMD. */
  readonly relaxed: boolean;
  /** What makes modules of 64-bit addresses. Default: addresses have 32 bits. */
  readonly wide?: WideMemory | undefined;
}

/** Returns a module: each kernel is exported as `k` with its number, what makes a form as `p`. */
export function moduleOf(
  codes: readonly KernelCode[],
  { isShared, relaxed, wide }: ModuleSettings,
): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder({ relaxed });
  const limits = isShared ? { initial: 1, maximum: MOST_PAGES, shared: true } : { initial: 1 };
  module.importMemory("env", "memory", limits);
  const imported = new Map<string, number>();
  for (const { name, parameters, result } of codes.flatMap(({ imports }) => imports))
    if (!imported.has(name))
      imported.set(name, module.importFunction("js", name, { params: parameters, results: [result] }));
  entriesOf(codes).forEach((emit, at) => {
    module.exportFunction(`k${at}`, emit(module, imported));
  });
  addFills(module, codes);
  const bytes = module.build();
  return wide === undefined ? bytes : wide.module(bytes, addressesOf(codes));
}

/** Returns a module of what makes forms alone, which all engines take. */
export function fillModuleOf(codes: readonly KernelCode[]): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  module.importMemory("env", "memory", { initial: 1 });
  addFills(module, codes);
  return module.build();
}

function addFills(module: ModuleBuilder, codes: readonly KernelCode[]): void {
  fillsOf(codes).forEach((emit, at) => {
    module.exportFunction(`p${at}`, emit(module));
  });
}

/** Returns which parameters are addresses: those of memories and forms, and scratch memory. */
function addressesOf(codes: readonly KernelCode[]): (name: string, at: number, count: number) => boolean {
  const counts = entriesOf(codes).map((emit) => {
    const { memories, prepared = [] } = codes.find((code) => code.emit === emit)!;
    return memories.length + prepared.length;
  });
  return (name, at, count) =>
    name.startsWith("p") ? at < 2 : at < counts[Number(name.slice(1))]! || at === count - 3;
}

/** Everything that a module depends on but the compiler; undefined if a kernel has no key. */
export function moduleKey(
  codes: readonly KernelCode[],
  { isShared, relaxed, wide }: ModuleSettings,
): string | undefined {
  const entries = entriesOf(codes).map((emit) => codes.find((code) => code.emit === emit)!);
  if (entries.some(({ key }) => key === undefined)) return undefined;
  const fills = fillsOf(codes).map((fill) => {
    const at = entries.findIndex(({ prepared = [] }) => prepared.some((form) => fillOf(form) === fill));
    return `${at}.${entries[at]!.prepared!.findIndex((form) => fillOf(form) === fill)}`;
  });
  const settings = `${isShared ? "shared" : "own"} memory, ${relaxed ? "relaxed" : "plain"}${wide === undefined ? "" : ", wide"}`;
  return [`${settings}, forms ${fills.join()}`, ...entries.map(({ key }) => key!)].join("\n\n");
}

/** Instantiates the module of kernels on a memory. */
export function instantiate(
  codes: readonly KernelCode[],
  bytes: Uint8Array<ArrayBuffer>,
  { memory }: WasmMemory,
): {
  readonly module: WebAssembly.Module;
  /** For each kernel the number of its entry. */
  readonly numbers: readonly number[];
  /** The entries of kernels. */
  readonly entries: readonly Entry[];
  readonly prepare: (form: PreparedBuffer) => Prepare;
} {
  const js: Record<string, WebAssembly.ImportValue> = {};
  for (const { name, call } of codes.flatMap(({ imports }) => imports))
    js[name] = call as WebAssembly.ImportValue;
  const module = new WebAssembly.Module(bytes);
  const { exports } = new WebAssembly.Instance(module, { env: { memory }, js });
  const [emits, fills] = [entriesOf(codes), fillsOf(codes)];
  const numbers = codes.map(({ emit }) => emits.indexOf(emit));
  return {
    module,
    numbers,
    entries: numbers.map((number) => exports[`k${number}`] as Entry),
    prepare: (form) => exports[`p${fills.indexOf(fillOf(form))}`] as Prepare,
  };
}
