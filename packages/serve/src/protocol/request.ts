/** @file Requests of the protocol: a JSON object, and the bytes of tensors behind it. */
import { Budget, describeValue, isSconceError, parsePlainJson } from "@sconce/errors";
import { badRequest } from "./errors.js";

/** One tensor of a request, not yet compared with a program. */
export interface RequestInput {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  /** Product of the shape; at most 2^53. */
  readonly count: number;
  /** Elements in JSON; undefined where they come as bytes. */
  readonly data: readonly unknown[] | undefined;
  /** Elements in little-endian bytes. */
  readonly bytes: Uint8Array | undefined;
}

/** A result that a client asks for. */
interface RequestOutput {
  readonly name: string;
  /** Whether it is returned as bytes. */
  readonly isBinary: boolean;
}

/** A request whose fields have the kinds that the protocol gives them. */
export interface InferenceRequest {
  readonly id: string | undefined;
  readonly inputs: readonly RequestInput[];
  /** The results that are asked for; undefined for all. */
  readonly outputs: readonly RequestOutput[] | undefined;
  /** Whether results are returned as bytes where `outputs` does not say. */
  readonly isBinary: boolean;
}

/** Bounds on reading a request. */
export interface RequestLimits {
  /** Lists in lists of the JSON object. */
  readonly depth: number;
}

/** Most dimensions of a tensor. */
const MOST_DIMENSIONS = 64;
/** Most inputs and outputs of a request, more than programs have. */
const MOST_TENSORS = 10_000;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the body of a request.
 *
 * @param headerLength bytes of the JSON object, from `Inference-Header-Content-Length`; undefined
 * where the whole body is JSON
 * @throws SconceError `INFERENCE_REQUEST`
 */
export function readRequest(
  body: Uint8Array,
  headerLength: string | undefined,
  { depth }: RequestLimits,
): InferenceRequest {
  const end = headerLength === undefined ? body.length : lengthOf(headerLength, body.length);
  const fields = fieldsOf(parsedJson(body.subarray(0, end), depth), "the request");
  const binary = new BinaryPart(body.subarray(end));
  const inputs = listOf(fields, "inputs", "the request");
  const outputs = Object.hasOwn(fields, "outputs") ? listOf(fields, "outputs", "the request") : undefined;
  const all = parametersOf(fields, "the request")["binary_data_output"];
  const request = {
    id: idOf(fields),
    inputs: inputs.map((one, i) => inputOf(fieldsOf(one, `inputs[${i}]`), `inputs[${i}]`, binary)),
    outputs: outputs?.map((one, i) =>
      outputOf(fieldsOf(one, `outputs[${i}]`), `outputs[${i}]`, all === true),
    ),
    isBinary: all === true,
  };
  binary.requireUsed();
  return request;
}

function lengthOf(text: string, bodyLength: number): number {
  const length = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (length <= bodyLength) return length;
  throw badRequest(
    `Inference-Header-Content-Length is ${JSON.stringify(text.slice(0, 40))}, and the body has ${bodyLength} bytes`,
    "give the length of the JSON object in bytes, at most that of the body",
  );
}

function parsedJson(bytes: Uint8Array, depth: number): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw badRequest("the JSON object is not UTF-8", "encode the JSON object as UTF-8", { cause });
  }
  const limits = { nodes: 1000 + text.length, items: 1 + text.length, milliseconds: 60_000 };
  try {
    return parsePlainJson(text, {
      budget: new Budget(text.length, limits),
      depth,
      fail: (message, at, cause) =>
        badRequest(`character ${at}: ${message}`, "send one JSON object", { cause }),
    });
  } catch (error) {
    if (isSconceError(error, "BUDGET_EXCEEDED"))
      throw badRequest(error.message, "send fewer values in JSON, or tensors as binary data", {
        cause: error,
      });
    throw error;
  }
}

function fieldsOf(value: unknown, place: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw badRequest(
    `${place} is ${described(value)}, not an object`,
    "write the request as the protocol says",
  );
}

function described(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  return typeof value === "object" && !Array.isArray(value) ? "an object" : describeValue(value);
}

/** Reads an own field: names such as `constructor` are fields only where the client gave them. */
const field = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

function wrongField(place: string, name: string, value: unknown, wanted: string): Error {
  return badRequest(
    `"${name}" of ${place} is ${described(value)}, not ${wanted}`,
    `give "${name}" as ${wanted}`,
  );
}

