/** @file Random models over dynamic sizes, as `oracle/dynamic_names.py` records them. */
import {
  Dim,
  type DynamicShapes,
  exportProgram,
  float,
  nn,
  type Size,
  slice,
  torch,
  tuple,
} from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { fixtureJson } from "../fixtures.js";
import { SIZE_OPERATORS } from "./size-operators.fixture.js";

type Entry = null | string | readonly [name: string, factor: number, offset: number];
type Step = readonly [name: string, args: readonly unknown[], options?: Readonly<Record<string, unknown>>];
type Call = (...args: readonly unknown[]) => Tensor | readonly Tensor[];

/** One recorded model. */
export interface NameCase {
  readonly inputs: readonly (readonly [shape: readonly number[], dtype: "f32" | "i64"])[];
  readonly parameters: readonly (readonly number[])[];
  readonly spec: readonly (readonly Entry[])[];
  readonly steps: readonly Step[];
  readonly result: {
    readonly error?: string;
    readonly message?: string;
    readonly text?: string;
  };
}

/** The recorded models. */
export const nameCases = fixtureJson("dynamic-shapes/names.json.gz") as readonly NameCase[];

const camelCase = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns an argument of a step as the function takes it. */
function argumentOf(arg: unknown, tensors: readonly Tensor[]): unknown {
  if (Array.isArray(arg)) return arg.map((item) => argumentOf(item, tensors));
  if (typeof arg !== "object" || arg === null) return arg;
  const [[kind, value]] = Object.entries(arg) as [[string, unknown]];
  if (kind === "t") return tensors[value as number];
  if (kind === "f") return float(value as number);
  const parts = value as readonly unknown[];
  if (kind === "s") return tensors[parts[0] as number]!.size(parts[1] as number);
  if (kind === "slice") return slice(...parts.map((part) => (argumentOf(part, tensors) ?? null) as Size));
  return SIZE_OPERATORS[parts[0] as string]!(
    argumentOf(parts[1], tensors) as Size,
    argumentOf(parts[2], tensors) as Size,
  );
}

function runStep([name, given, options]: Step, tensors: readonly Tensor[]): Tensor | readonly Tensor[] {
  const args = given.map((arg) => argumentOf(arg, tensors));
  const [x, ...rest] = args as [Tensor, ...unknown[]];
  if (name === "at") return x.at(...(rest as Size[]));
  if (name === "setAt") {
    const copy = x.clone();
    copy.setAt(rest[0] as [], rest[1] as Tensor);
    return copy;
  }
  const [space, python] = name.split(".") as [string, string];
  const owner = space === "x" ? x : space === "F" ? nn.functional : torch;
  const call = (owner as unknown as Readonly<Record<string, Call>>)[camelCase(python)]!;
  const more = options === undefined ? [] : [options];
  return space === "x" ? call.apply(x, [...rest, ...more]) : call(...args, ...more);
}

class Model extends nn.Module {
  readonly #steps: readonly Step[];
  readonly #count: number;

  constructor({ steps, parameters }: NameCase) {
    super();
    this.#steps = steps;
    this.#count = parameters.length;
    parameters.forEach((shape, i) => {
      Object.assign(this, { [`p${i}`]: new nn.Parameter(torch.zeros([...shape])) });
    });
  }

  protected run(...inputs: Tensor[]): readonly Tensor[] {
    const own = this as unknown as Readonly<Record<string, Tensor>>;
    const tensors = [...inputs, ...Array.from({ length: this.#count }, (_, i) => own[`p${i}`]!)];
    const given = tensors.length;
    for (const step of this.#steps) {
      const result = runStep(step, tensors);
      tensors.push(...(result instanceof Tensor ? [result] : result));
    }
    return tuple(...tensors.slice(given));
  }
}
class One extends Model {
  override forward(x: Tensor): unknown {
    return this.run(x);
  }
}
class Two extends Model {
  override forward(x: Tensor, y: Tensor): unknown {
    return this.run(x, y);
  }
}
class Three extends Model {
  override forward(x: Tensor, y: Tensor, z: Tensor): unknown {
    return this.run(x, y, z);
  }
}

/** Exports a model. */
export function exportNames(entry: NameCase): ExportedProgram {
  const { inputs, spec } = entry;
  const dims = new Map<string, Dim>();
  const named = (name: string): Dim => {
    const dim = dims.get(name) ?? Dim(name);
    dims.set(name, dim);
    return dim;
  };
  const dimOf = (item: Entry): unknown => {
    if (item === null) return null;
    if (typeof item === "string") return item === "AUTO" || item === "DYNAMIC" ? Dim[item] : named(item);
    const [name, factor, offset] = item;
    const multiple = named(name).mul(factor);
    return offset === 0 ? multiple : multiple.add(offset);
  };
  const model = new [One, Two, Three][inputs.length - 1]!(entry);
  const args = inputs.map(([shape, dtype]) =>
    torch.zeros([...shape], { dtype: dtype === "i64" ? "int64" : "float32" }),
  );
  const dynamicShapes = Object.fromEntries(spec.map((entries, i) => ["xyz"[i]!, entries.map(dimOf)]));
  return exportProgram(model, args, {
    dynamicShapes: dynamicShapes as DynamicShapes,
    onWarning: () => undefined,
  });
}

/** Returns a text without its blank lines and its comments, which show places in the source. */
export const withoutPlaces = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s*#\s/.test(line))
    .slice(2)
    .join("\n");
