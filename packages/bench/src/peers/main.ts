/** @file `npm run bench:peers`: Sconce beside other runtimes, on the same models and inputs. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readArguments, refuse } from "../arguments.js";
import { chart } from "./chart.js";
import { compareModel } from "./compare.js";
import { PEERS, Peer } from "./peer.js";
import { isExact, type ModelResult, type Results, resultText } from "./results.js";

/** The runtimes that run unless some are named. */
const DEFAULT_PEERS = Object.keys(PEERS).filter((name) => PEERS[name]!.named !== true);

const USAGE = `usage: npm run bench:peers [-- OPTIONS]
  --only MODELS         models, separated by commas (default all)
  --peers NAMES         runtimes, separated by commas (default ${DEFAULT_PEERS.join(",")})
  --threads N           threads of the runtimes that take a number (default 1)
  --rounds N            bursts of each runtime, alternately (default 5)
  --milliseconds N      length of a burst (default 200)
  --node PATH           the Node that runs every runtime (default the one that runs this)
  --python PATH         the Python of the runtime torch (default python3)
  --models FOLDER       models of packages/bench/peers/models.py (default packages/bench/peers/cache)
  --chart FILE          also write a chart as SVG
  --output FILE         also write the results as JSON
  --json                print JSON instead of a table`;

const options = readArguments(
  {
    only: { type: "string" },
    peers: { type: "string" },
    threads: { type: "string", default: "1" },
    rounds: { type: "string", default: "5" },
    milliseconds: { type: "string", default: "200" },
    node: { type: "string", default: process.execPath },
    python: { type: "string", default: "python3" },
    models: { type: "string" },
    chart: { type: "string" },
    output: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
  USAGE,
);

const folder = fileURLToPath(new URL("../../peers", import.meta.url));
const models = options.models ?? join(folder, "cache");

function whole(name: "threads" | "rounds" | "milliseconds"): number {
  const value = options[name];
  if (!/^[1-9]\d{0,5}$/.test(value)) refuse(`--${name} is not a whole number of at least 1: ${value}`, USAGE);
  return Number(value);
}

/** Returns the names of an option, each one of those that there are. */
function chosen(option: "only" | "peers", all: readonly string[], usual = all): readonly string[] {
  const names = options[option]?.split(",") ?? usual;
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined)
    refuse(`--${option}: unknown name "${unknown}", known: ${all.join(", ")}`, USAGE);
  return names;
}

function modelNames(): readonly string[] {
  const index = join(models, "models.json");
  if (!existsSync(index)) {
    console.error(
      `${models} has no models. Make them with PyTorch, torchvision and onnx:\n  cd packages/bench/peers && python3 models.py`,
    );
    process.exit(2);
  }
  return Object.keys(JSON.parse(readFileSync(index, "utf8")) as object);
}

function progress(message: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${message}`);
}

async function compare(): Promise<Results> {
  const names = chosen("only", modelNames());
  const threads = whole("threads");
  const [rounds, milliseconds] = [whole("rounds"), whole("milliseconds")];
  const node = execFileSync(options.node, ["--version"], { encoding: "utf8" }).trim().slice(1);
  const settings = { node: options.node, python: options.python, folder, models, threads };
  const peers = chosen("peers", Object.keys(PEERS), DEFAULT_PEERS).map((name) => new Peer(name, settings));
  const results: ModelResult[] = [];
  for (const model of names) {
    results.push(await compareModel(model, peers, { rounds, milliseconds, models, progress }));
    if (!process.stderr.isTTY) console.error(`${model} is measured`);
  }
  progress("");
  for (const peer of peers) peer.close();
  return { node, threads, models: results };
}

if (options.help) {
  console.log(USAGE);
} else {
  const results = await compare();
  const json = `${JSON.stringify(results, undefined, 2)}\n`;
  if (options.output !== undefined) writeFileSync(options.output, json);
  if (options.chart !== undefined) writeFileSync(options.chart, chart(results));
  console.log(options.json ? json.trimEnd() : resultText(results));
  process.exitCode = results.models.every(isExact) ? 0 : 1;
}
