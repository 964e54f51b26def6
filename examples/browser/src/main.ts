/** @file The page: runs what its address asks for, shows it, and leaves it as JSON. */
import { createSconce } from "sconce";
import { gpujsBackend } from "sconce/gpujs";
import { type DigitsReport, runDigits } from "./digits.js";
import { readOptions } from "./options.js";
import type { Reports } from "./reports.js";

/** What the page leaves in `#result`. */
export type PageResult = ({ readonly digits: DigitsReport } & Reports) | { readonly error: string };

async function run(): Promise<PageResult> {
  const asked = readOptions(location.search);
  const sconce = createSconce({ backends: [gpujsBackend(asked.backend)] });
  const digits = await runDigits(sconce, "gpujs");
  show(digitsText(digits));
  if (location.search === "") return { digits };
  // What only tests ask for is loaded only then.
  const { runReports, reportText } = await import("./reports.js");
  const reports = await runReports(sconce, asked);
  show(`${digitsText(digits)}\n\n${reportText(reports)}`);
  return { digits, ...reports };
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
