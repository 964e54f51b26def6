/** @file The kinds of values in nodes and signatures. */
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
  tuple: (value, at, report) => itemList((value as { items: unknown }).items, `${at}.items`, report),
  dict: (value, at, report) => entryList((value as { entries: unknown }).entries, `${at}.entries`, report),
});

/** An argument of a node. */
export const argument: Kind = (value, at, report) => {
  switch (typeof value) {
    case "string":
    case "number":
    case "bigint":
    case "boolean":
      return;
    default:
      if (value === null) return;
      if (Array.isArray(value)) itemList(value, at, report);
      else wrapped(value, at, report);
  }
};

const itemList = list(argument);
const entryList = list(pair(text, argument));

const named = fields({ name: text });

/** The argument of a signature entry. */
export const argumentSpec: Kind = tagged("kind", {
  tensor: named,
  symint: named,
  symfloat: named,
  symbool: named,
  token: named,
  custom_obj: fields({ name: text, classFqn: text }),
  constant: fields({ name: text, value: argument }),
});

/** Metadata without the value, which is checked with the node's operator. */
export const nodeMeta: Kind = fields({
  stackTrace: (value, at, report) => value !== undefined && text(value, at, report),
  nnModuleStack: (value, at, report) => value !== undefined && list(list(text))(value, at, report),
  custom: (value, at, report) => value !== undefined && record(anything)(value, at, report),
  origin: (value, at, report) =>
    value !== undefined && fields({ pass: text, from: list(text) })(value, at, report),
});
