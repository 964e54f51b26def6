/** @file The digit classifier on a backend, held against the interpreter. */
import {
  type Backend,
  castTensor,
  compareTensors,
  type Placement,
  readSafetensors,
  type Sconce,
  type Tensor,
} from "sconce";

/** Closeness of logits: sums of a few hundred products in float32, in another order. */
const CLOSE = { rtol: 1e-4, atol: 1e-4 };

export interface DigitsReport {
  /** Predicted digit of each image. */
  readonly predictions: readonly number[];
  /** What the interpreter predicts. */
  readonly expected: readonly number[];
  /** How many predictions are the labels. */
  readonly correct: number;
  /**
   * In what the logits differ from the interpreter's, and from PyTorch's; null when they are close.
   */
  readonly fromInterpreter: string | null;
  readonly fromTorch: string | null;
  readonly milliseconds: { readonly compile: number; readonly first: number; readonly second: number };
  readonly placement: Placement | null;
}

/** Loads the program from beside the page and classifies all images in one batch. */
export async function runDigits(sconce: Sconce, backend: string | Backend): Promise<DigitsReport> {
  const program = await sconce.load(await bytesOf("digits.pt2"));
  const { tensors } = readSafetensors(await bytesOf("digits-images.safetensors"));
  const images = castTensor(tensors.get("images")!, "float32");
  using interpreter = await sconce.compile(program, "cpu");
  const [want] = (await interpreter.run([images])) as [Tensor];
  const start = performance.now();
  using executable = await sconce.compile(program, backend);
  const compiled = performance.now();
  await executable.run([images]);
  const first = performance.now();
  const [logits] = (await executable.run([images])) as [Tensor];
  const second = performance.now();
  const predictions = argmaxRows(logits);
  const labels = tensors.get("labels")!.toFloat64Array();
  return {
    predictions,
    expected: argmaxRows(want),
    correct: predictions.filter((digit, i) => digit === labels[i]).length,
    fromInterpreter: compareTensors(logits, want, CLOSE) ?? null,
    fromTorch: compareTensors(logits, tensors.get("logits")!, CLOSE) ?? null,
    milliseconds: { compile: compiled - start, first: first - compiled, second: second - first },
    placement: executable.placement?.() ?? null,
  };
}

async function bytesOf(file: string): Promise<Uint8Array> {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

function argmaxRows(logits: Tensor): number[] {
  const [rows = 0, classes = 0] = logits.shape;
  const scores = logits.toFloat64Array();
  return Array.from({ length: rows }, (_, row) => {
    const own = scores.subarray(row * classes, (row + 1) * classes);
    return own.indexOf(Math.max(...own));
  });
}
