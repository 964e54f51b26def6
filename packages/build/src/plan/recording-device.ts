/** @file A device that makes the code of kernels and runs nothing. */
import type { KernelCode, Kernels } from "@sconce/backend-wasm/build";
import { type LoopNest, type Target, unitIterations } from "@sconce/codegen";
import type {
  DeviceBuffer,
  RecordingDevice,
  RegionCode,
  RegionDevice,
  RegionRequest,
} from "@sconce/device-runtime";
import { internalError } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";

/** Makes kernels of a kind. */
export type KernelMaker = Omit<Kernels, "relaxed" | "cache">;

/** Keeps the kernels of the region that was compiled last. */
export class BuildDevice implements RecordingDevice {
  readonly description = "kernels that are written to a file";
  readonly target: Target;
  readonly mode: string;
  readonly imageLayout = "channels-last";
  readonly iterationsPerElement = 32;
  readonly maxBytes = 2 ** 31 - 64;
  readonly allocated = 0;
  readonly #kernels: KernelMaker;
  #last: { readonly request: RegionRequest; readonly codes: readonly KernelCode[] } | undefined;
  readonly codes = new Map<RegionRequest, readonly KernelCode[]>();

  constructor(kernels: KernelMaker, target: Target) {
    this.#kernels = kernels;
    this.target = target;
    this.mode = target.name;
  }

  whyNotHeld: RegionDevice["whyNotHeld"] = (dtype) => this.#kernels.whyNotHeld(dtype);
  whyNot: NonNullable<RegionDevice["whyNot"]> = (nest, program) => this.#kernels.whyNot(nest, program);
  takesFactor: NonNullable<RegionDevice["takesFactor"]> = (factor) =>
    this.#kernels.takesFactor?.(factor) ?? false;
  rowsCode: NonNullable<RegionDevice["rowsCode"]> = (...args) => this.#kernels.rowsCode?.(...args);
  joinedNests: NonNullable<RegionDevice["joinedNests"]> = (...args) =>
    this.#kernels.joinedNests?.(...args) ?? [];
  openRows: NonNullable<RegionDevice["openRows"]> = (...args) => this.#kernels.openRows?.(...args);
  openNest: NonNullable<RegionDevice["openNest"]> = (...args) =>
    this.#kernels.openNest?.(...args) ?? "there is no code for all sizes";
  iterationsOf = (nest: LoopNest): number | undefined => unitIterations(nest);

  compileRegion(request: RegionRequest): RegionCode {
    const codes = request.steps.map((step) => this.#kernels.make(step, request));
    this.#last = { request, codes };
    this.codes.set(request, codes);
    return { sources: [], start: neverRuns, dispose: () => {} };
  }
  takeRequest(): RegionRequest | undefined {
    const last = this.#last;
    this.#last = undefined;
    return last?.request;
  }

  upload(): DeviceBuffer {
    return neverRuns();
  }
  download(): Tensor {
    return neverRuns();
  }
  free(): void {}
  finish(): void {}
  dispose(): void {}
}

function neverRuns(): never {
  throw internalError("a device that writes kernels to a file was asked to run");
}
