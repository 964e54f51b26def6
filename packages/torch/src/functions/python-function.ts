/**
 * @file Functions that PyTorch writes in Python, with their Python signatures: arguments by
 * position or by keyword, defaults as in Python.
 */
import { describeValue } from "@sconce/errors";
import { float } from "@sconce/ir";
import { currentTrace } from "../trace/dispatch.js";
import { invalidArgument } from "./errors.js";
import { camelCase } from "./names.js";
import { splitKeywords } from "./parse-call.js";
import { wantedKind } from "./python-kinds.js";

/** What a Python function takes; the functions that it calls check the types. */
// biome-ignore lint/suspicious/noExplicitAny: the body knows the types that its signature implies.
export type PythonArguments = Record<string, any>;

interface PythonParameter {
  readonly key: string;
  /** The type that Python declares; empty without one. */
  readonly annotation: string;
  readonly hasDefault: boolean;
  readonly defaultValue: unknown;
  readonly keywordOnly: boolean;
}

/** Modules of Python by the namespaces of the API. */
const MODULES: Readonly<Record<string, string>> = {
  functional: "torch.nn.functional",
  torch: "torch.functional",
};

const CONSTANTS: Readonly<Record<string, unknown>> = { None: null, True: true, False: false };

/** Returns a Python literal: `1.0` is a float, `1` an int. */
function literal(text: string): unknown {
  if (text in CONSTANTS) return CONSTANTS[text];
  if (text.startsWith("'")) return text.slice(1, -1);
  if (/^-?\d+$/.test(text)) return Number(text);
  if (text.startsWith("(")) return text.slice(1, -1).split(" ").filter(Boolean).map(literal);
  return float(Number(text));
}

/** `dim: int = -1` or `dim=-1`. */
const PARAMETER = /^(\w+)(?:: ([^=]*?))?(?: ?= ?(.*))?$/;

function parametersOf(text: string): readonly PythonParameter[] {
  let keywordOnly = false;
  const parameters: PythonParameter[] = [];
  for (const part of text.split(", ").filter(Boolean)) {
    if (part === "*") {
      keywordOnly = true;
      continue;
    }
    const [, name, annotation = "", value] = PARAMETER.exec(part) as RegExpExecArray &
      readonly [string, string, string?, string?];
    const hasDefault = value !== undefined;
    parameters.push({
      key: camelCase(name),
      annotation,
      hasDefault,
      defaultValue: hasDefault ? literal(value) : undefined,
      keywordOnly,
    });
  }
  return parameters;
}

function bind(
  name: string,
  parameters: readonly PythonParameter[],
  given: readonly unknown[],
): PythonArguments {
  const { args, kwargs } = splitKeywords(given);
  const positional = parameters.filter(({ keywordOnly }) => !keywordOnly);
  if (args.length > positional.length)
    throw invalidArgument(
      name,
      `takes ${positional.length} positional arguments, ${args.length} are given`,
      "leave out the last arguments, or give options in one object",
    );
  const bound: PythonArguments = {};
  parameters.forEach(({ key, annotation, hasDefault, defaultValue, keywordOnly }, i) => {
    const byPosition = keywordOnly ? undefined : args[i];
    if (byPosition !== undefined && kwargs[key] !== undefined)
      throw invalidArgument(
        name,
        `the argument ${key} is given twice`,
        "give it by position or by name, not both",
      );
    const value = byPosition === undefined ? kwargs[key] : byPosition;
    if (value === undefined && !hasDefault)
      throw invalidArgument(name, `the argument ${key} is missing`, `give a value for ${key}`);
    const wanted = value === undefined ? undefined : wantedKind(annotation, key, value);
    if (wanted !== undefined)
      throw invalidArgument(name, `the argument ${key} is ${describeValue(value)}`, `give ${wanted}`);
    bound[key] = value === undefined ? defaultValue : value;
  });
  const unknown = Object.keys(kwargs).find((key) => !parameters.some((parameter) => parameter.key === key));
  if (unknown !== undefined)
    throw invalidArgument(
      name,
      `${unknown} is not an argument`,
      `use ${parameters.map(({ key }) => key).join(", ")}`,
    );
  return bound;
}

/**
 * Makes a function of a Python signature and a body that takes the arguments by name. `kind` is the
 * Python type of the function, for `torch_fn`; `traceName` gives another name than its own, or an
 * empty one where a trace sees the functions that it calls.
 */
export function pythonFunction(
  home: string,
  signature: string,
  body: (args: PythonArguments) => unknown,
  kind = "function",
  traceName: (args: PythonArguments) => string | undefined = () => undefined,
): (...given: readonly unknown[]) => unknown {
  const open = signature.indexOf("(");
  const ownName = signature.slice(0, open);
  const name = `${home}.${camelCase(ownName)}`;
  const source = home === "Tensor" ? ownName : `${MODULES[home] ?? "torch"}.${ownName}`;
  let parameters: readonly PythonParameter[] | undefined;
  return (...given) => {
    parameters ??= parametersOf(signature.slice(open + 1, -1));
    const bound = bind(name, parameters, given);
    const shown = traceName(bound) ?? ownName;
    if (shown !== "") return named(shown, kind, () => body(bound), source);
    const trace = currentTrace();
    const run = (): unknown => body(bound);
    return trace?.inSource === undefined ? run() : trace.inSource(ownName, source, run);
  };
}

/**
 * Runs a function of the API; a trace takes note of the outermost one, by PyTorch's name. `source`
 * is the function as torch.export saves it.
 */
export function named<T>(name: string, kind: string, run: () => T, source = name): T {
  const trace = currentTrace();
  return trace === undefined ? run() : trace.inFunction(name, kind, run, source);
}
