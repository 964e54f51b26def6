/** @file The kinds of what nodes and signatures hold. */
import {
  anything,
  fields,
  type Kind,
  kind,
  list,
  number,
  orNull,
  pair,
  record,
  tagged,
  text,
} from "./kinds.js";

const wrapped = tagged("kind", {
  node: fields({ name: text }),
  float: fields({ value: kind("a number", (value) => typeof value === "number") }),
  complex: fields({ re: anything, im: anything }),
  dtype: fields({ dtype: text }),
  device: fields({ type: text, index: orNull(number) }),
  layout: fields({ layout: text }),
  memory_format: fields({ format: text }),
  operator: fields({ target: text }),
  tuple: (value, at, tell) => itemList((value as { items: unknown }).items, `${at}.items`, tell),
  dict: (value, at, tell) => entryList((value as { entries: unknown }).entries, `${at}.entries`, tell),
});

/** An argument of a node. */
export const argument: Kind = (value, at, tell) => {
  switch (typeof value) {
    case "string":
    case "number":
    case "bigint":
    case "boolean":
      return;
    default:
      if (value === null) return;
      if (Array.isArray(value)) itemList(value, at, tell);
      else wrapped(value, at, tell);
  }
};

const itemList = list(argument);
const entryList = list(pair(text, argument));

const named = fields({ name: text });

/** What stands behind a signature entry. */
export const argumentSpec: Kind = tagged("kind", {
  tensor: named,
  symint: named,
  symfloat: named,
  symbool: named,
  token: named,
  custom_obj: fields({ name: text, classFqn: text }),
  constant: fields({ name: text, value: argument }),
});

/** Metadata but for the value, which is checked with the node's operator. */
export const nodeMeta: Kind = fields({
  stackTrace: (value, at, tell) => value !== undefined && text(value, at, tell),
  nnModuleStack: (value, at, tell) => value !== undefined && list(list(text))(value, at, tell),
  custom: (value, at, tell) => value !== undefined && record(anything)(value, at, tell),
  origin: (value, at, tell) =>
    value !== undefined && fields({ pass: text, from: list(text) })(value, at, tell),
});
