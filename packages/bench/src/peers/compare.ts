/**
 * @file Runs every runtime on every model: bursts alternate, so that a slow moment of the machine
 * falls on all.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Answer, type Burst, PEERS, type Peer } from "./peer.js";
import { type ModelResult, median, relativeDifference, type Timing, withRatios } from "./results.js";

/** How long a comparison runs. */
export interface CompareOptions {
  readonly rounds: number;
  readonly milliseconds: number;
  /** The folder of the models. */
  readonly models: string;
  readonly progress: (message: string) => void;
}

/** Runs that take longer than this are measured in the first round only. */
const SLOW_MILLISECONDS = 2000;

const failed = (answer: Answer<object>): answer is { readonly skip: string } => "skip" in answer;

/** Loads a model in every runtime, checks the outputs, and measures. */
export async function compareModel(
  model: string,
  peers: readonly Peer[],
  options: CompareOptions,
): Promise<ModelResult> {
  const skipped: Record<string, string> = {};
  const live: Peer[] = [];
  for (const peer of peers) {
    options.progress(`${model}: ${peer.name} loads`);
    const answer = await peer.load(model);
    if (failed(answer)) skipped[peer.name] = answer.skip;
    else live.push(peer);
  }
  options.progress(`${model}: outputs are compared`);
  const outputs = await outputsOf(live);
  const bursts = await measure(model, live, skipped, options);
  const expected = floatsOf(join(options.models, `${model}.y.bin`));
  const timings = [...bursts].map(([{ name }, all]) => {
    const output = outputs.get(name);
    return [name, timingOf(all, output && relativeDifference(output, expected))] as const;
  });
  const fromOnnxRuntime = differenceOf(outputs);
  return {
    model,
    timings: withRatios(Object.fromEntries(timings)),
    skipped,
    ...(fromOnnxRuntime !== undefined && { fromOnnxRuntime }),
  };
}

/** Asks the runtimes alternately for bursts. Those that fail are skipped. */
async function measure(
  model: string,
  peers: readonly Peer[],
  skipped: Record<string, string>,
  { rounds, milliseconds, progress }: CompareOptions,
): Promise<ReadonlyMap<Peer, readonly Burst[]>> {
  const bursts = new Map<Peer, Burst[]>(peers.map((peer) => [peer, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [peer, all] of bursts) {
      // The first round lets engines compile what they run often.
      if (round > 0 && all[0]!.cpu > SLOW_MILLISECONDS) continue;
      progress(`${model}: round ${round} of ${rounds}, ${peer.name}`);
      const burst = await peer.bench(milliseconds);
      if (!failed(burst)) {
        all.push(burst);
        continue;
      }
      skipped[peer.name] = burst.skip;
      bursts.delete(peer);
    }
  }
  return bursts;
}

function timingOf(bursts: readonly Burst[], error: number | undefined): Timing {
  const measured = bursts.length > 1 ? bursts.slice(1) : bursts;
  return {
    cpu: Math.min(...measured.map(({ cpu }) => cpu)),
    wall: median(measured.flatMap(({ times }) => times)),
    ...(error !== undefined && { error }),
  };
}

/** Returns the first outputs of the runtimes that run the exported models. */
async function outputsOf(peers: readonly Peer[]): Promise<Map<string, Float32Array>> {
  const folder = mkdtempSync(join(tmpdir(), "bench-peers-"));
  const outputs = new Map<string, Float32Array>();
  for (const peer of peers) {
    const file = join(folder, `${peer.name}.bin`);
    if (!failed(await peer.output(file))) outputs.set(peer.name, floatsOf(file));
  }
  rmSync(folder, { recursive: true });
  return outputs;
}

const floatsOf = (file: string): Float32Array => new Float32Array(Uint8Array.from(readFileSync(file)).buffer);

/** Returns the largest difference of Sconce's outputs from those of ONNX Runtime. */
function differenceOf(outputs: ReadonlyMap<string, Float32Array>): number | undefined {
  const expected = outputs.get("ort-node") ?? outputs.get("ort-web");
  const own = [...outputs].filter(([name]) => PEERS[name]!.group === "sconce");
  if (expected === undefined || own.length === 0) return undefined;
  return Math.max(...own.map(([, output]) => relativeDifference(output, expected)));
}
