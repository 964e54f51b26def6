/** @file `str.format` of Python, for texts that programs print. */
import { type ComplexLiteral, complexRepr, type FloatLiteral, floatRepr, stringRepr } from "@sconce/ir";
import { dtypeInfo, exponentText, fixedText, Tensor } from "@sconce/tensor";
import { invalidFormat } from "./errors.js";

/** A replacement field: `{name!conversion:spec}`. */
interface Field {
  readonly name: string;
  readonly conversion: string;
  readonly spec: string;
}

/**
 * Returns `format.format(*args, **kwargs)`. Fields are numbers, names or empty, with `!r`, `!s` and
 * format specifications of numbers and texts. Attributes and items of values are not known.
 *
 * @throws SconceError `INVALID_FORMAT`
 */
export function formatted(
  format: string,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
): string {
  let next = 0;
  let isNumbered = false;
  const argument = (name: string): unknown => {
    isNumbered ||= /^\d+$/.test(name);
    if (isNumbered && (name === "" || next > 0))
      throw invalidFormat(format, "some of its fields have numbers, and some have none");
    const key = name === "" ? String(next++) : name;
    if (/^\d+$/.test(key)) {
      if (Number(key) < args.length) return args[Number(key)];
      throw invalidFormat(format, `it has no positional argument ${key}`);
    }
    if (Object.hasOwn(kwargs, key)) return kwargs[key];
    const isPath = /[.[]/.test(key);
    throw invalidFormat(format, isPath ? `{${key}} reads a part of a value` : `it has no argument "${key}"`);
  };
  return parsed(format)
    .map((part) => (typeof part === "string" ? part : fieldText(part, argument(part.name), format)))
    .join("");
}

/** Returns the texts and the fields of a format, in order. */
function parsed(format: string): (string | Field)[] {
  const parts: (string | Field)[] = [];
  const pattern = /\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::([^{}]*))?\}|[{}]|[^{}]+/g;
  for (const [text, name, conversion = "", spec = ""] of format.matchAll(pattern)) {
    if (text === "{{" || text === "}}") parts.push(text[0]!);
    else if (name !== undefined) parts.push({ name, conversion, spec });
    else if (text === "{" || text === "}") throw invalidFormat(format, `a "${text}" stands alone`);
    else parts.push(text);
  }
  return parts;
}

function fieldText({ conversion, spec }: Field, given: unknown, format: string): string {
  const isScalar = given instanceof Tensor && given.ndim === 0;
  // A tensor without dimensions is formatted as its number.
  const value = isScalar && conversion === "" ? numberIn(given) : given;
  if (conversion !== "") return specText(conversion === "s" ? textOf(value) : reprOf(value), spec, format);
  if (spec === "") return textOf(value);
  const number = plainNumber(value);
  if (number !== undefined) return specText(number, spec, format);
  if (typeof value === "string") return specText(value, spec, format);
  throw invalidFormat(
    format,
    `":${spec}" is not for ${value instanceof Tensor ? "a tensor" : textOf(value)}`,
  );
}

/** Returns the element of a tensor without dimensions, as Python has it. */
function numberIn(tensor: Tensor): number | bigint | boolean | FloatLiteral | ComplexLiteral {
  const value = tensor.toArray()[0]!;
  if (typeof value === "object") return { kind: "complex", ...value };
  const isReal = typeof value === "number" && dtypeInfo(tensor.dtype).kind === "float";
  return isReal ? { kind: "float", value } : value;
}

/**
 * Returns a value as a format specification reads it: a float as a number with a fraction, an
 * integer as a bigint.
 */
function plainNumber(value: unknown): number | bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "boolean") return BigInt(value);
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  const literal = value as Partial<FloatLiteral> | null;
  return typeof literal === "object" && literal?.kind === "float" ? literal.value : undefined;
}

