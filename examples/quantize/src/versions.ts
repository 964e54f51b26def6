/** @file The digit classifier in fewer bits, and how well each version reads. */
import { readFile } from "node:fs/promises";
import { castTensor, createSconce, type ExportedProgram, readSafetensors, type Tensor } from "sconce";
import { openPt2File } from "sconce/node";
import { calibrate, quantization, reportValues, type Sample } from "sconce/quantization";

/** A file that ships with Sconce. */
const shipped = (name: string): URL => new URL(import.meta.resolve(`sconce/examples/${name}`));

const sconce = createSconce({ plugins: [quantization] });
const run = sconce.services.evaluator.run!;

/** What a version of the classifier takes and gives. */
export interface Version {
  readonly name: string;
  /** Bytes of the weights. */
  readonly bytes: number;
  /** Images that are read right, of 360. */
  readonly correct: number;
  /** The ratio of signal to noise of the logits, in dB. */
  readonly snr: number;
}

/** How weights are stored, by name. */
const WEIGHTS: Readonly<Record<string, string>> = {
  "float16 weights": "quantize-weights{dtype=float16}",
  "int8 weights": "quantize-weights{bits=8}",
  "int4 weights": "quantize-weights{bits=4}",
  "int2 weights": "quantize-weights{bits=2}",
};

/** The classifier, lowered, with batch norms folded. */
async function loadProgram(): Promise<ExportedProgram> {
  const program = await openPt2File(shipped("digits.pt2"), { operators: sconce.operators });
  return sconce.transform(program, "decompose,fold-batch-norm");
}

/** Computes in int8. Static scales come from samples. */
function inIntegers(program: ExportedProgram, mode: "static" | "dynamic", samples: readonly Sample[]) {
  const prepared = sconce.transform(program, `prepare-quantization{mode=${mode}}`);
  const ready = mode === "static" ? calibrate(prepared, { run, samples, note: console.warn }) : prepared;
  return sconce.transform(ready, "convert-quantization");
}

/** Returns all versions, the program itself first. */
export async function versions(): Promise<Version[]> {
  const program = await loadProgram();
  const { tensors } = readSafetensors(await readFile(shipped("digits-images.safetensors")));
  const images = castTensor(tensors.get("images")!, "float32");
  const labels = tensors.get("labels")!.toArray().map(Number);
  const samples = [0, 24, 48, 72].map((start): Sample => [rows(images, start, 24)]);
  const programs: [string, ExportedProgram][] = [
    ["float32", program],
    ...Object.entries(WEIGHTS).map(([name, pass]): [string, ExportedProgram] => [
      name,
      sconce.transform(program, pass),
    ]),
    ["static int8", inIntegers(program, "static", samples)],
    ["dynamic int8", inIntegers(program, "dynamic", samples)],
  ];
  return programs.map(([name, version]) => {
    const { bytes, outputs } = reportValues(program, version, [[images]], run);
    return { name, bytes: bytes.after, correct: correctOf(version, images, labels), snr: outputs[0]!.snr };
  });
}

const rows = (images: Tensor, start: number, count: number): Tensor =>
  images.asStrided([count, 1, 8, 8], images.strides, images.storageOffset + start * 64).contiguous();

function correctOf(program: ExportedProgram, images: Tensor, labels: readonly number[]): number {
  const [logits] = run(program, [images]).outputs as [Tensor];
  const scores = logits.toArray().map(Number);
  const classes = scores.length / labels.length;
  return labels.filter((label, row) => {
    const own = scores.slice(row * classes, (row + 1) * classes);
    return own.indexOf(Math.max(...own)) === label;
  }).length;
}
