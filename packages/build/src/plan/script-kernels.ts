/** @file Kernels as JavaScript, for engines that do not compile WebAssembly. */
import { type KernelCode, kernelsFor } from "@sconce/backend-wasm/build";
import {
  constant,
  elementOf,
  JAVASCRIPT,
  JAVASCRIPT_INLINE,
  javaScriptLines,
  type Kernel,
  type KernelMemory,
  type LoopNest,
  type LoopProgram,
  type RowGroup,
  scheduleNest,
  scheduleOpen,
  scheduleRows,
  symbolsOf,
  type Target,
} from "@sconce/codegen";
import type { JoinedNests, RegionDevice, RegionRequest, RegionStep, RowsCode } from "@sconce/device-runtime";
import { internalError } from "@sconce/errors";
import { type DType, dtypeInfo, isBigIntDType } from "@sconce/tensor";
import type { KernelMaker } from "./recording-device.js";

/** Kernels run as units, as those of WebAssembly do. */
export const SCRIPT: Target = { ...JAVASCRIPT, threads: "units" };

/** A function that kernels call: an operation, the elements of its operands and of its result. */
export type CalledFunction = readonly [op: string, from: DType, to: DType];

interface ScriptRows extends RowsCode {
  readonly code: KernelCode;
}

/** Views of memory by the dtypes of elements. */
const VIEWS: Readonly<Record<string, string>> = {
  float32: "F32",
  float64: "F64",
  float16: "U16",
  bfloat16: "U16",
  complex64: "F32",
  int8: "I8",
  uint8: "U8",
  bool: "U8",
  int16: "I16",
  uint16: "U16",
  int32: "I32",
  uint32: "U32",
  int64: "I64",
  uint64: "U64",
};

/** Makes kernels whose code is the text of a function. Equal kernels are one. */
export class ScriptKernels implements KernelMaker {
  /** The functions that kernels call, by their places in `f`. */
  readonly functions: CalledFunction[] = [];
  readonly #places = new Map<string, number>();
  readonly #emits = new Map<string, KernelCode["emit"]>();
  readonly whyNotHeld: KernelMaker["whyNotHeld"];
  readonly whyNot: KernelMaker["whyNot"];

  constructor() {
    const { whyNotHeld, whyNot } = kernelsFor({ relaxed: false, winograd: 0 });
    this.whyNotHeld = whyNotHeld;
    this.whyNot = whyNot;
  }

  make({ nests, rows }: RegionStep, { loops, sizes }: RegionRequest): KernelCode {
    if (rows !== undefined) return (rows as ScriptRows).code;
    return this.#code(scheduleNest(nests[0]!, { program: loops, sizes, target: SCRIPT }).kernel);
  }
  rowsCode: NonNullable<RegionDevice["rowsCode"]> = (group, program, sizes) =>
    this.#rows(scheduleRows(group, { program, sizes, target: SCRIPT }));
  joinedNests = (): readonly JoinedNests[] => [];
  openRows = (group: RowGroup, program: LoopProgram): ScriptRows | undefined =>
    this.#rows(scheduleRows(group, { program, sizes: undefined, target: SCRIPT }));
  openNest = (nest: LoopNest, program: LoopProgram): ScriptRows | string => {
    const context = { program, sizes: symbolsOf(nest, program).size === 0 ? new Map() : undefined };
    const kernel =
      context.sizes === undefined
        ? scheduleOpen(nest, { ...context, target: SCRIPT })
        : scheduleNest(nest, { ...context, target: SCRIPT }).kernel;
    return this.#rows(kernel) ?? "its kernel is made for its length";
  };

