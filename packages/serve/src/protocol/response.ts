/** @file Responses of the protocol: a JSON object, and the bytes of tensors behind it. */
import { Tensor } from "@sconce/tensor";
import { dataText } from "./elements.js";

/** A result as it is returned. */
export interface ResponseOutput {
  readonly name: string;
  readonly datatype: string;
  /** The value; a string for `BYTES`. */
  readonly value: Tensor | string;
  readonly isBinary: boolean;
}

/**
 * The body of a response, with its length in front of the bytes of tensors where there are some.
 */
export interface InferenceResponse {
  readonly body: Buffer;
  /** Bytes of the JSON object; undefined where the whole body is JSON. */
  readonly headerLength: number | undefined;
}

/** Writes a response. */
export function writeResponse(
  model: { readonly name: string; readonly version: string },
  id: string | undefined,
  outputs: readonly ResponseOutput[],
): InferenceResponse {
  const binary: Uint8Array[] = [];
  const texts = outputs.map(({ name, datatype, value, isBinary }) => {
    const shape = value instanceof Tensor ? value.shape : [1];
    const start = `{"name":${JSON.stringify(name)},"shape":[${[...shape].join(",")}],"datatype":"${datatype}",`;
    if (!isBinary)
      return `${start}"data":${value instanceof Tensor ? dataText(value) : JSON.stringify([value])}}`;
    const bytes = bytesOf(value);
    binary.push(bytes);
    return `${start}"parameters":{"binary_data_size":${bytes.length}}}`;
  });
  const named = `{"model_name":${JSON.stringify(model.name)},"model_version":${JSON.stringify(model.version)}`;
  const text = `${named}${id === undefined ? "" : `,"id":${JSON.stringify(id)}`},"outputs":[${texts.join(",")}]}`;
  const header = Buffer.from(text);
  if (binary.length === 0) return { body: header, headerLength: undefined };
  return { body: Buffer.concat([header, ...binary]), headerLength: header.length };
}

/** Returns the elements in little-endian bytes; a string has its length in four bytes before it. */
function bytesOf(value: Tensor | string): Uint8Array {
  if (value instanceof Tensor) return value.storage.bytes;
  const text = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text]);
}
