/** @file The page: runs what its address asks for, shows it, and leaves it as JSON. */
import { gpujsBackend } from "@sconce/backend-gpujs";
import { createSconce } from "sconce";
import { type DigitsReport, runDigits } from "./digits.js";
import { readOptions } from "./options.js";
import type { RandomReport } from "./random-programs.js";

/** What the page leaves in `#result`. */
export type PageResult =
  | { readonly digits: DigitsReport; readonly random: readonly RandomReport[] }
  | { readonly error: string };

async function run(): Promise<PageResult> {
  const { backend: options, programs } = readOptions(location.search);
  const sconce = createSconce({ backends: [gpujsBackend(options)] });
  const digits = await runDigits(sconce, "gpujs");
  show(digitsText(digits));
  if (programs === 0) return { digits, random: [] };
  // The generator is loaded only where it is asked for.
  const { runRandomPrograms } = await import("./random-programs.js");
  const random = await runRandomPrograms(sconce.backends.get("gpujs")!, programs);
  show(`${digitsText(digits)}\n\n${random.map(randomText).join("\n")}`);
  return { digits, random };
}

function digitsText(report: DigitsReport): string {
  const { predictions, correct, milliseconds, placement, fromInterpreter, fromTorch } = report;
  const { compile, first, second } = milliseconds;
  const nodes = placement?.nodes.map(({ target, place, reason }) => `  ${place}  ${target}  ${reason ?? ""}`);
  return [
    `device       ${placement?.device}`,
    `predictions  ${predictions.slice(0, 40).join(" ")} ...`,
    `correct      ${correct} of ${predictions.length}`,
    `interpreter  ${fromInterpreter ?? "agrees"}`,
    `PyTorch      ${fromTorch ?? "agrees"}`,
    `compile      ${compile.toFixed(1)} ms`,
    `runs         ${first.toFixed(1)} ms, then ${second.toFixed(1)} ms`,
    `placement    ${placement?.kernels} kernels in ${placement?.regions} regions`,
    ...(nodes ?? []),
  ].join("\n");
}
const randomText = ({ seed, kernels, difference }: RandomReport): string =>
  `random program ${seed}: ${kernels} kernels, ${difference ?? "agrees with the interpreter"}`;

function show(text: string): void {
  document.querySelector("#report")!.textContent = text;
}

const result = await run().catch((error: unknown): PageResult => {
  const text = error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
  show(text);
  return { error: text };
});
document.querySelector("#result")!.textContent = JSON.stringify(result);
document.documentElement.dataset["state"] = "done";
