/** @file Reads a program folder in the oracle's format: `case.json`, texts, inputs and outputs. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { float, type TreeSpec, type Value } from "@sconce/ir";
import {
  castTensor,
  contiguousStrides,
  type DType,
  getElement,
  numel,
  readSafetensors,
  Storage,
  setElement,
  Tensor,
} from "@sconce/tensor";

/** A leaf of a call: a stored tensor, a filled or listed one, or a Python scalar. */
type CaseLeaf =
  | {
      readonly kind: "tensor";
      readonly tensor?: string;
      readonly dtype: DType;
      readonly shape: readonly number[];
      readonly stride?: readonly number[];
      readonly fill?: unknown;
      readonly values?: readonly unknown[];
    }
  | { readonly kind: "int" | "float" | "bool" | "str"; readonly value: unknown }
  | { readonly kind: "none" };

/** Containers with leaf numbers: `{"tuple": [0, {"dict": [["k", 1]]}]}`. */
export type CaseTree = number | null | { readonly [kind: string]: readonly unknown[] };

export interface CaseCall {
  readonly note?: string;
  readonly inputs: readonly CaseLeaf[];
  readonly outputs?: readonly CaseLeaf[];
  readonly input_tree: CaseTree;
  readonly inputs_file?: string;
  readonly outputs_file?: string;
  readonly buffers_after?: Readonly<Record<string, string>>;
  readonly inputs_after?: Readonly<Record<string, string>>;
  readonly error?: { readonly type: string; readonly message: string };
}

export interface ProgramCase {
  readonly name: string;
  readonly status: "exported" | "export_error";
  readonly compare_values?: boolean;
  readonly sequence?: boolean;
  readonly tolerance: { readonly rtol: number; readonly atol: number };
  readonly program: {
    readonly save_error?: unknown;
    readonly load_error?: unknown;
    readonly guards_code?: readonly string[];
  };
  readonly decomposed?: {
    readonly error?: unknown;
    readonly load_error?: unknown;
    readonly same_as_program?: boolean;
    readonly guards_code?: readonly string[];
  };
  readonly variants?: Readonly<Record<string, { readonly how: string; readonly call?: CaseCall }>>;
  readonly call?: CaseCall;
  readonly more?: readonly CaseCall[];
  readonly rejected?: readonly CaseCall[];
  readonly in_spec?: readonly [number, TreeSpec];
}

/** One folder. */
export class ProgramFolder {
  readonly path: string;
  readonly info: ProgramCase;

  constructor(path: string) {
    this.path = path;
    this.info = JSON.parse(readFileSync(join(path, "case.json"), "utf8")) as ProgramCase;
  }

  has(file: string): boolean {
    return existsSync(join(this.path, file));
  }

  bytes(file: string): Uint8Array {
    return readFileSync(join(this.path, file));
  }

  text(file: string): string {
    return readFileSync(join(this.path, file), "utf8");
  }

  inputs(call: CaseCall): Value[] {
    const stored = this.#tensors(call.inputs_file);
    return call.inputs.map((leaf) => leafValue(leaf, stored));
  }

  outputs(call: CaseCall): { values: Value[]; stored: ReadonlyMap<string, Tensor> } {
    const stored = this.#tensors(call.outputs_file);
    return { values: (call.outputs ?? []).map((leaf) => leafValue(leaf, stored)), stored };
  }

  #tensors(file: string | undefined): ReadonlyMap<string, Tensor> {
    return file === undefined ? new Map() : readSafetensors(this.bytes(file)).tensors;
  }
}

function leafValue(leaf: CaseLeaf, stored: ReadonlyMap<string, Tensor>): Value {
  if (leaf.kind === "none") return null;
  if (leaf.kind === "tensor") return leafTensor(leaf, stored);
  if (leaf.kind === "float") return float(numberOf(leaf.value)) as Value;
  return leaf.value as Value;
}

function leafTensor(
  leaf: Extract<CaseLeaf, { kind: "tensor" }>,
  stored: ReadonlyMap<string, Tensor>,
): Tensor {
  if (leaf.tensor !== undefined) {
    const tensor = stored.get(leaf.tensor);
    if (tensor === undefined) throw new Error(`the file has no tensor ${leaf.tensor}`);
    return leaf.stride === undefined ? tensor : restride(tensor, leaf.stride);
  }
  const count = numel(leaf.shape);
  const values = leaf.values?.map(numberOf) ?? new Array<number>(count).fill(numberOf(leaf.fill));
  const wide = new Tensor({
    dtype: "float64",
    shape: leaf.shape,
    storage: new Storage(new Uint8Array(Float64Array.from(values).buffer)),
  });
  return castTensor(wide, leaf.dtype);
}

function restride(tensor: Tensor, strides: readonly number[]): Tensor {
  const last = tensor.shape.reduce((sum, size, d) => sum + (size - 1) * strides[d]!, 1);
  const flat = Tensor.empty([Math.max(last, 0)], tensor.dtype);
  const result = flat.asStrided(tensor.shape, strides, 0);
  const order = contiguousStrides(tensor.shape);
  const count = tensor.numel;
  for (let i = 0; i < count; i++) {
    const index = tensor.shape.map((size, d) => Math.floor(i / order[d]!) % size);
    setElement(result, index, getElement(tensor, index));
  }
  return result;
}

function numberOf(value: unknown): number {
  if (typeof value === "object" && value !== null) {
    const text = (value as { float: string }).float;
    return text === "nan" ? Number.NaN : text === "inf" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  }
  return Number(value);
}

/**
 * The containers of a call with its leaves in place; undefined where JavaScript has no form for
 * them.
 */
export function buildTree(tree: CaseTree, leaves: readonly Value[]): { value: unknown } | undefined {
  if (tree === null) return { value: null };
  if (typeof tree === "number") return { value: leaves[tree] };
  const [kind] = Object.keys(tree);
  const shape = SHAPES.get(kind!);
  if (shape === undefined) return undefined;
  const parts = tree[shape.children ?? kind!]!;
  const pairs = shape.named
    ? (parts as readonly (readonly [string, CaseTree])[])
    : (parts as readonly CaseTree[]).map((child, i) => [String(i), child] as const);
  const built = pairs.map(([key, child]) => [key, buildTree(child, leaves)] as const);
  if (built.some(([, child]) => child === undefined)) return undefined;
  return { value: shape.make(built.map(([key, child]) => [key, child!.value] as const)) };
}

type Entries = readonly (readonly [string, unknown])[];

interface Shape {
  /** Where the children are, if not under the container's own name. */
  readonly children?: string;
  readonly named: boolean;
  make(entries: Entries): unknown;
}

const values = (entries: Entries): unknown[] => entries.map(([, value]) => value);

const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["tuple", { named: false, make: values }],
  ["list", { named: false, make: values }],
  ["deque", { named: false, make: values }],
  ["node", { children: "children", named: false, make: values }],
  ["dict", { named: true, make: Object.fromEntries }],
  ["OrderedDict", { named: true, make: (entries) => new Map(entries) }],
  ["defaultdict", { named: true, make: (entries) => new Map(entries) }],
  ["dataclass", { children: "fields", named: true, make: Object.fromEntries }],
  ["namedtuple", { children: "fields", named: true, make: values }],
]);
