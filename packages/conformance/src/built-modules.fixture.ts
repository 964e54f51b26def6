/** @file Programs as modules, in separate folders, and their results beside those of `wasm`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, type BuiltModule, buildModule } from "@sconce/build";
import { type ExportedProgram, isFloat, toNumber, type Value } from "@sconce/ir";
import { type Leaf, userLeaves } from "@sconce/ops";
import { dtypeInfo, Storage, Tensor, type TypedArray } from "@sconce/tensor";

/** A tensor as modules take and give it. */
export interface ModuleTensor {
  readonly dtype?: string;
  readonly shape: readonly number[];
  readonly data: TypedArray;
}
/** A module that was loaded. */
interface LoadedModule {
  readonly threads: number;
  readonly target: "wasm" | "js";
  run(inputs: unknown): Promise<unknown>;
  reset(): void;
  dispose(): void;
}
/** What a module exports. */
export interface ModuleExports {
  readonly ModelError: new (...args: never[]) => Error;
  load(options?: Readonly<Record<string, unknown>>): Promise<LoadedModule>;
}

/** Builds a program and runs a test on its module, in a folder that holds nothing else. */
export async function withModule<T>(
  program: ExportedProgram,
  options: BuildOptions,
  use: (module: ModuleExports, built: BuiltModule, folder: string) => Promise<T>,
): Promise<T> {
  const built = await buildModule(program, options);
  const folder = mkdtempSync(join(tmpdir(), "sconce-built-"));
  try {
    for (const [name, bytes] of built.files) writeFileSync(join(folder, name), bytes);
    const path = pathToFileURL(join(folder, `${options.name ?? "model"}.mjs`)).href;
    return await use((await import(path)) as ModuleExports, built, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns a tensor as modules take it: a copy in row-major order. */
export function moduleTensor(tensor: Tensor): ModuleTensor {
  const { dtype, shape, storage, storageOffset, numel } = tensor.contiguous();
  const { itemSize } = dtypeInfo(dtype);
  const bytes = storage.bytes.slice(storageOffset * itemSize, (storageOffset + numel) * itemSize);
  return { shape, data: new Storage(bytes).view(dtype) };
}

/** Returns flat inputs as the object of arguments that modules take. */
export function argumentsOf(program: ExportedProgram, inputs: readonly Value[]): Record<string, unknown> {
  const root = new Map<string | number, unknown>();
  userLeaves(program).forEach((leaf, at) => {
    put(root, keysOf(leaf), plainOf(inputs[at]!));
  });
  return asObject(root) as Record<string, unknown>;
}

const keysOf = ({ root, path }: Leaf): (string | number)[] => [
  root,
  ...path.map((key) => (typeof key === "object" ? key.attribute : key)),
];
const plainOf = (value: Value): unknown =>
  value instanceof Tensor ? moduleTensor(value) : isFloat(value) ? toNumber(value) : value;

function put(into: Map<string | number, unknown>, [key, ...rest]: (string | number)[], value: unknown): void {
  if (rest.length === 0) {
    into.set(key!, value);
    return;
  }
  const inner = (into.get(key!) ?? new Map()) as Map<string | number, unknown>;
  into.set(key!, inner);
  put(inner, rest, value);
}
function asObject(value: unknown): unknown {
  if (!(value instanceof Map)) return value;
  const entries = [...value].map(([key, one]) => [key, asObject(one)] as const);
  if (entries.every(([key]) => typeof key === "number")) return entries.map(([, one]) => one);
  return Object.fromEntries(entries);
}

/** Returns the leaves of what a module gives, in order. */
export function leavesOf(value: unknown): readonly unknown[] {
  if (value instanceof Map) return [...value.values()].flatMap(leavesOf);
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  if (typeof value !== "object" || value === null || "data" in value) return [value];
  return Object.values(value).flatMap(leavesOf);
}

/** Returns a value as text, all bits of tensors included. */
export function bitsOf(value: unknown): string {
  if (value instanceof Tensor) return bitsOf({ ...moduleTensor(value), dtype: value.dtype });
  const plain = isFloat(value as Value) ? toNumber(value as number) : value;
  if (typeof plain !== "object" || plain === null) return String(plain);
  const { dtype, shape, data } = value as ModuleTensor;
  const { buffer, byteOffset, byteLength } = data;
  return `${dtype}[${shape.join()}] ${Buffer.from(buffer, byteOffset, byteLength).toString("hex")}`;
}
