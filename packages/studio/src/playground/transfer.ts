/** @file Programs and tensors on their way between workers. */
import { type ExportedProgram, missingValues } from "@sconce/ir";
import { type ParseIrOptions, printIr, tensorsOf } from "@sconce/ir/text";
import { copiedBytes, Storage, Tensor } from "@sconce/tensor";
import type { SentProgram, SentTensor, SentTensors } from "./messages.js";

/** Returns a program with its values, without its history. */
export function packProgram(program: ExportedProgram): SentProgram {
  const hasValues = missingValues(program).length === 0;
  return { text: printIr(program), tensors: hasValues ? packTensors(tensorsOf(program)) : undefined };
}

/** Reads a program with the function of a session. */
export function unpackProgram(
  { text, tensors }: SentProgram,
  parse: (text: string, options: ParseIrOptions) => ExportedProgram,
): ExportedProgram {
  const options = tensors === undefined ? {} : { tensors: unpackTensors(tensors) };
  // What the page opened may call operators that no session knows.
  return parse(text, { ...options, unknownTargets: "allow" });
}

/** Copies tensors that have values. */
export function packTensors(tensors: ReadonlyMap<string, Tensor>): SentTensors {
  const sent = new Map<Tensor, SentTensor>();
  return [...tensors].flatMap(([name, tensor]) => {
    if (!tensor.hasValues) return [];
    let copy = sent.get(tensor);
    if (copy === undefined) {
      copy = { dtype: tensor.dtype, shape: [...tensor.shape], bytes: copiedBytes(tensor) };
      sent.set(tensor, copy);
    }
    return [[name, copy]];
  });
}

/** Returns the tensors that were sent. */
export function unpackTensors(tensors: SentTensors): Map<string, Tensor> {
  const made = new Map<SentTensor, Tensor>();
  return new Map(
    tensors.map(([name, sent]) => {
      const { dtype, shape, bytes } = sent;
      const tensor = made.get(sent) ?? new Tensor({ dtype, shape, storage: new Storage(bytes) });
      made.set(sent, tensor);
      return [name, tensor];
    }),
  );
}
