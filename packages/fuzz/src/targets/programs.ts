/** @file Targets of programs: graph text, `.sir`, histories, reproducers, safetensors, `.npy`. */
import { parseReproducer, readNpy, reproducerText } from "@sconce/cli/readers";
import { isSconceError } from "@sconce/errors";
import type { Graph } from "@sconce/ir";
import {
  historyFromJson,
  historyTensors,
  historyToJson,
  type RecordedHistory,
  replay,
  restoreHistory,
} from "@sconce/ir/history";
import { parseGraph, parseIr, printIr, tensorsOf } from "@sconce/ir/text";
import { verifyGraph } from "@sconce/ir/verify";
import { readSafetensors, type Safetensors, Tensor, writeSafetensors } from "@sconce/tensor";
import type { FuzzTarget } from "../support/driver.js";
import { mutateBytes, mutateJson, mutateJsonText, mutateText, type Random } from "../support/random.js";
import { IR_TEXTS, LOWERED, PROGRAMS } from "./bases.js";
import { sizedProgram } from "./expressions.js";
import { useProgram } from "./use-program.js";

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

/** NumPy's files of small arrays. */
function npy(random: Random): Uint8Array {
  const shape = random.list(3, () => random.below(4));
  const [descr, size] = random.pick([
    ["<f4", 4],
    ["<i8", 8],
    ["|b1", 1],
    ["<c8", 8],
  ] as const);
  const text = `{'descr': '${descr}', 'fortran_order': ${random.pick(["False", "True"])}, 'shape': (${shape.join(", ")}${shape.length === 1 ? "," : ""}), }\n`;
  const header = new Uint8Array(10 + text.length);
  header.set([...Buffer.from("\x93NUMPY\x01\0", "latin1"), text.length & 255, text.length >> 8]);
  header.set(Buffer.from(text), 10);
  const data = new Uint8Array(shape.reduce((a, b) => a * b, 1) * size).fill(random.below(256));
  return Uint8Array.from([...header, ...data]);
}

const HISTORIES = LOWERED.map((program) => ({
  text: historyToJson(program),
  tensors: new Map([...tensorsOf(program), ...historyTensors(program)]),
}));
const ALL_TENSORS = new Map(HISTORIES.flatMap(({ tensors }) => [...tensors]));

const REPRODUCERS = PROGRAMS.slice(0, 4).map((program) =>
  reproducerText({
    program,
    inputs: (program.exampleInputs?.leaves ?? []).filter((leaf) => leaf instanceof Tensor),
    passes: "decompose,cse,dce",
    plugins: ["./plugin.mjs"],
    check: { seed: 3, rtol: 1e-5 },
    failure: { kind: "numbers", code: "PASS_CHANGED_NUMBERS", pass: "cse", message: "an output differs" },
  }),
);

/** Reads a file as the command does, which adds its path to errors. */
function placed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isSconceError(error) ? error.at("the file") : error;
  }
}

const WORDS = ["guard", "range", "input", "%x", "s0", "call", "(", "symbol", "opset", "examples", "none"];

const TEXTS: readonly FuzzTarget<string>[] = [
  {
    name: "graph text",
    readers: ["parseGraph"],
    generate: graphText,
    mutate: (text, random) => mutateText(text, random, [...TYPES, ...CALLS, ...VALUES, "%v2", "graph"]),
    read: (text) => parseGraph(text),
    use: (graph: Graph) => {
      printIr(graph);
      verifyGraph(graph);
    },
  },
  {
    name: "IR text",
    readers: ["parseIr"],
    generate: (random) => random.pick(IR_TEXTS),
    mutate: (text, random) => mutateText(text, random, WORDS),
    read: (text) => parseIr(text),
    use: useProgram,
  },
  {
    name: "sizes in IR text",
    readers: ["parseIr"],
    generate: sizedProgram,
    mutate: (text, random) => mutateText(text, random, WORDS),
    read: (text) => parseIr(text),
    use: useProgram,
  },
  {
    name: "histories",
    readers: ["historyFromJson"],
    generate: (random) => random.pick(HISTORIES).text,
    mutate: (text, random) => mutateJsonText(text, random),
    read: (text) => historyFromJson(text, ALL_TENSORS),
    use: (history: RecordedHistory, random: Random) => {
      const at = random.below(PROGRAMS.length);
      if (random.once(2)) replay(history, PROGRAMS[at]!);
      else restoreHistory(LOWERED[at]!, history);
    },
  },
  {
    name: "reproducers",
    readers: ["parseReproducer"],
    generate: (random) => random.pick(REPRODUCERS),
    mutate: (text, random) => mutateText(text, random, ["--- tensors", "[]", "{}", "storage", "0", ...WORDS]),
    read: (text) => placed(() => parseReproducer(text)),
    use: (file: ReturnType<typeof parseReproducer>) => reproducerText(file),
  },
];

const FILES: readonly FuzzTarget<Uint8Array>[] = [
  {
    name: "safetensors",
    readers: ["readSafetensors"],
    generate: safetensors,
    mutate: mutateSafetensors,
    read: (bytes) => readSafetensors(bytes),
    use: ({ tensors }: Safetensors) => {
      for (const tensor of tensors.values()) tensor.toArray();
    },
  },
  {
    name: "npy",
    readers: ["readNpy"],
    generate: npy,
    mutate: (bytes, random) => (random.once(2) ? mutateBytes(bytes, random) : mutateHeader(bytes, random)),
    read: (bytes) => placed(() => readNpy(bytes)),
    use: (tensor: Tensor) => tensor.toArray(),
  },
];

/** Changes the text of a header of `.npy`, and keeps its length right. */
function mutateHeader(bytes: Uint8Array, random: Random): Uint8Array {
  const length = bytes[8]! + 256 * bytes[9]!;
  const text = Buffer.from(bytes.subarray(10, 10 + length)).toString("latin1");
  const header = Buffer.from(mutateText(text, random, ["'<f8'", "(2,)", "99999999999999999999"]), "latin1");
  const marks = [...bytes.subarray(0, 8), header.length & 255, header.length >> 8];
  return Uint8Array.from([...marks, ...header, ...bytes.subarray(10 + length)]);
}

/** The targets of this file. */
export const PROGRAM_TARGETS = [...TEXTS, ...FILES] as const;
