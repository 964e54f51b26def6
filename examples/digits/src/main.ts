/**
 * @file `npm run demo`: a program that PyTorch trained and exported, read, lowered and run here.
 */

import cliProgress from "cli-progress";
import { texts } from "sconce";
import { callCount, classify, drawDigit, loadDigits, optimize } from "./classify.js";

/** What PyTorch reaches on the same images (its own logits against the labels). */
function torchCorrect(logits: Float32Array, labels: Uint8Array, classes: number): number {
  return labels.subarray(0, logits.length / classes).reduce((correct, label, row) => {
    const scores = logits.subarray(row * classes, (row + 1) * classes);
    return correct + Number(scores.indexOf(Math.max(...scores)) === label);
  }, 0);
}

function heading(text: string): void {
  console.log(`\n${text}\n${"-".repeat(text.length)}`);
}

const digits = await loadDigits();
const { program, images, labels, logits } = digits;
const total = images.shape[0]!;

heading("The program, as PyTorch exported it");
console.log(
  `torch ${program.torchVersion}, dialect ${program.dialect}, ${program.graph.size} nodes (${callCount(program)} calls), ${program.parameterNames.size} parameters`,
);
console.log(texts.graph(program.graph));

const start = performance.now();
const optimized = optimize(digits);
heading("After decompose, fold-constants, cse, dce");
console.log(
  `dialect ${optimized.dialect}, ${optimized.graph.size} nodes (${callCount(optimized)} calls), made in ${(performance.now() - start).toFixed(0)} ms`,
);
console.log(texts.graph(optimized.graph));

heading(`Classifying ${total} handwritten digits`);
const bar = new cliProgress.SingleBar(
  { clearOnComplete: true, stream: process.stderr, noTTYOutput: false },
  cliProgress.Presets.shades_classic,
);
const interactive = process.stderr.isTTY === true;
if (interactive) bar.start(total, 0);
const result = await classify(digits, optimized, (done) => {
  if (interactive) bar.update(done);
});
if (interactive) bar.stop();

const shown = [0, 1, 2, 3];
const drawings = shown.map((index) => drawDigit(images, index));
for (let line = 0; line < drawings[0]!.length; line++)
  console.log(drawings.map((drawing) => drawing[line]).join("   "));
console.log(
  shown
    .map((index) => `is ${labels.data[index]}, read as ${result.predictions[index]}`.padEnd(16))
    .join("   "),
);

const torch = torchCorrect(logits.data as Float32Array, labels.data as Uint8Array, logits.shape[1]!);
const percent = (count: number): string => `${((100 * count) / total).toFixed(2)} %`;
console.log(`\nrun on ${result.device}`);
console.log(
  `accuracy ${percent(result.correct)} (${result.correct} of ${total}); PyTorch's ${percent(torch)} (${torch} of ${total})`,
);
console.log(
  result.difference === undefined
    ? "all logits agree with PyTorch's"
    : `logits differ from PyTorch's: ${result.difference}`,
);
process.exitCode = result.difference === undefined && result.correct === torch ? 0 : 1;
