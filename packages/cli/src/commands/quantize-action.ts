/** @file Stores the weights of a program in fewer bits, and reports what it costs. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { amount, countText, VERSION } from "@sconce/errors";
import { requireFolder, writeFiles } from "@sconce/formats/files";
import type { ExportedProgram } from "@sconce/ir";
import {
  calibrate,
  layerHessians,
  type ReportWeightsOptions,
  reportValues,
  reportWeights,
  type Sample,
  type WeightGroup,
  type WeightReport,
} from "@sconce/quantization";
import { randomInputs, type Sconce } from "@sconce/session";
import cliProgress from "cli-progress";
import { usage } from "../errors.js";
import { json, type SafeIo } from "../io.js";
import { openWithWeights } from "../open.js";
import { requireOutput, weightsBeside, writeProgram } from "../program-file.js";
import { openSession } from "../session.js";
import { columns, linesText } from "../text.js";
import { readInputs } from "./inputs.js";
import { quantizeHtml } from "./quantize-html.js";
import {
  type CostReport,
  decibels,
  distanceFacts,
  layerFacts,
  percent,
  weightFacts,
} from "./quantize-texts.js";

export interface QuantizeOptions {
  readonly output: string;
  readonly mode: "weights" | "static" | "dynamic";
  readonly observer: "histogram" | "min-max" | "moving-average" | "percentile";
  readonly bits: string;
  readonly group: string;
  readonly asymmetric?: boolean;
  readonly scheme: string;
  readonly half?: "float16" | "bfloat16";
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly maxError?: string;
  readonly calibrate?: string;
  readonly seed: string;
  readonly report?: string;
  readonly weights?: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

/** Runs that are measured when no samples are given. */
const DRAWN_RUNS = 4;

export async function quantize(file: string, options: QuantizeOptions, io: SafeIo): Promise<void> {
  const { output, report: page, json: isJson = false } = options;
  const maxError = boundOf(options.maxError);
  await requireOutput(output);
  if (page !== undefined) await requireFolder(page);
  const session = await openSession(io, options.plugin, undefined, [file]);
  const program = await openWithWeights(file, session, options.weights);
  const { samples, source } = await samplesOf(program, options);
  const { program: result, ...report } =
    options.mode === "weights"
      ? weightCosts(session, program, samples, options, io)
      : integerCosts(session, program, samples, { ...options, mode: options.mode }, io);
  await writeProgram(output, result, io, session.operators);
  if (page !== undefined)
    await writeFiles([[page, quantizeHtml({ file, version: VERSION, source, maxError, report })]]);
  if (isJson) io.out(json(jsonReport(report, output, source, maxError)));
  else io.summary(summaryOf(report, output, source));
}

type Costs = CostReport & { readonly program: ExportedProgram };

function weightCosts(
  session: Sconce,
  program: ExportedProgram,
  samples: readonly Sample[],
  options: QuantizeOptions,
  io: SafeIo,
): Costs {
  const run = session.services.evaluator.run!;
  if (options.scheme === "gptq" && options.calibrate === undefined)
    throw usage("--scheme gptq goes by the inputs of layers", "give real inputs with --calibrate");
  const report = measured(session, program, io, {
    ...schemeOf(options),
    ...(options.scheme === "gptq" && { hessians: layerHessians(program, samples, run) }),
    samples,
    run,
    maxError: boundOf(options.maxError),
    note: (text) => io.warn(text),
  });
  return { ...report, layers: report.weights.flatMap(({ values }) => [...values]) };
}

/**
 * Computes in int8: the program is lowered, and batch norms are folded, before edges are marked.
 */
function integerCosts(
  session: Sconce,
  program: ExportedProgram,
  samples: readonly Sample[],
  { mode, observer, maxError }: QuantizeOptions & { readonly mode: "static" | "dynamic" },
  io: SafeIo,
): Costs {
  if (maxError !== undefined)
    throw usage("--max-error is of use with --mode weights only", "leave one of them out");
  const run = session.services.evaluator.run!;
  const folded = session.transform(program, "decompose,fold-batch-norm");
  const prepared = session.transform(folded, `prepare-quantization{mode=${mode},observer=${observer}}`);
  const calibrated =
    mode === "static" ? calibrate(prepared, { run, samples, note: (text) => io.warn(text) }) : prepared;
  const result = session.transform(calibrated, "convert-quantization");
  const { layers, ...report } = reportValues(folded, result, samples, run);
  return { ...report, program: result, weights: [], floats: [], layers: [...layers] };
}

