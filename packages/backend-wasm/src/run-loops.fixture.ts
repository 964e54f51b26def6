/** @file Runs loop programs by their WebAssembly kernels, one module for a program. */
import { bindNest, bindSizes, type LoopNest, type LoopProgram, rowGroups, sizeOf } from "@sconce/codegen";
import { evaluateInt, type IntLike } from "@sconce/symbolic";
import { contiguousStrides, dtypeInfo, Storage, Tensor } from "@sconce/tensor";
import { ModuleBuilder } from "@sconce/wasm";
import { printedKernel, printedRows } from "./emit/printed-kernel.js";
import type { KernelCode, KernelImport } from "./kernel-code.js";

/** Bytes between buffers, so that writes beyond the end are seen. */
const SLACK = 64;
const PATTERN = 0xa5;

/** Makes the code of a nest; undefined to leave it to the printer. */
export type KernelMaker = (
  nest: LoopNest,
  program: LoopProgram,
  sizes: ReadonlyMap<string, number>,
) => KernelCode | undefined;

/** The kernels of a program, those of rows as one. */
function kernelsOf(
  program: LoopProgram,
  nests: readonly LoopNest[],
  sizes: ReadonlyMap<string, number>,
  make: KernelMaker,
) {
  const steps: { code: KernelCode; at: number }[] = [];
  const inGroups = new Set<LoopNest>();
  for (const group of rowGroups(nests, program)) {
    const code = printedRows(group, program, sizes);
    if (code === undefined) continue;
    for (const { nest } of group.parts) inGroups.add(nest);
    steps.push({ code, at: group.positions.at(-1)! });
  }
  nests.forEach((nest, at) => {
    if (!inGroups.has(nest))
      steps.push({ code: make(nest, program, sizes) ?? printedKernel(nest, program, sizes), at });
  });
  return steps.sort((a, b) => a.at - b.at).map(({ code }) => code);
}

/** Makes one module of kernels and returns their entries. */
function instantiate(codes: readonly KernelCode[], memory: WebAssembly.Memory) {
  const module = new ModuleBuilder();
  module.importMemory("env", "memory", { initial: 1 });
  const host = new Map<string, KernelImport>();
  for (const { imports } of codes) for (const one of imports) host.set(one.name, one);
  const indices = new Map<string, number>();
  for (const { name, parameters, result } of host.values())
    indices.set(name, module.importFunction("js", name, { params: parameters, results: [result] }));
  for (const [at, code] of codes.entries()) {
    module.exportFunction(`k${at}`, code.emit(module, indices));
    for (const [i, one] of (code.prepared ?? []).entries())
      module.exportFunction(`k${at}p${i}`, one.emit(module));
  }
  const js = Object.fromEntries([...host.values()].map(({ name, call }) => [name, call]));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module.build()), {
    env: { memory },
    js,
  });
  type Run = (...args: number[]) => void;
  return codes.map(({ prepared = [] }, at) => ({
    run: exports[`k${at}`] as Run,
    prepare: prepared.map((_, i) => exports[`k${at}p${i}`] as Run),
  }));
}

/** Runs a program as `evaluateLoops` does; each kernel in two ranges of units. */
export function runLoops(
  program: LoopProgram,
  inputs: readonly (Tensor | undefined)[],
  make: KernelMaker = () => undefined,
) {
  const sizes = bindSizes(program, inputs);
  const nests = program.nests.map((nest) => bindNest(nest, sizes));
  const codes = kernelsOf(program, nests, sizes, make);
  let bytes = SLACK;
  const shapes = program.buffers.map(({ shape }) => shape.map((extent) => sizeOf(extent, sizes)));
  const ends: number[] = [];
  const addresses = program.buffers.map(({ dtype }, id) => {
    const at = bytes;
    const count = shapes[id]!.reduce((product, extent) => product * extent, 1);
    ends.push(at + count * dtypeInfo(dtype).itemSize);
    bytes = Math.ceil(ends.at(-1)! / 16) * 16 + SLACK;
    return at;
  });
  const scratch = bytes;
  bytes += Math.max(0, ...codes.map(({ scratchBytes }) => scratchBytes)) + SLACK;
  const forms = codes.map(({ prepared = [] }) =>
    prepared.map((form) => {
      const at = bytes;
      ends.push(at + form.bytes);
      bytes = Math.ceil(ends.at(-1)! / 16) * 16 + SLACK;
      return at;
    }),
  );
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65536) });
  const all = new Uint8Array(memory.buffer).fill(PATTERN);
  program.inputs.forEach((id, at) => {
    if (id === undefined) return;
    const { storage } = inputs[at]!.withLayout(contiguousStrides(inputs[at]!.shape), 0);
    all.set(storage.bytes.subarray(0, ends[id]! - addresses[id]!), addresses[id]);
  });
  instantiate(codes, memory).forEach(({ run, prepare }, at) => {
    const { memories, units, prepared = [] } = codes[at]!;
    for (const [i, one] of prepare.entries()) one(addresses[prepared[i]!.buffer]!, forms[at]![i]!);
    const given = [...memories.map(({ buffer }) => addresses[buffer]!), ...forms[at]!];
    const half = Math.ceil(units / 2);
    run(...given, scratch, half, units);
    run(...given, scratch, 0, half);
  });
  for (const end of ends)
    if (all[end] !== PATTERN || all[end + 15] !== PATTERN)
      throw new Error("a kernel writes beyond the end of a buffer");
  return program.outputs.map((output): Tensor | IntLike | number | bigint | boolean | string | null => {
    if (output.kind === "constant") return output.value;
    if (output.kind === "size")
      return typeof output.value === "number" ? output.value : evaluateInt(output.value, sizes);
    const { dtype } = program.buffers[output.buffer]!;
    const storage = new Storage(all.slice(addresses[output.buffer], ends[output.buffer]));
    return new Tensor({ dtype, shape: output.shape.map((extent) => sizeOf(extent, sizes)), storage });
  });
}