/** `str(value)`. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : reprOf(value);
}

/** `repr(value)`. */
function reprOf(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return stringRepr(value);
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : floatRepr(value);
  if (Array.isArray(value)) return `[${value.map(reprOf).join(", ")}]`;
  const literal = value as { readonly kind?: string };
  if (literal.kind === "float") return floatRepr((value as FloatLiteral).value);
  if (literal.kind === "complex") {
    const { re, im } = value as ComplexLiteral;
    return complexRepr(re, im);
  }
  return String(value);
}

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(0)?(\d+)?(,)?(?:\.(\d+))?([bdeEfFgGosxX%])?$/u;

/** Returns a number or a text by a format specification. */
function specText(value: number | bigint | string, spec: string, format: string): string {
  const match = SPEC.exec(spec);
  if (match === null) throw invalidFormat(format, `":${spec}" is not a format specification`);
  const [, fill = " ", align, sign = "-", zero, width = "0", comma, precision, type] = match;
  const isText = typeof value === "string";
  const digits = isText
    ? textDigits(value, precision, type, spec, format)
    : numberDigits(value, precision, type, spec, format);
  const isNegative = digits.startsWith("-");
  const body = comma === undefined ? digits : digits.replace(/(?<=^-?\d+)(?=(\d{3})+(?!\d))/g, ",");
  const signed = isText || isNegative || sign === "-" ? body : sign + body;
  const pads = zero === undefined || align !== undefined;
  return padded(signed, Number(width), pads ? fill : "0", align ?? (pads ? (isText ? "<" : ">") : "="));
}

function textDigits(
  value: string,
  precision: string | undefined,
  type: string | undefined,
  spec: string,
  format: string,
): string {
  if (type !== undefined && type !== "s") throw invalidFormat(format, `":${spec}" is not for a text`);
  return precision === undefined ? value : value.slice(0, Number(precision));
}

const BASES: Readonly<Record<string, number>> = { b: 2, d: 10, o: 8, x: 16, X: 16 };

function numberDigits(
  value: number | bigint,
  precision: string | undefined,
  type: string | undefined,
  spec: string,
  format: string,
): string {
  const base = type === undefined ? (typeof value === "bigint" ? 10 : undefined) : BASES[type];
  if (typeof value === "bigint" && base !== undefined && precision === undefined) {
    const text = value.toString(base);
    return type === "X" ? text.toUpperCase() : text;
  }
  if (base !== undefined || type === "s")
    throw invalidFormat(format, `":${spec}" is not for the number ${value}`);
  const number = Number(value);
  const places = precision === undefined ? 6 : Number(precision);
  switch (type) {
    case "f":
    case "F":
      return fixedText(number, places);
    case "%":
      return `${fixedText(number * 100, places)}%`;
    case "e":
      return exponentText(number, places);
    case "E":
      return exponentText(number, places).toUpperCase();
    default:
      if (type === undefined && precision === undefined) return floatRepr(number);
      return generalText(number, Math.max(1, places), type);
  }
}

/** Returns `f"{value:.{precision}g}"`; without a type, floats keep a digit behind the point. */
function generalText(value: number, precision: number, type: string | undefined): string {
  const exponential = exponentText(value, precision - 1);
  const exponent = Number(exponential.split("e")[1] ?? Number.NaN);
  if (Number.isNaN(exponent)) return exponential;
  const isFixed = exponent >= -4 && exponent < (type === undefined ? precision - 1 : precision);
  const text = isFixed ? fixedText(value, Math.max(0, precision - 1 - exponent)) : exponential;
  const [digits, power] = text.split("e") as [string, string?];
  const short = digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
  const ending = type === undefined && isFixed && !short.includes(".") ? ".0" : "";
  const whole = power === undefined ? short + ending : `${short}e${power}`;
  return type === "G" ? whole.toUpperCase() : whole;
}

function padded(text: string, width: number, fill: string, align: string): string {
  const room = width - [...text].length;
  if (room <= 0) return text;
  if (align === "<") return text + fill.repeat(room);
  if (align === "^") return fill.repeat(Math.floor(room / 2)) + text + fill.repeat(Math.ceil(room / 2));
  const sign = align === "=" ? (/^[-+ ]/.exec(text)?.[0] ?? "") : "";
  return sign + fill.repeat(room) + text.slice(sign.length);
}
