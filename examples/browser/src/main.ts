/** @file The page: runs what its address asks for, shows it, and leaves it as JSON. */
import { type Backend, createSconce, type Sconce } from "sconce";
import { gpujsBackend } from "sconce/gpujs";
import { autoBackend } from "sconce/wasm";
import { type DigitsReport, runDigits } from "./digits.js";
import { readOptions } from "./options.js";
import type { Reports } from "./reports.js";

/** What the page leaves in `#result`. */
export type PageResult = ({ readonly digits: DigitsReport } & Reports) | { readonly error: string };

async function run(): Promise<PageResult> {
  const asked = readOptions(location.search);
  const sconce = createSconce({ backends: [gpujsBackend(asked.backend), autoBackend()] });
  const digits = await runDigits(sconce, asked.on === "worker" ? await inWorker(sconce) : asked.on);
  show(digitsText(digits));
  if (location.search === "") return { digits };
  // What only tests ask for is loaded only then.
  const { runReports, reportText } = await import("./reports.js");
  const reports = await runReports(sconce, asked);
  show(`${digitsText(digits)}\n\n${reportText(reports)}`);
  return { digits, ...reports };
}

/** The backend of a worker, whose script serves a session. */
function inWorker(sconce: Sconce): Promise<Backend> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  return sconce.worker(worker, "auto");
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
