import { graphTarget, targetKind } from "../graph/target.js";
import { type Argument, type DeviceLiteral, isList } from "../values/argument.js";
import { deviceText } from "../values/device-text.js";
import { complexRepr, floatRepr, stringRepr } from "../values/python-repr.js";

/** The name under which a node is printed. */
export type NodeName = (name: string) => string;

const deviceRepr = (device: DeviceLiteral): string =>
  device.index === null
    ? `device(type='${device.type}')`
    : `device(type='${device.type}', index=${device.index})`;

/**
 * Returns the argument as generated code has it. Inside of a dict torch falls back to Python's
 * plain `repr`.
 */
export function codeArgument(value: Argument, name: NodeName): string {
  return reprOf(value, name, true);
}

/**
 * Returns the argument as Python's `repr` gives it, nodes by name (the return line of
 * `str(graph)`).
 */
export function reprArgument(value: Argument, name: NodeName): string {
  return reprOf(value, name, false);
}

function reprOf(value: Argument, name: NodeName, code: boolean): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") return stringRepr(value);
  const plain = plainText(value);
  if (plain !== undefined) return plain;
  if (isList(value)) return `[${value.map((item) => reprOf(item, name, code)).join(", ")}]`;
  const tagged = value as Exclude<Tagged, readonly Argument[]>;
  switch (tagged.kind) {
    case "node":
      return name(tagged.name);
    case "tuple":
      return tupleText(tagged.items.map((item) => reprOf(item, name, code)));
    case "dict":
      return `{${tagged.entries.map(([key, item]) => `${stringRepr(key)}: ${reprOf(item, name, false)}`).join(", ")}}`;
    case "device":
      return deviceRepr(tagged);
    case "operator":
      return code ? graphTarget(tagged.target) : operatorRepr(tagged.target);
    case "complex":
      return code ? complexCode(tagged.re, tagged.im) : complexRepr(tagged.re, tagged.im);
    default:
      return literalText(tagged);
  }
}

/** Returns the argument as `str(graph)` prints it: nodes with `%`, strings bare, devices short. */
export function graphArgument(value: Argument): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") return value;
  const plain = plainText(value);
  if (plain !== undefined) return plain;
  if (isList(value)) return `[${value.map(graphArgument).join(", ")}]`;
  const tagged = value as Exclude<Tagged, readonly Argument[]>;
  switch (tagged.kind) {
    case "node":
      return `%${tagged.name}`;
    case "tuple":
      return tupleText(tagged.items.map(graphArgument));
    case "dict":
      return `{${tagged.entries.map(([key, item]) => `${key}: ${graphArgument(item)}`).join(", ")}}`;
    case "device":
      return deviceText(tagged);
    case "operator":
      return targetKind(tagged.target) === "higher_order"
        ? tagged.target.slice("higher_order.".length)
        : tagged.target;
    case "complex":
      return complexRepr(tagged.re, tagged.im);
    default:
      return literalText(tagged);
  }
}

const numberText = (value: number): string =>
  Number.isSafeInteger(value)
    ? String(value)
    : Number.isInteger(value)
      ? BigInt(value).toString()
      : floatRepr(value);

type Tagged = Exclude<Argument, null | boolean | number | bigint | string>;

function plainText(value: Argument): string | undefined {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "bigint" ? value.toString() : undefined;
}

/** `(a,)`, `(a, b)`, `()`. */
export const tupleText = (items: readonly string[]): string =>
  items.length === 1 ? `(${items[0]},)` : `(${items.join(", ")})`;

function literalText(
  value: Extract<Tagged, { kind: "float" | "dtype" | "layout" | "memory_format" }>,
): string {
  switch (value.kind) {
    case "float":
      return floatRepr(value.value);
    case "dtype":
      return `torch.${value.dtype}`;
    case "layout":
      return `torch.${value.layout}`;
    case "memory_format":
      return `torch.${value.format}`;
  }
}

/**
 * `repr(complex)` cannot be read back when a part is zero or not finite, so generated code spells
 * the call.
 */
function complexCode(re: number, im: number): string {
  const plain = re !== 0 && im !== 0 && Number.isFinite(re) && Number.isFinite(im);
  return plain ? complexRepr(re, im) : `complex(${floatRepr(re)}, ${floatRepr(im)})`;
}

function operatorRepr(target: string): string {
  if (targetKind(target) === "higher_order") return `<${target}>`;
  const dot = target.lastIndexOf(".");
  return `<OpOverload(op='${target.slice(0, dot)}', overload='${target.slice(dot + 1)}')>`;
}
