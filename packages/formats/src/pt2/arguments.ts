/** @file Arguments of calls: the `Argument` union of the file and the arguments of a graph. */
import {
  type Argument,
  complex,
  dict,
  dtypeLiteral,
  float,
  int,
  layout,
  memoryFormat,
  operator,
  ref,
  tuple,
} from "@sconce/ir";
import {
  type Place,
  type Read,
  readBoolean,
  readDict,
  readFloat,
  readInteger,
  readList,
  readObject,
  readString,
} from "../json/place.js";
import type { JsonValue } from "../json/value.js";
import { byNumber, MEMORY_FORMATS } from "./schema.js";
import { readTarget } from "./targets.js";
import { readDevice, readDType, readEnum, readLayout } from "./values.js";

/** What an argument reader asks of the graph that is being read. */
export interface ArgumentContext {
  /** Checks that a value of this name is defined before its use. */
  use(name: string, place: Place): void;
  /** Reads an inlined graph and gives the name of the `get_attr` node that represents it. */
  subgraph(value: JsonValue, place: Place): string;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * A value's name: an identifier, as PyTorch makes them; so no text from a file can pretend to be
 * code.
 */
export const readName: Read<string> = (value, place) => {
  const name = readString(value, place);
  if (!IDENTIFIER.test(name))
    throw place.fail("PT2_NAME", `${JSON.stringify(name.slice(0, 100))} is not a value name`);
  return name;
};

/** The `name` of a `{name}` object. */
export const readNamed: Read<string> = (value, place) =>
  place.field(readObject(value, place), "name", readName);

const readInt: Read<Argument> = (value, place) => int(readInteger(value, place));
const readFloatLiteral: Read<Argument> = (value, place) => float(readFloat(value, place));
const readMemoryFormat = /* @__PURE__ */ readEnum(byNumber(MEMORY_FORMATS), "memory format");

/** Constants that may represent an input or an output. */
export const CONSTANT_MEMBERS: Readonly<Record<string, Read<Argument>>> = Object.freeze({
  as_none: () => null,
  as_int: readInt,
  as_float: readFloatLiteral,
  as_string: readString,
  as_bool: readBoolean,
});

/** Returns a reader of the `Argument` union in the context of one graph. */
export function argumentReader(context: ArgumentContext): Read<Argument> {
  const node: Read<Argument> = (value, place) => {
    const name = readName(value, place);
    context.use(name, place);
    return ref(name);
  };
  const tensor: Read<Argument> = (value, place) => place.field(readObject(value, place), "name", node);
  const symbolic = (tag: string, literal: Read<Argument>): Read<Argument> => {
    const members = { as_name: node, [tag]: literal };
    return (value, place) => place.union(value, members);
  };
  const symInt = symbolic("as_int", readInt);
  const symFloat = symbolic("as_float", readFloatLiteral);
  const symBool = symbolic("as_bool", readBoolean);
  const optionalTensor: Read<Argument> = (value, place) =>
    place.union(value, { as_tensor: tensor, as_none: () => null });
  const members: Record<string, Read<Argument>> = {
    ...CONSTANT_MEMBERS,
    as_tensor: tensor,
    as_tensors: readList(tensor),
    as_ints: readList(readInt),
    as_floats: readList(readFloatLiteral),
    as_strings: readList<Argument>(readString),
    as_bools: readList<Argument>(readBoolean),
    as_sym_int: symInt,
    as_sym_ints: readList(symInt),
    as_sym_float: symFloat,
    as_sym_floats: readList(symFloat),
    as_sym_bool: symBool,
    as_sym_bools: readList(symBool),
    as_scalar_type: (value, place) => dtypeLiteral(readDType(value, place)),
    as_memory_format: (value, place) => memoryFormat(readMemoryFormat(value, place)),
    as_layout: (value, place) => layout(readLayout(value, place)),
    as_device: readDevice,
    as_graph: (value, place) => ref(context.subgraph(value, place)),
    as_optional_tensors: readList(optionalTensor),
    as_optional_tensor: optionalTensor,
    as_custom_obj: tensor,
    as_operator: (value, place) => operator(readTarget(value, place)),
    as_complex: readComplex,
    as_nested_tensors: readList<Argument>(readList(tensor)),
    as_int_lists: readList<Argument>((value, place) => tuple(readList(readInt)(value, place))),
    as_float_lists: readList<Argument>(readList(readFloatLiteral)),
  };
  const read: Read<Argument> = (value, place) => place.union(value, members);
  members["as_string_to_argument"] = (value, place) => dict([...readDict(read)(value, place)]);
  return read;
}

const readComplex: Read<Argument> = (value, place) => {
  const object = readObject(value, place);
  return complex(place.field(object, "real", readFloat), place.field(object, "imag", readFloat));
};
