/** @file Fuzz targets of programs: graph text, `.sir`, archives and what is in them, histories. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ExportedProgram, Graph } from "@sconce/ir";
import {
  historyFromJson,
  historyTensors,
  historyToJson,
  type RecordedHistory,
  replay,
} from "@sconce/ir/history";
import { parseGraph, parseIr, printIr, tensorsOf } from "@sconce/ir/text";
import { verify, verifyGraph } from "@sconce/ir/verify";
import { createSconce } from "@sconce/session";
import { readSafetensors, type Safetensors, Tensor, writeSafetensors } from "@sconce/tensor";
import { unzipSync, zipSync } from "fflate";
import type { FuzzTarget } from "./fuzz.fixture.js";
import { mutateBytes, mutateJson, mutateText, type Random } from "./random.fixture.js";

const FOLDER = fileURLToPath(new URL("../../fixtures/programs/", import.meta.url));
const archiveOf = (name: string): Uint8Array => new Uint8Array(readFileSync(`${FOLDER}${name}/program.pt2`));

const session = createSconce();
const BASES = [
  "ir_add",
  "ir_cond",
  "shape_numbers",
  "pm_shape_guard_auto",
  "lifted_shared_storage",
  "unbacked_split",
].map(archiveOf);
const PROGRAMS = await Promise.all(BASES.map((bytes) => session.load(bytes)));
const LOWERED = PROGRAMS.map((program) => session.transform(program, "decompose,cse,dce"));

/** What the reader gives must print, verify and compile without an untyped error. */
async function useProgram(program: ExportedProgram): Promise<void> {
  String(program);
  printIr(program);
  verify(program, { operators: session.operators });
  // Nobody asks whether it is valid.
  await session.module(program);
}

const TYPES = ["f32[2, 3]", "f32[s0, 3]", "i64[]", "int(s0)", "(f32[2], i64[2])", "bool(s0 < 3)", "none"];
const CALLS = ["aten.relu.default", "aten.add.Tensor", "aten.mul.Tensor", "operator.add", "my.op.default"];
const VALUES = [
  "1",
  "2.5",
  "none",
  "true",
  "float32",
  "[1, 2]",
  "(1, %x)",
  '"text"',
  '{"k": 1}',
  "device(cpu)",
];

function graphText(random: Random): string {
  const names = ["x", "y"];
  const value = (): string => (random.once(2) ? `%${random.pick(names)}` : random.pick(VALUES));
  const lines = random.list(5, () => {
    const args = [`%${random.pick(names)}`, ...random.list(2, value)];
    const name = `v${names.length}`;
    const line = `  %${name}: ${random.pick(TYPES)} = ${random.pick(CALLS)}(${args.join(", ")})${random.once(3) ? " #0" : ""}`;
    names.push(name);
    return line;
  });
  const inputs = `%x: ${random.pick(TYPES)}, %y: ${random.pick(TYPES)}`;
  const metadata = random.once(2) ? '\nmetadata {\n  #0 {"stackTrace": "a line"}\n}' : "";
  const comment = random.once(3) ? "// a comment\n" : "";
  const body = [...lines, `  return (%${random.pick(names)})`].join("\n");
  return `${comment}graph(${inputs}) {\n${body}\n}${metadata || '\nmetadata {\n  #0 {"custom": {"a": 1}}\n}'}`;
}

function safetensors(random: Random): Uint8Array {
  const dtypes = ["float32", "int64", "uint8", "bool", "float16"] as const;
  const tensors = random.list(4, () => {
    const shape = random.list(3, () => random.below(4));
    return Tensor.from(
      new Array(shape.reduce((a, b) => a * b, 1)).fill(1) as number[],
      shape,
      random.pick(dtypes),
    );
  });
  return writeSafetensors(tensors.map((tensor, i) => [`t${i}`, tensor] as const));
}

/** Changes the text of the header and keeps its length right, or changes bytes. */
function mutateSafetensors(bytes: Uint8Array, random: Random): Uint8Array {
  if (random.once(2)) return mutateBytes(bytes, random);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = view.getUint32(0, true);
  const text = new TextDecoder().decode(bytes.subarray(8, 8 + length));
  const header = new TextEncoder().encode(
    random.once(2) ? JSON.stringify(mutateJson(JSON.parse(text), random)) : mutateText(text, random),
  );
  const changed = new Uint8Array(8 + header.length + bytes.length - 8 - length);
  new DataView(changed.buffer).setUint32(0, header.length, true);
  changed.set(header, 8);
  changed.set(bytes.subarray(8 + length), 8 + header.length);
  return changed;
}

type Records = Record<string, Uint8Array>;
const packed = (records: Records): Uint8Array => zipSync(records, { level: 0 });

