/** @file Between requests of the protocol and calls of a program. */
import { countText, didYouMean } from "@sconce/errors";
import type { Value } from "@sconce/ir";
import { dtypeInfo, Storage, Tensor } from "@sconce/tensor";
import { tensorOfData } from "../protocol/elements.js";
import { badRequest } from "../protocol/errors.js";
import type { InferenceRequest, RequestInput } from "../protocol/request.js";
import type { ResponseOutput } from "../protocol/response.js";
import type { Model, ModelInput } from "./model.js";

/**
 * Returns the inputs of the program that a request gives, in order.
 *
 * @throws SconceError `INFERENCE_REQUEST` for names, datatypes and data that do not fit the
 * program; `GUARD_FAILED`, `INPUT_RANK` and others of the program for shapes that it does not take
 */
export function callOf(request: InferenceRequest, model: Model): Value[] {
  const given = new Map<ModelInput, RequestInput>();
  for (const one of request.inputs) {
    const input = model.inputNamed.get(one.name);
    if (input === undefined) throw unknownTensor("input", one.name, model.inputs);
    if (given.has(input))
      throw badRequest(`input ${JSON.stringify(one.name)} is given twice`, "give each input once", {
        where: one.name,
      });
    given.set(input, one);
  }
  const values = [...model.defaults];
  for (const input of model.inputs) {
    const one = given.get(input);
    if (one === undefined) {
      const list = model.inputs.map(
        ({ name, datatype, shape }) => `${name} ${datatype}[${shape.join(", ")}]`,
      );
      throw badRequest(
        `input ${JSON.stringify(input.name)} is missing`,
        `give the inputs ${list.join(", ")}`,
        {
          where: input.name,
        },
      );
    }
    values[input.at] = givenValue(one, input);
  }
  requireOutputs(request, model);
  model.check(values as Value[]);
  return values as Value[];
}

function requireOutputs({ outputs }: InferenceRequest, model: Model): void {
  for (const { name } of outputs ?? [])
    if (!model.outputNamed.has(name)) throw unknownTensor("output", name, model.outputs);
}

function unknownTensor(kind: string, name: string, known: readonly { readonly name: string }[]): Error {
  const names = known.map((one) => one.name);
  const fix =
    names.length === 0 ? `the model has no ${kind}s` : `use one of: ${names.slice(0, 20).join(", ")}`;
  return badRequest(
    `the model has no ${kind} ${JSON.stringify(name.slice(0, 200))}`,
    didYouMean(name, names, fix),
    {
      where: name.slice(0, 200),
    },
  );
}

function givenValue(given: RequestInput, input: ModelInput): Value {
  const { datatype, shape, count, data, bytes } = given;
  if (datatype !== input.datatype)
    throw badRequest(
      `input ${JSON.stringify(input.name)} is ${datatype.slice(0, 40)}, and the model takes ${input.datatype}`,
      `convert it, and give "datatype" as ${input.datatype}`,
      { where: input.name },
    );
  const tensor =
    bytes === undefined
      ? tensorOfData(data ?? [], input.dtype, shape, count, { input: input.name, datatype })
      : tensorOfBytes(bytes, input, shape, count);
  return input.isScalar ? scalarOf(tensor, input) : tensor;
}

function tensorOfBytes(
  bytes: Uint8Array,
  input: ModelInput,
  shape: readonly number[],
  count: number,
): Tensor {
  const { name, dtype, datatype } = input;
  const wanted = count * dtypeInfo(dtype).itemSize;
  if (bytes.length !== wanted)
    throw badRequest(
      `input ${JSON.stringify(name)} has ${countText(bytes.length, "byte")}, and ${datatype}[${shape.join(", ")}] takes ${wanted}`,
      "give the elements in row-major order, little-endian, without gaps",
      { where: name },
    );
  // The body may start anywhere in its buffer; typed arrays start at multiples of their elements.
  const own = new Uint8Array(bytes);
  if (dtype === "bool" && own.some((byte) => byte > 1))
    throw badRequest(
      `input ${JSON.stringify(name)} has bytes other than 0 and 1`,
      "give BOOL as bytes 0 and 1",
      {
        where: name,
      },
    );
  return new Tensor({ dtype, shape, storage: new Storage(own) });
}

/** Returns the number of a tensor of one element. */
function scalarOf(tensor: Tensor, { name, dtype }: ModelInput): Value {
  if (tensor.numel !== 1)
    throw badRequest(
      `input ${JSON.stringify(name)} is a number, and its shape [${tensor.shape.join(", ")}] has ${tensor.numel} elements`,
      "give one element, with the shape [1]",
      { where: name },
    );
  const [element] = tensor.toArray();
  const integer = dtype === "int64" ? Number(element) : element;
  return (dtype === "int64" && !Number.isSafeInteger(integer) ? element : integer) as Value;
}

/** Returns the outputs that a request asks for, in its order. */
export function outputsOf(
  results: readonly Value[],
  request: InferenceRequest,
  model: Model,
): ResponseOutput[] {
  const wanted = request.outputs ?? model.outputs.map(({ name }) => ({ name, isBinary: request.isBinary }));
  return wanted.map(({ name, isBinary }) => {
    const { at, constant, datatype } = model.outputNamed.get(name)!;
    return { name, isBinary, datatype, value: asTensor(constant ?? results[at]!, datatype) };
  });
}

/** Returns a result as a tensor; a string stays what it is. */
function asTensor(value: Value, datatype: string): Tensor | string {
  if (value instanceof Tensor || typeof value === "string") return value;
  if (datatype === "BOOL") return Tensor.from([Boolean(value)], { dtype: "bool" });
  return datatype === "INT64"
    ? Tensor.from([BigInt(value as number)], { dtype: "int64" })
    : Tensor.from([Number(value)], { dtype: "float64" });
}
