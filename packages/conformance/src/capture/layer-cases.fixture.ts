/** @file Layers as PyTorch made and exported them (`oracle/layers.py`), and their expressions. */
import {
  type ExportOptions,
  exportProgram,
  manualSeed,
  nn,
  type SourceFinding,
  torch,
  tuple,
} from "@sconce/capture";
import { SconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { fixtureJson } from "../fixtures.js";

/** Inputs of a call: a tensor such as `f2x3`, or several in a tuple. */
type Input = string | readonly Input[];

/** What PyTorch recorded for a layer. */
export interface LayerCase {
  /** The expression that makes it. */
  readonly layer: string;
  readonly inputs: readonly Input[];
  readonly keywords: Readonly<Record<string, string | boolean>>;
  /** Its text. */
  readonly text: string;
  /** Names, shapes and a few values of the state after `manual_seed(7)`. */
  readonly state: readonly (readonly [name: string, shape: readonly number[], values: string])[];
  /** The lines of the exported program; one line where PyTorch refuses. */
  readonly train?: readonly string[];
  /** The lines in evaluation, where they differ. */
  readonly eval?: readonly string[];
}

/** The recorded cases, by expression and inputs. */
export const LAYER_CASES = fixtureJson("capture/layers.json.gz") as readonly LayerCase[];

type Token = string;

/** Makes what a Python expression makes: layers, tensors of ones, numbers, texts and lists. */
function evaluate(expression: string): unknown {
  const tokens: Token[] = expression.match(/'[^']*'|-?\d+(?:\.\d+)?|\w+|[()[\],=]/g) ?? [];
  let at = 0;
  const items = (end: string): { values: unknown[]; named: Record<string, unknown> } => {
    const values: unknown[] = [];
    const named: Record<string, unknown> = {};
    while (tokens[at] !== end) {
      if (tokens[at + 1] === "=") {
        const name = camelCase(tokens[at]!);
        at += 2;
        named[name] = value();
      } else values.push(value());
      if (tokens[at] === ",") at++;
    }
    at++;
    return { values, named };
  };
  const value = (): unknown => {
    const token = tokens[at++]!;
    if (token === "(") return items(")").values;
    if (token === "[") return items("]").values;
    if (token.startsWith("'")) return token.slice(1, -1);
    if (/^-?\d/.test(token)) return Number(token);
    if (token in CONSTANTS) return CONSTANTS[token];
    at++;
    const { values, named } = items(")");
    if (token === "ones") return torch.ones(...(values as number[]));
    const Layer = (nn as unknown as Record<string, new (...args: unknown[]) => nn.Module>)[token]!;
    return new Layer(...values, ...(Object.keys(named).length > 0 ? [named] : []));
  };
  return value();
}

const CONSTANTS: Readonly<Record<string, unknown>> = { True: true, False: false, None: null };
const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const DTYPES = { f: "float32", i: "int64", b: "bool" } as const;

function made(input: Input): unknown {
  if (typeof input !== "string") return tuple(...input.map(made));
  const shape = input.slice(1).split("x").map(Number);
  return Tensor.empty(shape, DTYPES[input[0] as "f"]);
}

/** Returns a layer as PyTorch describes it. */
export function describeLayer({ layer }: LayerCase): Pick<LayerCase, "text" | "state"> {
  manualSeed(7);
  const module = evaluate(layer) as nn.Module;
  const state = [...module.stateDict()].map(
    ([name, tensor]) => [name, tensor.shape, digest(tensor)] as const,
  );
  return { text: String(module), state };
}

/** Returns the first, second and last value, and the sum, with four digits. */
function digest(tensor: Tensor): string {
  const values = tensor.toArray().map(Number);
  const sum = values.reduce((a, b) => a + b, 0);
  const shown = [values[0]!, values[Math.min(1, values.length - 1)]!, values.at(-1)!, sum];
  return shown.map((value) => value.toExponential(3).replace(/e([+-])(\d)$/, "e$10$2")).join(" ");
}

/** Exports a layer as a case calls it. */
function exported(one: LayerCase, training: boolean, options: ExportOptions): ExportedProgram {
  const module = (evaluate(one.layer) as nn.Module).train(training);
  const kwargs = Object.fromEntries(
    Object.entries(one.keywords).map(([name, value]) => [
      camelCase(name),
      typeof value === "string" ? made(value) : value,
    ]),
  );
  return exportProgram(module, one.inputs.map(made), { kwargs, onWarning: () => undefined, ...options });
}

/** Returns the lines of an exported layer, or the code of the error. */
export function exportLayer(one: LayerCase, training: boolean): string[] {
  try {
    return bodyLines(withPythonNames(String(exported(one, training, {})), Object.keys(one.keywords)));
  } catch (error) {
    if (error instanceof SconceError) return [`${error.code}: ${error.message}`];
    throw error;
  }
}

/** Returns the operators of a layer in both modes, and what strict mode could not follow. */
export function layerInBothModes(one: LayerCase): { plain: string[]; strict: string[]; unchecked: string[] } {
  const unchecked: string[] = [];
  const operators = (options: ExportOptions): string[] =>
    [...exported(one, true, options).graph.nodes()]
      .filter(({ op }) => op === "call_function")
      .map(({ target }) => target);
  const onUnchecked = ({ message, code }: SourceFinding): void => {
    unchecked.push(`${code}: ${message}`);
  };
  return { plain: operators({}), strict: operators({ strict: true, onUnchecked }), unchecked };
}

/** Programs have names in lower case: `attn_mask` is `attnMask` here, `attnmask` in the program. */
const withPythonNames = (text: string, names: readonly string[]): string =>
  names.reduce(
    (before, name) => before.replaceAll(new RegExp(`\\b${camelCase(name).toLowerCase()}\\b`, "g"), name),
    text,
  );

function bodyLines(text: string): string[] {
  const [graph] = text.split("Graph signature");
  return graph!
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(#|ExportedProgram|class )/.test(line))
    .map((line) => line.replaceAll(/: "[^"]*"/g, "").replace(/; {2}.*/, ""))
    .map((line) => line.replaceAll("torch.ops.aten.", ""));
}