/** An archive with a change to the JSON of one of its records. */
function mutateRecords(bytes: Uint8Array, random: Random): Uint8Array {
  const records: Records = unzipSync(bytes);
  const documents = Object.keys(records).filter((name) => name.endsWith(".json"));
  const name = random.once(8) ? random.pick(documents) : documents.find((one) => one.includes("models/"))!;
  const text = new TextDecoder().decode(records[name]);
  const changed = random.once(6)
    ? mutateText(text, random)
    : JSON.stringify(mutateJson(JSON.parse(text), random));
  return packed({ ...records, [name]: new TextEncoder().encode(changed) });
}

/** A pickle of protocol 2 with plain values in it. */
function pickled(random: Random, depth: number): number[] {
  const inner = (): number[] => pickled(random, depth - 1);
  const text = (word: string): number[] => [0x58, word.length, 0, 0, 0, ...Buffer.from(word)];
  switch (depth === 0 ? random.below(5) : random.below(9)) {
    case 0:
      return [0x4b, random.below(256)];
    case 1:
      return [0x4a, ...Array.from({ length: 4 }, () => random.below(256))];
    case 2:
      return [random.pick([0x4e, 0x88, 0x89])];
    case 3:
      return text(random.pick(["a", "__proto__", "k"]));
    case 4:
      return [0x8a, 2, random.below(256), random.below(256)];
    case 5:
      return [...inner(), ...inner(), 0x86];
    case 6:
      return [0x5d, 0x28, ...inner(), ...inner(), 0x65];
    case 7:
      return [0x7d, ...text("k"), ...inner(), 0x73];
    default:
      return [0x7d, 0x71, 1, 0x28, ...text("a"), ...inner(), 0x75];
  }
}

/** An archive whose sample inputs are `((value, value), {})`. */
function withSamples(random: Random): Uint8Array {
  const leaf = (): number[] => pickled(random, random.once(4) ? 2 : 0);
  const data = [0x80, 2, ...leaf(), ...leaf(), 0x86, 0x7d, 0x86, 0x2e];
  const file = packed({ "m/data.pkl": Uint8Array.from(data), "m/version": Uint8Array.of(0x33) });
  return samplesOf(file);
}

const SAMPLES = /sample_inputs\/.*\.pt$/;
function samplesOf(file: Uint8Array): Uint8Array {
  const records: Records = unzipSync(BASES[0]!);
  const name = Object.keys(records).find((one) => SAMPLES.test(one))!;
  return packed({ ...records, [name]: file });
}

function mutateSamples(bytes: Uint8Array, random: Random): Uint8Array {
  const records: Records = unzipSync(bytes);
  const inner: Records = unzipSync(records[Object.keys(records).find((one) => SAMPLES.test(one))!]!);
  return samplesOf(packed({ ...inner, "m/data.pkl": mutateBytes(inner["m/data.pkl"]!, random) }));
}

const HISTORY = historyToJson(LOWERED[1]!);
const TENSORS = new Map([...tensorsOf(LOWERED[1]!), ...historyTensors(LOWERED[1]!)]);

const TEXTS: readonly FuzzTarget<string>[] = [
  {
    name: "graph text",
    generate: graphText,
    mutate: (text, random) => mutateText(text, random, [...TYPES, ...CALLS, ...VALUES, "%v2", "graph"]),
    read: (text) => parseGraph(text),
    use: (graph: Graph) => {
      printIr(graph);
      verifyGraph(graph);
    },
  },
  {
    name: ".sir",
    generate: (random) => printIr(random.pick(random.once(2) ? PROGRAMS : LOWERED)),
    mutate: (text, random) => mutateText(text, random, ["guard", "range", "input", "%x", "s0", "call", "("]),
    read: (text) => parseIr(text),
    use: useProgram,
  },
  {
    name: "histories",
    generate: () => HISTORY,
    mutate: (text, random) =>
      random.once(4) ? mutateText(text, random) : JSON.stringify(mutateJson(JSON.parse(text), random)),
    read: (text) => historyFromJson(text, TENSORS),
    use: (history: RecordedHistory) => {
      replay(history, PROGRAMS[1]!);
    },
  },
];

const FILES: readonly FuzzTarget<Uint8Array>[] = [
  {
    name: "safetensors",
    generate: safetensors,
    mutate: mutateSafetensors,
    read: (bytes) => readSafetensors(bytes),
    use: ({ tensors }: Safetensors) => {
      for (const tensor of tensors.values()) tensor.toArray();
    },
  },
  {
    name: "JSON of archives",
    generate: (random) => random.pick(BASES),
    mutate: mutateRecords,
    read: (bytes) => session.load(bytes),
    use: useProgram,
  },
  {
    name: "zip",
    generate: (random) => packed(unzipSync(random.pick(BASES))),
    mutate: mutateBytes,
    read: (bytes) => session.load(bytes),
    use: useProgram,
  },
  {
    name: "pickles",
    generate: withSamples,
    mutate: mutateSamples,
    read: async (bytes) => (await session.load(bytes)).exampleInputs?.leaves,
  },
];

/** The targets of this file. */
export const PROGRAM_TARGETS = [...TEXTS, ...FILES] as const;
