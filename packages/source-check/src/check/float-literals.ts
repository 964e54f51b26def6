/**
 * @file Numbers that are written as floats where JavaScript makes integers of them: `-1e9`, `2.0`.
 * JavaScript has one type of numbers: only the text shows which was meant.
 */
import { knownSchemaText, knownTargets } from "@sconce/ops";
import type { AnyNode, CallExpression, Expression, Literal, ObjectExpression, SpreadElement } from "acorn";
import { sourceLines } from "../source/source-files.js";
import { findingPosition, type SourceFinding } from "./report.js";

/** A number that is written as a float, and what the call makes of it. */
export interface FloatLiteralProblem {
  readonly node: AnyNode;
  readonly message: string;
  readonly fix: string;
}

/** A parameter of an operator that takes a number of any type. */
interface NumberPlaces {
  /** Places among the positional arguments, the tensor of a method included. */
  readonly positions: ReadonlySet<number>;
  readonly names: ReadonlySet<string>;
  /** Whether the first parameter is a tensor. */
  readonly isMethod: boolean;
}

let places: Map<string, NumberPlaces> | undefined;

/** `masked_fill_` and `maskedFill_` are the same name. */
const keyOf = (name: string): string => name.replace(/(?<=[A-Za-z0-9])_+(?=[A-Za-z0-9])/g, "").toLowerCase();

function index(): Map<string, NumberPlaces> {
  const found = new Map<string, { positions: Set<number>; names: Set<string>; isMethod: boolean }>();
  for (const target of knownTargets()) {
    const text = knownSchemaText(target)!;
    const parameters = text.slice(text.indexOf("(") + 1, text.lastIndexOf("->")).split(/, (?![^[]*\])/);
    const key = keyOf(target.slice("aten.".length, target.lastIndexOf(".")));
    const own = found.get(key) ?? { positions: new Set(), names: new Set(), isMethod: false };
    found.set(key, own);
    if (parameters[0]!.startsWith("Tensor")) own.isMethod = true;
    const positional = parameters.indexOf("*");
    parameters.forEach((parameter, i) => {
      const name = /^Scalar\??(?:\[\d*\])? (\w+)/.exec(parameter)?.[1];
      if (name === undefined) return;
      own.names.add(keyOf(name));
      if (positional < 0 || i < positional) own.positions.add(i);
    });
  }
  return found;
}

/** Operators whose results have the dtype of the numbers, and the place of these. */
const MAKES_DTYPE: ReadonlySet<string> = new Set(["full", "arange", "range", "tensor", "scalartensor"]);

/**
 * Returns the numbers of a call of an operator that are written as floats and are integers there.
 *
 * @param isMethod whether the call is that of a method of a tensor
 */
export function floatLiterals(name: string, isMethod: boolean, node: AnyNode): FloatLiteralProblem[] {
  if (node.type !== "CallExpression") return [];
  const written = node.arguments.flatMap((argument, i) => numbersOf(argument, i));
  if (written.length === 0) return [];
  const key = keyOf(name);
  if (MAKES_DTYPE.has(key) && !isMethod && hasDtype(node)) return [];
  const makesTensor = key === "tensor";
  if (makesTensor && hasFraction(node.arguments[0])) return [];
  places ??= index();
  const own = places.get(key);
  const isNumber = ({ position, option }: WrittenNumber): boolean => {
    if (makesTensor) return position === 0 && option === undefined;
    if (option !== undefined) return own?.names.has(keyOf(option)) === true;
    return own?.positions.has(position + (isMethod ? 1 : 0)) === true;
  };
  return written.filter(isNumber).map(({ node: number, text }) => ({
    node: number,
    ...(MAKES_DTYPE.has(key) && !isMethod
      ? {
          message: `JavaScript has no float \`${text}\`: \`${name}\` makes integers of it, where PyTorch makes floats`,
          fix: `write \`dtype: "float32"\` among the options, or \`float(${text})\``,
        }
      : {
          message: `JavaScript has no float \`${text}\`: the program has the integer, where PyTorch's has a float`,
          fix: `write \`float(${text})\`, or the integer`,
        }),
  }));
}

interface WrittenNumber {
  readonly node: AnyNode;
  readonly text: string;
  readonly position: number;
  /** The name of the option; undefined for a positional argument. */
  readonly option: string | undefined;
}

/** Returns the numbers in an argument, in lists and in options, that are written as floats. */
function numbersOf(argument: Expression | SpreadElement, position: number): WrittenNumber[] {
  const inside = (node: AnyNode | null, option: string | undefined): WrittenNumber[] => {
    if (node === null) return [];
    if (node.type === "ArrayExpression") return node.elements.flatMap((item) => inside(item, option));
    const text = floatText(node);
    return text === undefined ? [] : [{ node, text, position, option }];
  };
  if (argument.type !== "ObjectExpression") return inside(argument, undefined);
  return argument.properties.flatMap((property) => {
    if (property.type !== "Property" || property.key.type !== "Identifier") return [];
    return inside(property.value, property.key.name);
  });
}

const FLOAT_FORM = /^(?:[\d_]*\.[\d_]*(?:e[+-]?\d+)?|[\d_]+e\+?\d+)$/i;
/** What int64 holds; larger numbers are floats. */
const LARGEST = 2 ** 63;

/** Returns the text of an integer that is written as a float, with its sign. */
function floatText(node: AnyNode): string | undefined {
  const isNegative = node.type === "UnaryExpression" && node.operator === "-";
  const { raw, value } = (isNegative ? node.argument : node) as Partial<Literal>;
  if (typeof value !== "number" || raw === undefined || !FLOAT_FORM.test(raw)) return undefined;
  return Number.isInteger(value) && value < LARGEST ? `${isNegative ? "-" : ""}${raw}` : undefined;
}

const optionsOf = ({ arguments: args }: CallExpression): ObjectExpression | undefined => {
  const last = args.at(-1);
  return last?.type === "ObjectExpression" ? last : undefined;
};

const hasDtype = (node: CallExpression): boolean =>
  optionsOf(node)?.properties.some(
    (property) =>
      property.type === "SpreadElement" ||
      (property.key.type === "Identifier" && property.key.name === "dtype"),
  ) === true;

/**
 * Returns whether a list has a number that is not an integer, or anything but numbers: then it is
 * known.
 */
function hasFraction(node: AnyNode | undefined | null): boolean {
  if (node?.type === "ArrayExpression") return node.elements.some(hasFraction);
  const literal = node?.type === "UnaryExpression" ? node.argument : node;
  return !(literal?.type === "Literal" && Number.isInteger(literal.value));
}

/** Numbers that tools write shorter: esbuild makes `1e3` of `1000`. */
const SHORTENED = /^-?[\d_]+e\+?\d+$/i;

/** Returns whether the source has the number as a float, too, which a tool may have written so. */
export function isFloatInSource(finding: SourceFinding): boolean {
  const { code } = finding;
  if (!SHORTENED.test(code)) return true;
  const position = /^(.*):(\d+):\d+$/.exec(findingPosition(finding) ?? "");
  const line = position && sourceLines(position[1]!)?.[Number(position[2]) - 1];
  const value = Math.abs(Number(code.replaceAll("_", "")));
  const numbers = line?.match(/(?<![\w$.])(?:\d[\d_]*)?\.?\d[\d_]*\.?(?:e[+-]?\d+)?/gi) ?? [];
  return numbers.some((text) => FLOAT_FORM.test(text) && Number(text.replaceAll("_", "")) === value);
}
