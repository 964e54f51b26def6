/** @file Whether a backend wrote to tensors that it may only read. */
import type { ExportedProgram, Value } from "@sconce/ir";
import { mutatedPlaceholders, type OperatorTable } from "@sconce/ops";
import { type Storage, Tensor } from "@sconce/tensor";
import { type BackendLabel, backendFault } from "./errors.js";

/** Words that one check of weights reads after the first run, which reads all of them. */
const SAMPLED_WORDS = 1 << 16;

/** Compares what may only be read before and after a call of the backend. */
export class WriteCheck {
  readonly #backend: BackendLabel;
  readonly #weights: ReadonlyMap<string, Tensor>;
  /** Whether each user input is one that the program writes to. */
  readonly #written: readonly boolean[];
  #isFirst = true;

  constructor(program: ExportedProgram, backend: BackendLabel, operators: OperatorTable) {
    this.#backend = backend;
    this.#weights = new Map([...program.constants, ...program.stateDict]);
    const { inputSpecs, outputSpecs } = program.graphSignature;
    const written = new Set(mutatedPlaceholders(program.graph, operators));
    for (const { kind, target } of outputSpecs)
      if (kind === "USER_INPUT_MUTATION" && target !== null) written.add(target);
    this.#written = inputSpecs
      .filter(({ kind }) => kind === "USER_INPUT")
      .map(({ arg }) => written.has(arg.name));
  }

  /**
   * Call it before the backend is called; call what it returns afterwards. @throws (afterwards)
   * SconceError `PLUGIN_FAILED`
   */
  watch(inputs: readonly Value[]): () => void {
    const step = this.#isFirst ? 1 : this.#stepOfWeights();
    this.#isFirst = false;
    const weights = fingerprints(
      [...this.#weights].map(([name, tensor]) => [`weight "${name}"`, tensor]),
      step,
    );
    const given = fingerprints(this.#readOnly(inputs), 1);
    return () => {
      for (const { what, storage, step, before } of [...weights, ...given]) {
        if (fingerprint(storage.bytes, step) === before) continue;
        throw backendFault(this.#backend, `wrote to the ${what}, which it may only read`);
      }
    };
  }

  #readOnly(inputs: readonly Value[]): (readonly [string, Tensor])[] {
    const tensors = inputs.map((input) => (input instanceof Tensor ? input : undefined));
    const shared = new Set(tensors.filter((_, i) => this.#written[i]).map((tensor) => tensor?.storage));
    return tensors.flatMap((tensor, i) =>
      tensor === undefined || shared.has(tensor.storage) ? [] : [[`input ${i}`, tensor] as const],
    );
  }

  #stepOfWeights(): number {
    let bytes = 0;
    for (const { storage } of this.#weights.values()) if (storage.hasValues) bytes += storage.byteLength;
    return Math.max(1, Math.ceil(bytes / 4 / SAMPLED_WORDS));
  }
}

interface Fingerprint {
  readonly what: string;
  readonly storage: Storage;
  readonly step: number;
  readonly before: number;
}

function fingerprints(tensors: readonly (readonly [string, Tensor])[], step: number): Fingerprint[] {
  const seen = new Set<Storage>();
  return tensors.flatMap(([what, { storage }]) => {
    if (seen.has(storage) || !storage.hasValues) return [];
    seen.add(storage);
    return [{ what, storage, step, before: fingerprint(storage.bytes, step) }];
  });
}

/** Returns a hash of every `step`-th word; one changed word always changes it. */
function fingerprint(bytes: Uint8Array, step: number): number {
  const isAligned = bytes.byteOffset % 4 === 0;
  const whole = isAligned ? bytes.byteLength >> 2 : 0;
  const words = new Uint32Array(
    isAligned ? bytes.buffer : new ArrayBuffer(0),
    isAligned ? bytes.byteOffset : 0,
    whole,
  );
  let hash = 0x811c9dc5;
  for (let i = 0; i < whole; i += step) hash = Math.imul(hash ^ words[i]!, 0x01000193);
  for (let i = whole * 4; i < bytes.byteLength; i += step) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash;
}
