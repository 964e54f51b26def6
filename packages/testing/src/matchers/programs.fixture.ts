import type { ExportedProgram, FakeTensor } from "@sconce/ir";
import { parseGraph, parseIr } from "@sconce/ir/text";
import { numel, Tensor } from "@sconce/tensor";

/** Returns a program around a graph; placeholders `b_*` are buffers of zeros. */
export function programOf(text: string, dialect = "ATEN"): ExportedProgram {
  const graph = parseGraph(text);
  const names = graph.placeholders().map((node) => node.name);
  const typeOf = (name: string): string => new RegExp(`%${name}: ([^,)]*\\])`).exec(text)![1]!;
  const buffers = names.filter((name) => name.startsWith("b_"));
  const outputs = [...text.slice(text.lastIndexOf("return")).matchAll(/%(\w+)/g)].map((match) => match[1]!);
  const lines = [
    ...buffers.map((name) => `buffer "${name}": ${typeOf(name)}`),
    ...names.map((name) =>
      buffers.includes(name) ? `input %${name}: BUFFER "${name}" persistent` : `input %${name}: USER_INPUT`,
    ),
    ...outputs.map((name) => `output %${name}: USER_OUTPUT`),
  ];
  const program = parseIr(`sconce-ir 1\nprogram "${dialect}" {\n${lines.join("\n")}\n}\n${text}`);
  const zeros = buffers.map((name) => {
    const { shape, dtype } = graph.node(name).meta.val as FakeTensor;
    return [
      name,
      Tensor.from(new Array(numel(shape as number[])).fill(0), shape as number[], dtype),
    ] as const;
  });
  return buffers.length === 0 ? program : program.withState(new Map(zeros));
}
