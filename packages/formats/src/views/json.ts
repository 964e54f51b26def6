/** @file A program as JSON for other tools to read: everything but the values of tensors. */
import {
  type Argument,
  type ArgumentSpec,
  annotation,
  type ExportedProgram,
  type Graph,
  int,
  isFloat,
  isInt,
  type Node,
  toNumber,
} from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";

/**
 * Returns the program as JSON text. Argument values are JSON where JSON can express them; others
 * are objects of one key, their kind: `{"node": "x"}`, `{"float": 1}`,
 * `{"int": "9223372036854775807"}`, `{"tuple": [...]}`, `{"dtype": "float32"}`.
 */
export function jsonText(program: ExportedProgram): string {
  const tensors = (map: ReadonlyMap<string, Tensor>): object =>
    Object.fromEntries(
      [...map].map(([name, { dtype, shape, strides, hasValues }]) => [
        name,
        { dtype, shape, strides, ...(!hasValues && { hasValues }) },
      ]),
    );
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const spec = (arg: ArgumentSpec): object =>
    arg.kind === "constant" ? { ...arg, value: valueJson(arg.value) } : arg;
  const json = {
    format: "sconce-json",
    version: 1,
    dialect: program.dialect,
    torch: program.torchVersion ?? null,
    opset: program.opsetVersion,
    ranges: Object.fromEntries(
      [...program.rangeConstraints].map(([expr, { min, max, exact }]) => [
        expr,
        [boundJson(exact?.min ?? min), boundJson(exact?.max ?? max)],
      ]),
    ),
    guards: program.guardsCode,
    parameters: [...program.parameterNames],
    state: tensors(program.stateDict),
    constants: tensors(program.constants),
    inputs: inputSpecs.map((input) => ({ ...input, arg: spec(input.arg) })),
    outputs: outputSpecs.map((output) => ({ ...output, arg: spec(output.arg) })),
    graph: graphJson(program.graph),
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

const graphJson = (graph: Graph): object => ({
  nodes: graph.nodes().map(nodeJson),
  ...(graph.subgraphs.size === 0
    ? {}
    : {
        graphs: Object.fromEntries(
          [...graph.subgraphs].map(([target, nested]) => [target, graphJson(nested)]),
        ),
      }),
});

function nodeJson({ name, op, target, args, kwargs, meta }: Node): object {
  const { val, ...rest } = meta;
  return {
    name,
    op,
    target,
    args: args.map(valueJson),
    kwargs: Object.fromEntries(Object.entries(kwargs).map(([key, value]) => [key, valueJson(value)])),
    type: annotation(val) ?? null,
    ...(Object.keys(rest).length === 0 ? {} : { meta: rest }),
  };
}

/** JSON has no infinities and no integers past 2^53. */
const boundJson = (value: number | bigint): number | string =>
  typeof value === "number" && Number.isFinite(value) ? value : String(value);

const numberJson = (value: number): number | string =>
  Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? "-0" : String(value);

function valueJson(value: Argument): unknown {
  if (isInt(value)) {
    const exact = int(value);
    return typeof exact === "bigint" ? { int: String(exact) } : exact;
  }
  if (isFloat(value)) return { float: numberJson(toNumber(value)) };
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Argument[]).map(valueJson);
  const tagged = value as Exclude<Argument, null | boolean | number | bigint | string | readonly Argument[]>;
  switch (tagged.kind) {
    case "node":
      return { node: tagged.name };
    case "tuple":
      return { tuple: tagged.items.map(valueJson) };
    case "dict":
      return { dict: tagged.entries.map(([key, item]) => [key, valueJson(item)]) };
    case "float":
      return { float: numberJson(tagged.value) };
    case "complex":
      return { complex: [numberJson(tagged.re), numberJson(tagged.im)] };
    case "dtype":
      return { dtype: tagged.dtype };
    case "device":
      return { device: tagged.index === null ? tagged.type : `${tagged.type}:${tagged.index}` };
    case "layout":
      return { layout: tagged.layout };
    case "memory_format":
      return { memory_format: tagged.format };
    case "operator":
      return { operator: tagged.target };
  }
}
