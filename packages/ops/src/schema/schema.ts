import {
  type AliasInfo,
  type Argument,
  float,
  int,
  memoryFormat,
  type OpSchema,
  type SchemaArgument,
  type SchemaBase,
  type SchemaReturn,
  type SchemaType,
} from "@sconce/ir";
import { schemaSyntax } from "./errors.js";

const BASES = new Set<string>([
  "Tensor",
  "Scalar",
  "int",
  "SymInt",
  "SymBool",
  "float",
  "bool",
  "str",
  "ScalarType",
  "Layout",
  "Device",
  "MemoryFormat",
  "Generator",
  "Storage",
  "Stream",
  "Dimname",
  "complex",
  "Any",
]);

/** @throws SconceError `SCHEMA_SYNTAX` */
export function parseSchema(text: string): OpSchema {
  const head = /^\s*([\w.]+)::(\w+)(?:\.(\w+))?\((.*)\)\s*->\s*(.+?)\s*$/s.exec(text);
  if (head === null) throw schemaSyntax(text, "expected `namespace::name.overload(arguments) -> returns`");
  const [, namespace = "", name = "", overload = "default", argumentText = "", returnText = ""] = head;
  const args = parseArguments(argumentText, text);
  const returns = parseReturns(returnText, text);
  return Object.freeze({
    namespace,
    name,
    overload,
    target: `${namespace}.${name}.${overload}`,
    args,
    returns,
    isMutable: args.some((arg) => arg.alias?.write === true),
    isView: returns.some((ret) => ret.alias !== undefined && !ret.alias.write),
  });
}

function parseArguments(text: string, schema: string): readonly SchemaArgument[] {
  const args: SchemaArgument[] = [];
  let kwargOnly = false;
  for (const piece of splitTopLevel(text)) {
    if (piece === "*") {
      kwargOnly = true;
      continue;
    }
    const match = /^(.+?) (\w+)(?:=(.*))?$/s.exec(piece);
    if (match === null) throw schemaSyntax(schema, `cannot read the argument "${piece}"`);
    const { type, alias } = parseType(match[1]!, schema);
    const hasDefault = match[3] !== undefined;
    const defaultValue = hasDefault ? parseDefault(match[3]!, type) : undefined;
    args.push(Object.freeze({ name: match[2]!, type, kwargOnly, hasDefault, defaultValue, alias }));
  }
  return Object.freeze(args);
}

function parseReturns(text: string, schema: string): readonly SchemaReturn[] {
  if (text === "()") return [];
  const inner = text.startsWith("(") && text.endsWith(")") ? text.slice(1, -1) : text;
  return Object.freeze(
    splitTopLevel(inner).map((piece) => {
      const match = /^(.+?)(?: (\w+))?$/s.exec(piece)!;
      const { type, alias } = parseType(match[1]!, schema);
      return Object.freeze({ name: match[2], type, alias });
    }),
  );
}

function parseType(text: string, schema: string): { type: SchemaType; alias: AliasInfo | undefined } {
  const aliasMatch = /\(([^)]*)\)/.exec(text);
  const alias = aliasMatch === null ? undefined : parseAlias(aliasMatch[1]!);
  const plain = aliasMatch === null ? text : text.replace(aliasMatch[0], "");
  const match = /^(\w+)(\?)?(?:\[(\d*)\])?(\?)?$/.exec(plain);
  if (match === null || !BASES.has(match[1]!)) throw schemaSyntax(schema, `unknown type "${text}"`);
  const list = match[3] !== undefined;
  const type: SchemaType = Object.freeze({
    base: match[1] as SchemaBase,
    list,
    listSize: match[3] ? Number(match[3]) : undefined,
    optional: list ? match[4] !== undefined : match[2] !== undefined,
    optionalElements: list && match[2] !== undefined,
  });
  return { type, alias };
}

function parseAlias(text: string): AliasInfo {
  return Object.freeze({ set: text.replace(/!.*| ->.*/s, "").trim(), write: text.includes("!") });
}

function parseDefault(text: string, type: SchemaType): Argument {
  if (text === "None") return null;
  if (text === "True") return true;
  if (text === "False") return false;
  if (text.startsWith("[")) {
    const element: SchemaType = { ...type, list: false };
    return splitTopLevel(text.slice(1, -1)).map((item) => parseDefault(item, element));
  }
  if (text.startsWith('"') || text.startsWith("'")) return text.slice(1, -1);
  if (type.base === "MemoryFormat") return memoryFormat(text as never);
  if (/^-?\d+$/.test(text)) return type.base === "float" ? float(Number(text)) : int(BigInt(text));
  if (/^-?(\d|\.|inf|nan)/.test(text)) return float(Number(text.replace("inf", "Infinity")));
  return text;
}

/** Splits at commas outside of brackets, parentheses and quotes. */
function splitTopLevel(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (quote) {
      if (c === quote) quote = "";
    } else if (c === '"' || c === "'") quote = c;
    else if (c === "[" || c === "(") depth++;
    else if (c === "]" || c === ")") depth--;
    else if (c === "," && depth === 0) {
      pieces.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  const last = text.slice(start).trim();
  if (last) pieces.push(last);
  return pieces;
}
