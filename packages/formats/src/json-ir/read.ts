/** @file Reads JSON IR. The text is not trusted: it is data, and every refusal names its place. */
import {
  Budget,
  checkOptions,
  type OptionNames,
  requireBytes,
  type SconceError,
  WORK_OPTIONS,
  type WorkOptions,
} from "@sconce/errors";
import {
  type BoolLike,
  type FloatLike,
  float,
  type IntLike,
  rangeConstraint,
  type SymScalar,
  symBool,
  symFloat,
  symInt,
} from "@sconce/ir";
import { type DType, dtypeInfo, type Element, isComplexDType, isDType, numel, Tensor } from "@sconce/tensor";
import { jsonIRFault, type Pt2Fault } from "../errors.js";
import { parseJson } from "../json/parse.js";
import {
  Place,
  type Read,
  readArray,
  readBoolean,
  readDict,
  readInteger,
  readList,
  readObject,
  readSafeInteger,
  readString,
} from "../json/place.js";
import { JsonFloat, JsonObject, type JsonValue } from "../json/value.js";
import { SymbolTable } from "../pt2/symbol-table.js";
import { NAMED_FLOATS } from "./attributes.js";
import { readIndex, taggedReader } from "./tagged.js";
import {
  type JsonIR,
  type JsonIRAttribute,
  type JsonIRGraph,
  type JsonIRInput,
  type JsonIRMutation,
  type JsonIRNode,
  type JsonIRSymbol,
  type JsonIRTensor,
  MUTATIONS,
  type MutationKind,
} from "./types.js";

/** How JSON IR is read: bounds on the work. */
export type ReadJsonIROptions = WorkOptions;

const OPTIONS: OptionNames<ReadJsonIROptions> = WORK_OPTIONS;
const NAME = "JSON IR";
/** A number counts an eighth of a node. */
const BYTES_PER_NODE = 12;
/** PyTorch has 64 dimensions at most. */
const MOST_DIMENSIONS = 64;

/**
 * Reads JSON IR, as `jsonIRText` writes it.
 * @throws SconceError `JSON_SYNTAX`, `JSON_ENCODING`, `JSON_DEPTH`, `JSON_DUPLICATE_KEY`,
 * `JSON_IR_FIELD`, `JSON_IR_TYPE`, `BUDGET_EXCEEDED`
 */
export function readJsonIR(source: Uint8Array | string, options: ReadJsonIROptions = {}): JsonIR {
  checkOptions("readJsonIR", options, OPTIONS);
  if (typeof source !== "string") requireBytes(source, "readJsonIR");
  const budget = Budget.of(options, source.length, BYTES_PER_NODE);
  const value = parseJson(source, NAME, budget, (float) =>
    Number.isInteger(float) ? new JsonFloat(float) : undefined,
  );
  return readIR(value, new JsonIRPlace(NAME, budget));
}

/** Errors of the readers that archives share are those of JSON IR here. */
class JsonIRPlace extends Place {
  /** The expressions of the document. */
  readonly expressions: SymbolTable;

  constructor(file: string, budget: Budget) {
    super(file);
    this.expressions = new SymbolTable(budget);
  }

  override fail(fault: Pt2Fault, message: string, fix?: string): SconceError {
    return jsonIRFault(fault, message, this.toString(), fix);
  }
}

const readIR: Read<JsonIR> = (value, place) => {
  const object = readObject(value, place);
  if (object.get("format") === "sconce-json")
    throw place.fail(
      "PT2_TYPE",
      "this is JSON of `sconce print --format json`, which nothing reads back",
      "write JSON IR with `sconce ir`",
    );
  return {
    modelName: place.optional(object, "model_name", readString, "model"),
    ...readSignature(object, place),
    weights: place.field(object, "weights", readList(readTensor)),
    weightNameMapping: place.optional(object, "weight_name_mapping", readDict(readString), new Map()),
    nodes: place.field(object, "nodes", readList(readNode)),
    constants: place.optional(object, "constants", readDict(readConstant), new Map()),
    ...(object.get("symbols") !== undefined && {
      symbols: place.field(object, "symbols", readDict(readSymbol)),
    }),
    ...(object.get("mutations") !== undefined && {
      mutations: place.field(object, "mutations", readList(readMutation)),
    }),
    ...readSubgraphs(object, place),
  };
};

const readSignature = (
  object: JsonObject,
  place: Place,
): Pick<JsonIRGraph, "graphInputs" | "graphOutputs"> => ({
  graphInputs: place.field(object, "graph_inputs", readList(readTensor)),
  graphOutputs: place.field(object, "graph_outputs", readList(readTensor)),
});

