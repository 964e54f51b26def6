/** @file Code of kernels that is made once for all nests that differ in their buffers alone. */
import { bindIndex, type LoopNest, type LoopProgram, nestKey, product } from "@sconce/codegen";
import type { RegionRequest } from "@sconce/device-runtime";
import type { Bindings } from "@sconce/symbolic";
import type { KernelCode } from "../kernel-code.js";

/** What nests are a part of. */
interface Surroundings extends Partial<Pick<RegionRequest, "constants">> {
  readonly loops: LoopProgram;
  /** Undefined for code that gets them when it runs. */
  readonly sizes: Bindings | undefined;
}

/** Code, and the buffers in the order in which its key counts them. */
interface Known {
  /** The code, or why there is none. */
  readonly code: KernelCode | string;
  readonly buffers: readonly number[];
}

/** Kernels whose code is kept: those of programs with many sizes are made again. */
const MOST_KNOWN = 1024;

/** The code of the kernels of one executable. */
export class KnownCode {
  readonly #known = new Map<string, Known>();
  readonly #choices: string;

  /** @param choices what code depends on besides its nests */
  constructor(choices: string) {
    this.#choices = choices;
  }

  /** Returns the code of nests, from that of equal ones if there are any. */
  get(
    nests: readonly LoopNest[],
    surroundings: Surroundings,
    kind: string,
    make: () => KernelCode | undefined,
  ): KernelCode | undefined {
    const found = this.find(nests, surroundings, kind, () => make() ?? "");
    return typeof found === "string" ? undefined : found;
  }
  /** As {@link get}, or why there is no code. */
  find(
    nests: readonly LoopNest[],
    surroundings: Surroundings,
    kind: string,
    make: () => KernelCode | string,
  ): KernelCode | string {
    const { key, buffers } = nestKey(nests, (id) => describe(id, surroundings));
    const full = `${this.#choices} ${kind}\n${key}`;
    let known = this.#known.get(full);
    if (known === undefined) {
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      known = { code: make(), buffers };
      this.#known.set(full, known);
    }
    const { code } = known;
    return typeof code === "string" ? code : onBuffers(code, known.buffers, buffers, full);
  }
}

function describe(id: number, { loops, sizes, constants }: Surroundings): string {
  const { dtype, shape } = loops.buffers[id]!;
  const elements = (sizes === undefined ? product(shape) : bindIndex(product(shape), sizes)).text;
  return `${dtype} ${elements} ${constants?.has(id) === true ? "constant" : ""}`;
}

/** Returns the same code on its buffers, or on others. */
function onBuffers(
  code: KernelCode,
  from: readonly number[],
  to: readonly number[],
  key: string,
): KernelCode {
  const renamed = new Map(from.map((id, at) => [id, to[at]!]));
  const onOther = <T extends { readonly buffer: number }>(one: T): T => ({
    ...one,
    buffer: renamed.get(one.buffer)!,
  });
  const { units, open, scratchBytes, imports, emit, prepared } = code;
  return {
    memories: code.memories.map(onOther),
    prepared: prepared?.map(onOther),
    key,
    units,
    open,
    scratchBytes,
    imports,
    emit,
    get text() {
      return code.text;
    },
  };
}
