/** @file Content hashes of programs. */
import {
  checkOptions,
  LONG_WORK,
  type LongWorkOptions,
  type OptionNames,
  ProgressReport,
  throwIfAborted,
  userCallback,
} from "@sconce/errors";
import { SymExpr, sha256 } from "@sconce/symbolic";
import { dtypeInfo, numel, Storage, Tensor } from "@sconce/tensor";
import type { Graph } from "../graph/graph.js";
import { float } from "../values/argument.js";
import { isSymScalar, type MetaValue } from "../values/meta.js";
import { canonicalText } from "./canonical-text.js";
import type { ExportedProgramInit, RangeConstraint } from "./program-parts.js";

/** How to report on hashing and to stop it. Progress counts bytes of weights. */
export interface HashOptions extends LongWorkOptions {}

/** The content hashes of a program: SHA-256, as 64 hexadecimal digits each. */
export interface ProgramHash {
  /**
   * Of what the program computes: nodes with their types, nested graphs, signature, calling
   * conventions, ranges, guards and dialect.
   */
  readonly graph: string;
  /** Of the names, dtypes, shapes and values of parameters, buffers and constants. */
  readonly weights: string;
  /** Of both. */
  readonly program: string;
}

/** The parts that a hash covers. */
type Content = Pick<
  ExportedProgramInit,
  | "graph"
  | "graphSignature"
  | "moduleCallGraph"
  | "rangeConstraints"
  | "guardsCode"
  | "namedTupleFields"
  | "dialect"
  | "stateDict"
  | "constants"
>;

const OPTIONS: OptionNames<HashOptions> = LONG_WORK;

/** Bytes of values that are digested at once. Another size would change the hash of weights. */
const CHUNK_BYTES = 2 ** 22;

/** See `ExportedProgram.hash`. */
export async function programHash(program: Content, options: HashOptions = {}): Promise<ProgramHash> {
  checkOptions("hash", options, OPTIONS);
  const graph = await digestOf(`sconce graph 1\n${canonicalText(graphContent(program))}`);
  const weights = await weightsHash(new Map([...program.stateDict, ...program.constants]), options);
  return { graph, weights, program: await digestOf(`sconce program 1\n${graph}\n${weights}`) };
}

const graphContent = (program: Content): object => ({
  dialect: program.dialect,
  graph: nodesOf(program.graph),
  signature: program.graphSignature,
  calls: program.moduleCallGraph,
  ranges: new Map([...program.rangeConstraints].map(([name, range]) => [name, boundsOf(range)])),
  guards: new Set(program.guardsCode),
  fields: program.namedTupleFields,
});

/**
 * Returns the content of a graph's nodes. What files do not keep is left out: the type of the
 * output, which repeats those of its operands, that a call returns None, and unused items of
 * results, which loading a `.pt2` file adds. Of `meta`, only the type is content.
 */
const nodesOf = (graph: Graph): object => ({
  nodes: graph
    .nodes()
    .filter(({ target }, position) => target !== GETITEM || graph.userCount(position) > 0)
    .map(({ name, op, target, args, kwargs, meta }) => ({
      name,
      op,
      target,
      args,
      kwargs,
      val: op === "output" ? undefined : typeOf(meta.val),
    })),
  graphs: new Map([...graph.subgraphs].map(([name, nested]) => [name, nodesOf(nested)])),
});

const GETITEM = "operator.getitem";

/** A scalar without symbols is a constant in files. */
function typeOf(value: MetaValue | undefined): unknown {
  if (!isSymScalar(value) || value.expr instanceof SymExpr) return value ?? undefined;
  const { kind, expr } = value;
  return { kind: "constant", value: kind === "SymFloat" ? float(expr as number) : expr };
}

const boundsOf = ({ min, max, exact, float = false }: RangeConstraint): object => ({
  min: exact?.min ?? min,
  max: exact?.max ?? max,
  float,
});

async function weightsHash(
  tensors: ReadonlyMap<string, Tensor>,
  { signal, onProgress }: HashOptions,
): Promise<string> {
  throwIfAborted(signal, "hash");
  const total = [...tensors.values()].reduce((bytes, tensor) => bytes + bytesOf(tensor), 0);
  const progress = new ProgressReport("hash", userCallback("hash", onProgress), total);
  const known = new Map<Storage, Map<string, string>>();
  const entries: (readonly [string, object])[] = [];
  let done = 0;
  for (const [name, tensor] of tensors) {
    progress.at(done, name);
    const { dtype, shape, storage, strides, storageOffset } = tensor;
    const views = known.get(storage) ?? new Map<string, string>();
    known.set(storage, views);
    const view = `${dtype} ${shape.join()} ${strides.join()} ${storageOffset}`;
    const values = views.get(view) ?? (tensor.hasValues ? await valuesDigest(tensor, signal) : "unknown");
    views.set(view, values);
    entries.push([name, { dtype, shape, values }]);
    done += bytesOf(tensor);
  }
  progress.end();
  return digestOf(`sconce weights 1\n${canonicalText(new Map(entries))}`);
}

const bytesOf = ({ dtype, shape }: Tensor): number => numel(shape) * dtypeInfo(dtype).itemSize;

/** Returns the digest of the digests of all chunks of the elements in row-major order. */
async function valuesDigest(tensor: Tensor, signal: AbortSignal | undefined): Promise<string> {
  const digests: string[] = [];
  for await (const chunk of chunksOf(tensor, signal)) {
    throwIfAborted(signal, "hash");
    digests.push(await digestOf(chunk));
  }
  return digestOf(digests.join());
}

/** Weights that are still in their file are read in pieces, and stay there. */
async function* chunksOf(tensor: Tensor, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const { storageOffset, dtype, storage } = tensor.isContiguous ? tensor : await rowMajor(tensor, signal);
  const chunk = new Uint8Array(Math.min(CHUNK_BYTES, bytesOf(tensor)));
  let [skip, left, filled] = [storageOffset * dtypeInfo(dtype).itemSize, bytesOf(tensor), 0];
  for await (const piece of storage.pieces(signal)) {
    let at = Math.min(skip, piece.length);
    skip -= at;
    while (at < piece.length && left > 0) {
      const part = piece.subarray(at, at + Math.min(left, chunk.length - filled));
      chunk.set(part, filled);
      [at, left, filled] = [at + part.length, left - part.length, filled + part.length];
      if (filled < chunk.length && left > 0) continue;
      yield chunk.subarray(0, filled);
      filled = 0;
    }
    if (left === 0) return;
  }
}

async function rowMajor(tensor: Tensor, signal: AbortSignal | undefined): Promise<Tensor> {
  const bytes = new Uint8Array(tensor.storage.byteLength);
  let at = 0;
  for await (const piece of tensor.storage.pieces(signal)) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return new Tensor({ ...tensor, storage: new Storage(bytes) }).contiguous();
}

/** Pages without a secure context have no `crypto.subtle`; the digest is the same. */
async function digestOf(content: string | Uint8Array): Promise<string> {
  const { subtle } = (globalThis.crypto ?? {}) as { readonly subtle?: SubtleCrypto };
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  if (subtle === undefined)
    return Array.from(sha256(bytes), (word) => word.toString(16).padStart(8, "0")).join("");
  const digest = new Uint8Array(await subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