function listOf(fields: Fields, name: string, place: string): readonly unknown[] {
  const value = field(fields, name);
  if (!Array.isArray(value)) throw wrongField(place, name, value, "a list");
  if (value.length <= MOST_TENSORS) return value;
  throw badRequest(`"${name}" of ${place} has ${value.length} items`, `give at most ${MOST_TENSORS}`);
}

function textOf(fields: Fields, name: string, place: string): string {
  const value = field(fields, name);
  if (typeof value === "string") return value;
  throw wrongField(place, name, value, "a string");
}

function idOf(fields: Fields): string | undefined {
  const id = field(fields, "id");
  if (id === undefined || typeof id === "string") return id;
  throw wrongField("the request", "id", id, "a string");
}

function parametersOf(fields: Fields, place: string): Fields {
  const given = field(fields, "parameters");
  if (given === undefined) return {};
  const parameters = fieldsOf(given, `"parameters" of ${place}`);
  for (const [name, value] of Object.entries(parameters))
    if (!["string", "number", "boolean"].includes(typeof value))
      throw wrongField(`"parameters" of ${place}`, name, value, "a string, a number or a boolean");
  return Object.assign(Object.create(null) as Fields, parameters);
}

function outputOf(fields: Fields, place: string, isBinary: boolean): RequestOutput {
  const own = parametersOf(fields, place)["binary_data"];
  if (own !== undefined && typeof own !== "boolean") throw wrongField(place, "binary_data", own, "a boolean");
  return { name: textOf(fields, "name", place), isBinary: own ?? isBinary };
}

function inputOf(fields: Fields, place: string, binary: BinaryPart): RequestInput {
  const name = textOf(fields, "name", place);
  const datatype = textOf(fields, "datatype", place);
  const shape = shapeOf(fields, place);
  const count = shape.reduce((product, size) => product * size, 1);
  if (!Number.isSafeInteger(count))
    throw badRequest(`the shape of ${place} has ${count} elements`, "give the shape of the data", {
      where: name,
    });
  const size = parametersOf(fields, place)["binary_data_size"];
  const data = field(fields, "data");
  if (size !== undefined) {
    if (data !== undefined)
      throw badRequest(`${place} has "data" and "binary_data_size"`, "give one of them", { where: name });
    return { name, datatype, shape, count, data: undefined, bytes: binary.take(size, place, name) };
  }
  if (!Array.isArray(data)) throw wrongField(place, "data", data, "a list of elements");
  return { name, datatype, shape, count, data, bytes: undefined };
}

function shapeOf(fields: Fields, place: string): readonly number[] {
  const shape = field(fields, "shape");
  if (!Array.isArray(shape)) throw wrongField(place, "shape", shape, "a list of sizes");
  if (shape.length > MOST_DIMENSIONS)
    throw badRequest(
      `the shape of ${place} has ${shape.length} dimensions`,
      `give at most ${MOST_DIMENSIONS}`,
    );
  const wrong = shape.find((size) => !Number.isSafeInteger(size) || (size as number) < 0);
  if (wrong === undefined) return shape as number[];
  throw badRequest(`the shape of ${place} has ${JSON.stringify(wrong)}`, "give sizes as integers from 0 on");
}

/** The bytes behind the JSON object: those of the inputs, in order. */
class BinaryPart {
  readonly #bytes: Uint8Array;
  #used = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(size: unknown, place: string, name: string): Uint8Array {
    if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0)
      throw wrongField(place, "binary_data_size", size, "a count of bytes");
    const left = this.#bytes.length - this.#used;
    if (size > left)
      throw badRequest(
        `input ${JSON.stringify(name)} has ${size} bytes of binary data, and ${left} bytes are left in the body`,
        "send all bytes of the tensors behind the JSON object, and its length as Inference-Header-Content-Length",
        { where: name },
      );
    this.#used += size;
    return this.#bytes.subarray(this.#used - size, this.#used);
  }

  requireUsed(): void {
    const left = this.#bytes.length - this.#used;
    if (left > 0)
      throw badRequest(
        `${left} bytes of binary data behind the JSON object belong to no input`,
        `give the bytes of each input as the parameter "binary_data_size"`,
      );
  }
}
