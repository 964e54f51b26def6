/** @file Python's `repr` of plain values, as far as programs hold them. */

/**
 * Python's `repr(float)`: shortest digits that round-trip, an exponent below 1e-4 and from 1e16.
 */
export function floatRepr(value: number): string {
  const text = shortFloat(value);
  return /^-?\d+$/.test(text) ? text + ".0" : text;
}

/** Returns the same without the `.0` of integral values, as the parts of a complex number print. */
function shortFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e16) return String(value);
  const [mantissa, exponent] = value.toExponential().split("e") as [string, string];
  const digits = exponent.slice(1);
  return `${mantissa}e${exponent[0]}${digits.length < 2 ? "0" + digits : digits}`;
}

/** Python's `repr(complex)`: `2j`, `(1-2.5j)`, `(-0-1j)`. */
export function complexRepr(re: number, im: number): string {
  const imaginary = shortFloat(im);
  if (Object.is(re, 0)) return `${imaginary}j`;
  return `(${shortFloat(re)}${imaginary.startsWith("-") ? "" : "+"}${imaginary}j)`;
}

const NEEDS_ESCAPE = /[\\'\p{C}\p{Z}]/u;
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Python's `repr(str)`: single quotes unless the text has those and no double ones. */
export function stringRepr(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return `'${text}'`;
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let out = quote;
  for (const char of text) out += char === quote ? `\\${char}` : escapeChar(char);
  return out + quote;
}

function escapeChar(char: string): string {
  const named = ESCAPES[char];
  if (named !== undefined) return named;
  if (char === " " || !/[\p{C}\p{Z}]/u.test(char)) return char;
  const code = char.codePointAt(0)!;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}

/** Python's `repr` of a value decoded from JSON. */
export function jsonRepr(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return stringRepr(value);
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : floatRepr(value);
  if (Array.isArray(value)) return `[${value.map(jsonRepr).join(", ")}]`;
  if (typeof value === "object") {
    return `{${Object.entries(value)
      .map(([key, item]) => `${stringRepr(key)}: ${jsonRepr(item)}`)
      .join(", ")}}`;
  }
  return String(value);
}
