/** @file What a serialized call returns. */
import { type Read, readList, readObject } from "../json/place.js";
import { readName } from "./arguments.js";

/** A result: a named value, None, or a list of results. */
export type Output =
  | { readonly kind: "value"; readonly name: string }
  | { readonly kind: "none" }
  | { readonly kind: "list"; readonly items: readonly Output[] };

const NONE: Output = Object.freeze({ kind: "none" });

const named: Read<Output> = (value, place) => {
  const name = place.field(readObject(value, place), "name", readName);
  return { kind: "value", name };
};
const symbolic: Read<Output> = (value, place) =>
  place.union<Output>(value, {
    as_name: (text, at) => ({ kind: "value", name: readName(text, at) }),
  });
const list = (item: Read<Output>): Read<Output> => {
  const read = readList(item);
  return (value, place) => ({ kind: "list", items: read(value, place) });
};
const optional: Read<Output> = (value, place) =>
  place.union<Output>(value, { as_tensor: named, as_none: () => NONE });

const MEMBERS: Readonly<Record<string, Read<Output>>> = Object.freeze({
  as_none: () => NONE,
  as_tensor: named,
  as_tensors: list(named),
  as_custom_obj: named,
  as_sym_int: symbolic,
  as_sym_float: symbolic,
  as_sym_bool: symbolic,
  as_sym_ints: list(symbolic),
  as_sym_floats: list(symbolic),
  as_sym_bools: list(symbolic),
  as_optional_tensor: optional,
  as_optional_tensors: list(optional),
});

/** Reads the `outputs` of a node. */
export const outputReader: Read<Output[]> = /* @__PURE__ */ readList((value, place) =>
  place.union(value, MEMBERS),
);
