/** @file What the demo computes: a trained classifier, lowered, run on the stored test images. */

import { readFile } from "node:fs/promises";
import {
  castTensor,
  compareTensors,
  createSconce,
  type ExportedProgram,
  readSafetensors,
  type Sconce,
  type Tensor,
} from "sconce";
import { openPt2File } from "sconce/node";

/** A file that ships with Sconce. */
const shipped = (name: string): URL => new URL(import.meta.resolve(`sconce/examples/${name}`));

export interface Digits {
  readonly sconce: Sconce;
  /** The name of the backend that classifies. */
  readonly backend: string;
  readonly program: ExportedProgram;
  /** uint8 [360, 1, 8, 8], values 0 to 16. */
  readonly images: Tensor;
  /** uint8 [360]. */
  readonly labels: Tensor;
  /** float32 [360, 10], as PyTorch computed them. */
  readonly logits: Tensor;
}

export async function loadDigits(): Promise<Digits> {
  const sconce = createSconce();
  const program = await openPt2File(shipped("digits.pt2"), { operators: sconce.operators });
  const { tensors } = readSafetensors(await readFile(shipped("digits-images.safetensors")));
  return {
    sconce,
    backend: "auto",
    program,
    images: tensors.get("images")!,
    labels: tensors.get("labels")!,
    logits: tensors.get("logits")!,
  };
}

/** The lowered program with everything computed ahead that does not depend on the image. */
export function optimize({ sconce, program }: Digits): ExportedProgram {
  return sconce.transform(program, "decompose,fold-constants{weights=true},cse,dce", { verify: true });
}

/** How many operators a program calls in one run. */
export function callCount(program: ExportedProgram): number {
  return [...program.opHistogram().values()].reduce((sum, count) => sum + count, 0);
}

export interface Classified {
  /** Predicted digit of each image. */
  readonly predictions: readonly number[];
  /** Correct ones among them. */
  readonly correct: number;
  /** In what our logits differ from PyTorch's, or undefined. */
  readonly difference: string | undefined;
  /** What computed them. */
  readonly device: string;
}

/** Classifies all images in batches. */
export async function classify(
  digits: Digits,
  program: ExportedProgram,
  onProgress: (done: number) => void = () => {},
): Promise<Classified> {
  const module = await digits.sconce.module(program, { backend: digits.backend });
  const pixels = castTensor(digits.images, "float32");
  const total = pixels.shape[0]!;
  const batch = 24;
  const predictions: number[] = [];
  let difference: string | undefined;
  for (let start = 0; start < total; start += batch) {
    const size = Math.min(batch, total - start);
    const logits = (await module.call([rows(pixels, start, size)])) as Tensor;
    difference ??= compareTensors(logits, rows(digits.logits, start, size), { rtol: 1e-4, atol: 1e-4 });
    predictions.push(...argmaxRows(logits));
    onProgress(start + size);
  }
  const { data, storageOffset } = digits.labels;
  const correct = predictions.filter((digit, i) => digit === Number(data[storageOffset + i])).length;
  const device = module.executable.placement?.().device ?? digits.backend;
  return { predictions, correct, difference, device };
}

function rows(tensor: Tensor, start: number, count: number): Tensor {
  const offset = tensor.storageOffset + start * tensor.strides[0]!;
  return tensor.asStrided([count, ...tensor.shape.slice(1)], tensor.strides, offset);
}

function argmaxRows(logits: Tensor): number[] {
  const [count = 0, classes = 0] = logits.shape;
  const data = logits.data as Float32Array;
  const [rowStep = 0, step = 0] = logits.strides;
  return Array.from({ length: count }, (_, row) => {
    let best = 0;
    const at = (i: number): number => data[logits.storageOffset + row * rowStep + i * step]!;
    for (let i = 1; i < classes; i++) if (at(i) > at(best)) best = i;
    return best;
  });
}

/** One image as eight lines of text. */
export function drawDigit(images: Tensor, index: number): string[] {
  const shades = " .:-=+*#%@";
  const data = images.data as Uint8Array;
  const size = images.shape[2]!;
  const start = images.storageOffset + index * images.strides[0]!;
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => {
      const value = data[start + y * images.strides[2]! + x * images.strides[3]!]!;
      return shades[Math.min(9, Math.floor((value / 16) * 9.99))]!.repeat(2);
    }).join(""),
  );
}