/** Returns the field of nested graphs; none where it is absent. */
const readSubgraphs = (object: JsonObject, place: Place): Pick<JsonIRGraph, "subgraphs"> =>
  object.get("subgraphs") === undefined
    ? {}
    : { subgraphs: place.field(object, "subgraphs", readDict(readNested)) };

/** A nested graph; the parser bounds how deep they nest. */
const readNested: Read<JsonIRGraph> = (value, place) => {
  const object = readObject(value, place);
  return {
    ...readSignature(object, place),
    nodes: place.field(object, "nodes", readList(readNode)),
    ...(object.get("result") !== undefined && {
      result: place.field(object, "result", readAttribute),
    }),
    ...readSubgraphs(object, place),
  };
};

/** Parses an expression over symbols. */
function readExpression(text: string, place: Place, kind: "int" | "float" | "bool") {
  return (place as JsonIRPlace).expressions.parse(text, place, kind);
}

const readTensor: Read<JsonIRTensor> = (value, place) => {
  const object = readObject(value, place);
  const tensor = {
    name: place.field(object, "name", readString),
    shape: place.field(object, "shape", readShape),
    dtype: place.field(object, "dtype", readDType),
  };
  const known = tensor.shape.map((size) => (typeof size === "number" ? size : 1));
  if (!Number.isSafeInteger(numel(known) * dtypeInfo(tensor.dtype).itemSize))
    throw place.fail("PT2_TYPE", `a tensor of the shape [${tensor.shape.join(", ")}] is too large`);
  if (object.get("scalar") === undefined) return tensor;
  if (tensor.shape.length > 0) throw place.fail("PT2_TYPE", "a scalar has no dimensions");
  return { ...tensor, scalar: place.field(object, "scalar", readScalar(tensor.dtype)) };
};

/** Returns a symbolic scalar; the dtype says its kind. */
const readScalar =
  (dtype: DType): Read<SymScalar> =>
  (value, place) => {
    const text = typeof value === "string" ? value : undefined;
    switch (dtype) {
      case "int64":
        return symInt(
          text === undefined
            ? readSafeInteger(value, place)
            : (readExpression(text, place, "int") as IntLike),
        );
      case "float64":
        return symFloat(
          text === undefined
            ? (readFloatElement(value, place) as number)
            : (readExpression(text, place, "float") as FloatLike),
        );
      case "bool":
        return symBool(
          text === undefined
            ? (readTruth(value, place) as boolean)
            : (readExpression(text, place, "bool") as BoolLike),
        );
      default:
        throw place.fail("PT2_TYPE", `a scalar is int64, float64 or bool, found ${dtype}`);
    }
  };

const readSymbol: Read<JsonIRSymbol> = (value, place) => {
  const object = readObject(value, place);
  const float = place.optional(object, "float", readBoolean, false);
  const bound: Read<number | bigint> = float ? readFiniteNumber : readBound;
  const min = place.optional(object, "min", bound, Number.NEGATIVE_INFINITY);
  const max = place.optional(object, "max", bound, Number.POSITIVE_INFINITY);
  if (min > max) throw place.fail("PT2_TYPE", `the range from ${min} to ${max} is empty`);
  const hint = place.optional(object, "hint", readSafeInteger, undefined);
  if (hint !== undefined && (hint < min || hint > max))
    throw place.fail("PT2_TYPE", `the example ${hint} is not in the range`);
  return { ...rangeConstraint(min, max), ...(float && { float }), hint };
};

/** Bounds of integers have 64 bits, as those of PyTorch have. */
const readBound: Read<number | bigint> = (value, place) => {
  const integer = readInteger(value, place);
  if (BigInt.asIntN(64, BigInt(integer)) === BigInt(integer)) return integer;
  throw place.fail("PT2_TYPE", `the integer ${integer} is out of range`);
};

const readFiniteNumber: Read<number> = (value, place) => {
  const number = value instanceof JsonFloat ? value.value : Number(typeof value === "string" ? NaN : value);
  if (Number.isFinite(number)) return number;
  throw place.fail("PT2_TYPE", "expected a finite number");
};

const readMutation: Read<JsonIRMutation> = (value, place) => {
  const tensor = readTensor(value, place);
  const object = value as JsonObject;
  return {
    ...tensor,
    kind: place.field(object, "kind", readKind),
    target: place.field(object, "target", readString),
  };
};

const readKind: Read<MutationKind> = (value, place) => {
  const text = readString(value, place);
  const kind = MUTATIONS.find((known) => known === text);
  if (kind === undefined)
    throw place.fail("PT2_TYPE", `${JSON.stringify(text.slice(0, 100))} is not a mutation`);
  return kind;
};

