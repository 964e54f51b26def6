/**
 * @file Networks in the forms that PyTorch's quantization tools write, and what is checked of each.
 */
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { type ExportedProgram, FakeTensor, graphText, isRef, type Node, type Value } from "@sconce/ir";
import { returning } from "@sconce/passes";
import type { Sconce } from "@sconce/session";
import { dtypeInfo, readSafetensors, type Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import { FIXTURES } from "./fixtures.js";

/** Texts that PyTorch printed of a loaded program. */
interface Texts {
  readonly text: string;
  readonly graph: string;
  readonly lowered: string;
  readonly loweredGraph: string;
}

const file = brotliDecompressSync(readFileSync(`${FIXTURES}quantized-programs/programs.safetensors.br`));
const { tensors, metadata } = readSafetensors(new Uint8Array(file));
const TEXTS = JSON.parse(metadata.get("texts")!) as Readonly<Record<string, Texts>>;

/** The names of all programs. */
export const NAMES: readonly string[] = Object.keys(TEXTS);

/** What PyTorch made of a program. */
export class RecordedProgram {
  readonly texts: Texts;
  readonly #name: string;
  readonly #prefix: string;

  /** @param call behind the name, where it is not that of the example inputs: `@batch` */
  constructor(name: string, call = "") {
    this.#name = name;
    this.#prefix = `${name}${call}/`;
    this.texts = TEXTS[name]!;
  }

  /** All calls: programs with a dynamic batch have one with another batch. */
  get calls(): readonly RecordedProgram[] {
    const other = new RecordedProgram(this.#name, "@batch");
    return other.inputs.length === 0 ? [this] : [this, other];
  }

  /** The archive, as PyTorch saved it. */
  get archive(): Uint8Array {
    return tensors.get(`${this.#name}/pt2`)!.data as Uint8Array;
  }

  get inputs(): readonly Tensor[] {
    return this.#numbered("in");
  }

  get outputs(): readonly Tensor[] {
    return this.#numbered("out");
  }

  /** The values of nodes that quantize, by name; `.0` behind a name is the first of several. */
  get nodes(): readonly (readonly [string, Tensor])[] {
    const prefix = `${this.#prefix}node/`;
    return [...tensors].flatMap(([key, tensor]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), tensor] as const] : [],
    );
  }

  #numbered(kind: string): readonly Tensor[] {
    const found: Tensor[] = [];
    for (let i = 0; ; i++) {
      const tensor = tensors.get(`${this.#prefix}${kind}/${i}`);
      if (tensor === undefined) return found;
      found.push(tensor);
    }
  }
}

/** Returns the texts that differ from PyTorch's. */
export function textProblems(program: ExportedProgram, lowered: ExportedProgram, texts: Texts): string[] {
  const pairs = [
    ["program", String(program), texts.text],
    ["graph", graphText(program.graph), texts.graph],
    ["lowered", String(lowered), texts.lowered],
    ["lowered graph", graphText(lowered.graph), texts.loweredGraph],
  ] as const;
  return pairs.flatMap(([name, got, want]) => {
    if (got === want) return [];
    const [lines, wanted] = [got.split("\n"), want.split("\n")];
    const at = lines.findIndex((line, i) => line !== wanted[i]);
    return [`${name}, line ${at + 1}: ${lines[at]} instead of ${wanted[at]}`];
  });
}

/** Returns the node with a recorded value; several results have nodes that pick one of them. */
function nodeOf(program: ExportedProgram, name: string): Node | undefined {
  const [whole, index] = name.split(".");
  if (index === undefined) return program.graph.find(name);
  return [...program.graph.nodes()].find(
    ({ target, args: [from, at] }) =>
      target === "operator.getitem" && isRef(from) && from.name === whole && at === Number(index),
  );
}

/** What a run is compared for. */
export interface RunCounts {
  /** Integers that were compared. */
  integers: number;
  floats: number;
}

/**
 * Returns how a run differs from PyTorch's: integers of nodes and outputs have to be equal, floats
 * to be close.
 */
export async function runProblems(
  program: ExportedProgram,
  recorded: RecordedProgram,
  sconce: Sconce,
  backend: string,
  counts: RunCounts,
): Promise<string[]> {
  const found = recorded.nodes.flatMap(([name, value]) => {
    const node = nodeOf(program, name);
    // The rule of `choose_qparams_per_token` says float64, which a run that returns it must give.
    const val = node?.meta.val;
    return val instanceof FakeTensor && val.dtype === value.dtype ? [[node!.name, value] as const] : [];
  });
  const outputs = program.graphSignature.outputSpecs.map(({ arg }) => arg.name);
  const names = [...outputs, ...found.map(([name]) => name)];
  const wanted = [...recorded.outputs, ...found.map(([, value]) => value)];
  const executable = await sconce.compile(returning(program, names), backend);
  const results = await executable.run(recorded.inputs as readonly Value[]);
  executable.dispose();
  return names.flatMap((name, i) => {
    const [got, want] = [results[i] as Tensor, wanted[i]!];
    const isFloat = dtypeInfo(want.dtype).kind === "float";
    counts[isFloat ? "floats" : "integers"] += want.numel;
    const close = { rtol: 1e-5, atol: 1e-5 };
    const problem = compareTensors(got, want, isFloat ? close : { rtol: 0, atol: 0 });
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
}