function schemeOf({ bits, group, asymmetric = false, scheme, half, include, exclude }: QuantizeOptions) {
  return {
    bits: Number(bits) as 8 | 4 | 2,
    group: group as WeightGroup,
    symmetric: !asymmetric,
    scheme: scheme as "absmax" | "mse" | "gptq",
    dtype: half ?? ("int" as const),
    ...(include !== undefined && { include }),
    ...(exclude !== undefined && { exclude }),
  };
}

function boundOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const bound = text.trim() === "" ? Number.NaN : Number(text);
  if (bound >= 0) return bound;
  throw usage(`--max-error: ${JSON.stringify(text)} is not a ratio`, "give a number such as 0.01");
}

/** Returns the inputs of the runs, and what they are, for the report. */
async function samplesOf(
  program: ExportedProgram,
  { calibrate, seed }: QuantizeOptions,
): Promise<{ readonly samples: readonly Sample[]; readonly source: string }> {
  if (calibrate === undefined) {
    if (!/^\d{1,9}$/.test(seed))
      throw usage(`--seed: ${JSON.stringify(seed)} is not a seed`, "give an integer from 0 on");
    const samples = Array.from({ length: DRAWN_RUNS }, (_, i) =>
      randomInputs(program, { seed: Number(seed) * 65_537 + i }),
    );
    return { samples, source: `${DRAWN_RUNS} random inputs with seed ${seed}; --calibrate takes real ones` };
  }
  const names = (await filesIn(calibrate)).filter((name) => name.endsWith(".safetensors")).sort();
  if (names.length === 0)
    throw usage(
      `--calibrate: ${calibrate} has no safetensors files`,
      "write one file for each run: 0.safetensors",
    );
  const samples: Sample[] = [];
  for (const name of names) samples.push(await readInputs(program, { inputs: join(calibrate, name) }));
  return { samples, source: `${countText(samples.length, "sample")} of ${calibrate}` };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    throw usage(
      `--calibrate: ${folder} is not a folder that can be read`,
      "give a folder of safetensors files",
    );
  }
}

/** Quantizes and measures, with a bar on a terminal. */
function measured(
  session: Sconce,
  program: ExportedProgram,
  io: SafeIo,
  options: ReportWeightsOptions,
): WeightReport {
  if (!io.interactive) return reportWeights(program, session.operators, options);
  const format = "{bar} {value}/{total} {step}";
  const bar = new cliProgress.SingleBar(
    { stream: process.stderr, clearOnComplete: true, format },
    cliProgress.Presets.shades_classic,
  );
  bar.start(1, 0, { step: "" });
  const onProgress = (done: number, total: number, step: string): void => {
    bar.setTotal(total);
    bar.update(done, { step });
  };
  try {
    return reportWeights(program, session.operators, { ...options, onProgress });
  } finally {
    bar.stop();
  }
}

/** Rows that the summary shows; the page and the JSON have all. */
const SHOWN = 10;

function summaryOf(
  { weights, floats, bytes, outputs, error, layers }: CostReport,
  output: string,
  source: string,
): string {
  const isWeights = weights.length > 0;
  const head = isWeights
    ? ["weight", "bits", "group", "bytes", "SNR", "max error", "outputs off by"]
    : ["call", "SNR", "max error"];
  const rows = isWeights ? weights.map(weightFacts) : layers.map(layerFacts);
  const more = rows.length > SHOWN ? [`and ${countText(rows.length - SHOWN, "other row")}`] : [];
  return linesText([
    `${output}: ${amount(bytes.before, "B")} -> ${amount(bytes.after, "B")} of weights (${percent(bytes.after / bytes.before)})`,
    `measured on ${source}`,
    ...(rows.length === 0
      ? ["no weight was quantized"]
      : columns([head, ...rows.slice(0, SHOWN)], (column) => column > 0)),
    ...more,
    ...(floats.length === 0 ? [] : [`in float, for --max-error: ${floats.join(", ")}`]),
    ...outputs.map(
      (one, i) => `output ${i}: SNR ${decibels(one.snr)}, max error ${one.maxError.toPrecision(3)}`,
    ),
    `largest error of an output, relative to its largest magnitude: ${error.toPrecision(3)}`,
  ]);
}

function jsonReport(
  { weights, floats, bytes, outputs, error, layers }: CostReport,
  output: string,
  source: string,
  maxError: number | undefined,
) {
  return {
    output,
    tensors: weightsBeside(output),
    samples: source,
    bytes,
    error,
    maxError: maxError ?? null,
    floats,
    outputs: outputs.map(distanceFacts),
    weights: weights.map(({ values, distortion, ...facts }) => ({
      ...facts,
      distortion: distanceFacts(distortion),
    })),
    layers: Object.fromEntries(layers.map(([name, one]) => [name, distanceFacts(one)])),
  };
}