const readInput: Read<JsonIRInput> = (value, place) => {
  const tensor = readTensor(value, place);
  const object = value as JsonObject;
  const producerNode = place.optional(object, "producer_node", readString, undefined);
  if (producerNode === undefined) return tensor;
  return {
    ...tensor,
    producerNode,
    producerOutputIdx: place.optional(object, "producer_output_idx", readIndex, 0),
  };
};

const readNode: Read<JsonIRNode> = (value, place) => {
  const object = readObject(value, place);
  return {
    name: place.field(object, "name", readString),
    opType: place.field(object, "op_type", readString),
    inputs: place.field(object, "inputs", readList(readInput)),
    outputs: place.field(object, "outputs", readList(readTensor)),
    attrs: place.optional(object, "attrs", readDict(readAttribute), new Map()),
  };
};

const readSize: Read<IntLike> = (value, place) =>
  typeof value === "string" ? (readExpression(value, place, "int") as IntLike) : readIndex(value, place);

const readShape: Read<IntLike[]> = (value, place) => {
  const shape = readList(readSize)(value, place);
  if (shape.length > MOST_DIMENSIONS)
    throw place.fail("PT2_TYPE", `a tensor has at most ${MOST_DIMENSIONS} dimensions, found ${shape.length}`);
  return shape;
};

const readDType: Read<DType> = (value, place) => {
  const text = readString(value, place);
  const name = text.startsWith("torch.") ? text.slice("torch.".length) : text;
  if (!isDType(name)) throw place.fail("PT2_TYPE", `${JSON.stringify(text.slice(0, 100))} is not a dtype`);
  return name;
};

const readAttribute: Read<JsonIRAttribute> = (value, place) => {
  if (value instanceof JsonFloat) return float(value.value);
  if (value instanceof JsonObject) return readTagged(value, place);
  return Array.isArray(value) ? readList(readAttribute)(value, place) : (value as JsonIRAttribute);
};

const readTagged = taggedReader((value, place) => readAttribute(value, place));

const readConstant: Read<Tensor> = (value, place) => {
  const object = readObject(value, place);
  const dtype = place.field(object, "dtype", readDType);
  if (isComplexDType(dtype)) throw place.fail("PT2_TYPE", `JSON IR has no constants of ${dtype}`);
  return place.field(object, "data", (data, at) => readData(data, dtype, at));
};

/** Nested lists of equal lengths as a tensor; the shape is that of the first items. */
const readData = (data: JsonValue, dtype: DType, place: Place): Tensor => {
  const shape: number[] = [];
  for (let value = data; Array.isArray(value); value = value[0] as JsonValue) {
    if (shape.length === MOST_DIMENSIONS)
      throw place.fail("PT2_TYPE", `a tensor has at most ${MOST_DIMENSIONS} dimensions`);
    shape.push(value.length);
    if (value.length === 0) break;
  }
  const elements: Element[] = [];
  const read = elementsOf(dtype);
  const visit = (value: JsonValue, dim: number): void => {
    const size = shape[dim];
    if (size === undefined) {
      elements.push(read(value, place));
      return;
    }
    const items = readArray(value, place);
    if (items.length !== size)
      throw place.fail("PT2_TYPE", `expected a list of ${size} items, found ${items.length}`);
    items.forEach((item, i) => {
      place.at(i, item, (one) => visit(one, dim + 1));
    });
  };
  visit(data, 0);
  return Tensor.from(elements, shape, dtype);
};

type ReadElement = (value: JsonValue, place: Place) => Element;

function elementsOf(dtype: DType): ReadElement {
  const { kind } = dtypeInfo(dtype);
  return kind === "int" ? integers(dtype) : kind === "bool" ? readTruth : readFloatElement;
}

function integers(dtype: DType): ReadElement {
  const { signed, itemSize } = dtypeInfo(dtype);
  const values = 1n << BigInt(8 * itemSize);
  const [least, most] = signed ? [-values / 2n, values / 2n - 1n] : [0n, values - 1n];
  return (value, place) => {
    const integer = readInteger(value, place);
    if (integer < least || integer > most) throw place.fail("PT2_TYPE", `${integer} does not fit ${dtype}`);
    return itemSize === 8 ? BigInt(integer) : Number(integer);
  };
}

const readTruth: ReadElement = (value, place) => {
  if (typeof value === "boolean") return value;
  throw place.fail("PT2_TYPE", "expected a boolean");
};

const readFloatElement: ReadElement = (value, place) => {
  if (typeof value === "number") return value;
  if (value instanceof JsonFloat) return value.value;
  if (typeof value === "bigint") return Number(value);
  const named = NAMED_FLOATS.get(value);
  if (named === undefined) throw place.fail("PT2_TYPE", "expected a number");
  return named;
};