  #rows(kernel: Kernel | undefined): ScriptRows | undefined {
    if (kernel === undefined) return undefined;
    const code = this.#code(kernel);
    return {
      code,
      reads: code.memories.flatMap(({ buffer, access }) => (access === "read" ? [buffer] : [])),
    };
  }

  #code(kernel: Kernel): KernelCode {
    const own = kernel.memories.filter(({ space }) => space === "global");
    const isRead = ({ access }: KernelMemory): boolean => access === "read";
    const memories = [...own.filter(isRead), ...own.filter((one) => !isRead(one))];
    const text = this.#text(kernel, memories);
    const { grid, units } = kernel.launch;
    const isOpen = units !== undefined || kernel.sizes !== undefined;
    return {
      memories: memories.map((one) => ({ buffer: one.buffer!, access: isRead(one) ? "read" : "write" })),
      units: grid[0],
      scratchBytes: 0,
      imports: [],
      emit: this.#emit(text),
      open: isOpen
        ? {
            units: [{ count: units ?? constant(grid[0]), per: 1 }],
            given: [...(kernel.sizes?.values() ?? [])],
          }
        : undefined,
      text,
    };
  }
  /** Kernels of the same text are the same. */
  #emit(text: string): KernelCode["emit"] {
    const emit = this.#emits.get(text) ?? neverEmits();
    this.#emits.set(text, emit);
    return emit;
  }

  /**
   * Returns a function of addresses, sizes, scratch memory, the first unit and the end of units.
   */
  #text(kernel: Kernel, memories: readonly KernelMemory[]): string {
    const sizes = [...(kernel.sizes?.keys() ?? [])];
    const nameOf = (memory: KernelMemory): string => `m${kernel.memories.indexOf(memory)}`;
    const lines = javaScriptLines(kernel, {
      load: (memory, at) => this.#load(memory, nameOf(memory), at),
      store: (memory, at, value) => this.#store(memory, nameOf(memory), at, value),
      call: ({ op, from, to }) => this.#call(op, from, to),
      inline: JAVASCRIPT_INLINE,
      unit: "u",
      size: (text) => `n${sizes.indexOf(text)}`,
    });
    const heads = kernel.memories.map((memory) => {
      const at = memories.indexOf(memory);
      return `${nameOf(memory)}=${at < 0 ? ownArray(memory) : `p${at}/${dtypeInfo(dtypeOf(memory)).itemSize}`}`;
    });
    const views = new Set(memories.map((memory) => VIEWS[dtypeOf(memory)]!));
    const parameters = [...memories.map((_, at) => `p${at}`), ...sizes.map((_, at) => `n${at}`)];
    return [
      `(${[...parameters, "_", "u", "e"].join()})=>{`,
      `const {${[...views].join()}}=h${heads.map((head) => `,${head}`).join("")};`,
      "for(;u<e;u++){",
      ...lines.map((line) => line.trim()),
      "}}",
    ].join("\n");
  }

  #load(memory: KernelMemory, name: string, at: string): string {
    const dtype = dtypeOf(memory);
    if (memory.space !== "global") return dtype === "bool" ? `${name}[${at}] !== 0` : `${name}[${at}]`;
    const view = VIEWS[dtype]!;
    if (dtype === "complex64")
      return `({ re: ${view}[(${name} + ${at}) * 2], im: ${view}[(${name} + ${at}) * 2 + 1] })`;
    const element = `${view}[${name} + ${at}]`;
    if (dtype === "bool") return `${element} !== 0`;
    return dtype === "float16" || dtype === "bfloat16"
      ? `${this.#call("load", dtype, dtype)}(${element})`
      : element;
  }
  #store(memory: KernelMemory, name: string, at: string, value: string): string {
    const dtype = dtypeOf(memory);
    const kept = dtype === "bool" ? `${value} ? 1 : 0` : value;
    if (memory.space !== "global") return `${name}[${at}] = ${kept}`;
    const view = VIEWS[dtype]!;
    const element = `${view}[${name} + ${at}]`;
    if (dtype === "complex64")
      return `${view}[(${name} + ${at}) * 2] = ${value}.re; ${view}[(${name} + ${at}) * 2 + 1] = ${value}.im`;
    return dtype === "float16" || dtype === "bfloat16"
      ? `${element} = ${this.#call("store", dtype, dtype)}(${value})`
      : `${element} = ${kept}`;
  }
  #call(...called: CalledFunction): string {
    const key = called.join(" ");
    let at = this.#places.get(key);
    if (at === undefined) {
      at = this.functions.push(called) - 1;
      this.#places.set(key, at);
    }
    return `f[${at}]`;
  }
}

const dtypeOf = (memory: KernelMemory): DType => {
  const element = elementOf(memory.type);
  return element === "index" ? "float64" : element;
};
/** Memory of one kernel. */
const ownArray = (memory: KernelMemory): string => {
  const dtype = dtypeOf(memory);
  if (dtype === "complex64") return `new Array(${memory.length})`;
  const name = dtype === "uint64" ? "BigUint64" : isBigIntDType(dtype) ? "BigInt64" : "Float64";
  return `new ${name}Array(${memory.length})`;
};

const neverEmits = (): KernelCode["emit"] => () => {
  throw internalError("a kernel of JavaScript was asked for WebAssembly");
};
