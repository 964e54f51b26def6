/** @file The JSON of saved programs, as `models/model.json` of a `.pt2` file has it. */
import { inflateRawSync } from "node:zlib";
import { joinPieces, pt2Pieces } from "@sconce/formats/write";
import type { ExportedProgram } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { corpusPlugin } from "../conformance/corpus-plugin.js";

const operators = defaultOperators().extend(corpusPlugin.ops ?? []);

/** Returns the parsed `models/model.json` of a program. */
export async function modelJson(program: ExportedProgram): Promise<unknown> {
  return JSON.parse(textOf((await savedEntries(program)).get("models/model.json")!));
}

/** Returns what is in the file of a saved program, by names without the folder of the archive. */
export async function savedEntries(program: ExportedProgram): Promise<Map<string, Uint8Array>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of pt2Pieces(program, { operators, onWarning: () => undefined })) pieces.push(piece);
  return zipEntries(joinPieces(pieces));
}

const END_RECORD = 0x06054b50;
/** The method of packed entries, which small fixtures have. */
const DEFLATED = 8;

/** Returns the stored entries of a zip archive, without its folder. */
export function zipEntries(bytes: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = new Map<string, Uint8Array>();
  let end = bytes.length - 22;
  while (view.getUint32(end, true) !== END_RECORD) end--;
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    const [size, nameSize, extra, comment, local] = [
      view.getUint32(at + 20, true),
      view.getUint16(at + 28, true),
      view.getUint16(at + 30, true),
      view.getUint16(at + 32, true),
      view.getUint32(at + 42, true),
    ] as const;
    const name = textOf(bytes.subarray(at + 46, at + 46 + nameSize));
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const stored = bytes.subarray(start, start + size);
    const isPacked = view.getUint16(at + 10, true) === DEFLATED;
    entries.set(name.slice(name.indexOf("/") + 1), isPacked ? inflateRawSync(stored) : stored);
    at += 46 + nameSize + extra + comment;
  }
  return entries;
}

export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** A hash of the entries. */
const HASH = ".data/serialization_id";

/**
 * Returns the places where the entries of two files differ, but for `models/model.json`: names, the
 * fields of JSON, the bytes of weights and of constants, and the parts of the sample inputs.
 */
export function entryDifferences(
  got: ReadonlyMap<string, Uint8Array>,
  wanted: ReadonlyMap<string, Uint8Array>,
): string[] {
  return [...new Set([...got.keys(), ...wanted.keys()])].flatMap((name) => {
    const [own, other] = [got.get(name), wanted.get(name)];
    if (name === "models/model.json" || name === HASH) return [];
    if (own === undefined || other === undefined)
      return [`${name}: ${own === undefined ? "missing" : "not in PyTorch's file"}`];
    if (name.endsWith(".json"))
      return jsonDifferences(JSON.parse(textOf(own)), JSON.parse(textOf(other)), name);
    if (own.length === 0 || other.length === 0)
      return own.length === other.length ? [] : [`${name}: ${own.length} bytes, not ${other.length}`];
    if (name.endsWith(".pt"))
      return entryDifferences(zipEntries(own), zipEntries(other)).map((text) => `${name} ${text}`);
    return Buffer.compare(own, other) === 0 ? [] : [`${name}: ${own.length} bytes, not ${other.length}`];
  });
}

/**
 * Returns a program's JSON without what holds names and places of Python: the version with the name
 * of the build, the lines of sources (`stack_trace`), how Python spelled a call (`torch_fn`), and
 * the classes of modules, whose paths are compared.
 */
export function comparableJson(json: unknown): unknown {
  return mapRecords(json, (key, value) => {
    if (key === "torch_version" && typeof value === "string") return value.split("+")[0];
    if (key !== "metadata" || !isRecord(value)) return value;
    const { stack_trace: _trace, torch_fn: _function, nn_module_stack: stack, ...rest } = value;
    return stack === undefined ? rest : { ...rest, nn_module_stack: modulePaths(String(stack)) };
  });
}

/** `layers.0` of `L__self__layers.0,layers.0,torch.nn.modules.linear.Linear`. */
const modulePaths = (stack: string): readonly (string | undefined)[] =>
  stack.split(";").map((entry) => entry.split(",")[1]);

function mapRecords(json: unknown, change: (key: string, value: unknown) => unknown): unknown {
  if (Array.isArray(json)) return json.map((item) => mapRecords(item, change));
  if (!isRecord(json)) return json;
  const entries = Object.entries(json).map(([key, value]) => [key, mapRecords(change(key, value), change)]);
  return Object.fromEntries(entries) as unknown;
}

/** Returns the values of results that ask for gradients; PyTorch records none. */
export function resultsThatAskForGradients(json: unknown): string[] {
  const { inputs, tensor_values: values } = (json as SavedProgram).graph_module.graph;
  const given = new Set(inputs.map(({ as_tensor: tensor }) => tensor?.name));
  return Object.keys(values).filter((name) => values[name]!.requires_grad && !given.has(name));
}

interface SavedProgram {
  readonly graph_module: {
    readonly graph: {
      readonly inputs: readonly { readonly as_tensor?: { readonly name: string } }[];
      readonly tensor_values: Readonly<Record<string, { readonly requires_grad: boolean }>>;
    };
  };
}

/** Returns the places where two JSON values differ: `graph.nodes.3.target: "a", not "b"`. */
export function jsonDifferences(got: unknown, wanted: unknown, path = ""): string[] {
  if (isRecord(got) && isRecord(wanted)) {
    const keys = new Set([...Object.keys(got), ...Object.keys(wanted)]);
    return [...keys].flatMap((key) => jsonDifferences(got[key], wanted[key], `${path}.${key}`));
  }
  if (Array.isArray(got) && Array.isArray(wanted) && got.length === wanted.length)
    return got.flatMap((item, i) => jsonDifferences(item, wanted[i], `${path}.${i}`));
  return Object.is(got, wanted) ? [] : [`${path}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
