/** @file Weights in the orders that kernels read them in. */
import { elementsOf, fillModuleOf, fillOf, formsOf } from "@sconce/backend-wasm/build";
import { Storage, Tensor } from "@sconce/tensor";
import type { Constant, Timeline, Weight } from "./timeline.js";

const PAGE = 65_536;
/** Whole vectors may be read and written past the end of a value. */
const SLACK = 256;

/**
 * Returns a timeline whose weights are read as they are: what kernels prepare is prepared.
 *
 * @param names names of what is prepared: kinds of kernels that read one order share it
 */
export function packedTimeline(timeline: Timeline, names: Map<string, string>): Timeline {
  const codes = timeline.steps.map(({ code }) => code);
  const fills = [...new Set([...formsOf(codes).values()].map(fillOf))];
  const instance = fills.length === 0 ? undefined : packer(fillModuleOf(codes));
  const weights: Weight[] = [];
  const plain = new Map<number, number>();
  const constants = timeline.constants.map((constant): Constant => {
    const { weight, form, bytes } = constant;
    const source = timeline.weights[weight]!;
    if (form === undefined) {
      if (!plain.has(weight)) plain.set(weight, weights.push(source) - 1);
      return { ...constant, weight: plain.get(weight)! };
    }
    const made = instance!(elementsOf(source.tensor), bytes, fills.indexOf(fillOf(form)), form.parts?.count);
    const tensor = new Tensor({ dtype: "uint8", shape: [bytes], storage: new Storage(made) });
    const key = `${source.name} ${form.key}`;
    const name = names.get(key) ?? `${source.name}#packed${names.size}`;
    names.set(key, name);
    const at = weights.push({ name, tensor }) - 1;
    return { ...constant, weight: at, form: undefined };
  });
  // Without forms the module has no functions that make them.
  const steps = timeline.steps.map((step) => ({ ...step, code: { ...step.code, prepared: [] } }));
  return { ...timeline, weights, constants, steps };
}

type Pack = (
  source: Uint8Array,
  bytes: number,
  fill: number,
  parts: number | undefined,
) => Uint8Array<ArrayBuffer>;

/** Returns what runs the functions of a module that make forms. */
function packer(module: Uint8Array<ArrayBuffer>): Pack {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module), { env: { memory } });
  return (source, bytes, fill, parts) => {
    const to = Math.ceil((source.length + SLACK) / SLACK) * SLACK;
    const missing = to + bytes + SLACK - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    const heap = new Uint8Array(memory.buffer);
    heap.fill(0);
    heap.set(source, 0);
    const make = exports[`p${fill}`] as (from: number, to: number, first?: number, end?: number) => void;
    if (parts === undefined) make(0, to);
    else make(0, to, 0, parts);
    return heap.slice(to, to + bytes);
  };
}
