/**
 * @file What PyTorch makes of each text of a `.pt2` file when it loads and runs the program, and
 * which texts are safe there. `torch.export.load` builds Python source from names, evaluates
 * expressions with sympy, and finds functions by their names.
 */
import { isSconceError } from "@sconce/errors";
import { PYTHON_KEYWORDS } from "@sconce/ir";
import { freeSymbols, parseGuard, parseSrepr } from "@sconce/symbolic";
import { isKnownFunction, OPERATOR_PREFIX, PYTHON_OPERATOR_PREFIX } from "../schema.js";
import {
  GENERATED_NAMES,
  GRAPH_MODULE_ATTRIBUTES,
  isAsciiIdentifier,
  isDunder,
  isIdentifier,
  isNormal,
  LITERAL_NAMES,
  MODULE_ATTRIBUTES,
} from "./identifiers.js";

/** The kinds of texts of a program. */
export type TextKind =
  | "value"
  | "input"
  | "shadow"
  | "keyword"
  | "argument"
  | "graph"
  | "state"
  | "module"
  | "stack"
  | "target"
  | "symbol"
  | "expression"
  | "guard"
  | "key"
  | "constant"
  | "import"
  | "device"
  | "word"
  | "text"
  | "free";

/** One row of the table. */
export interface TextRule {
  /** What a text of the kind is, in errors. */
  readonly what: string;
  /** What it becomes in PyTorch: a clause without its subject. */
  readonly does: string;
  /** What to do about a text that is not safe; undefined where writing renames it. */
  readonly fix: string | undefined;
  /** Why a text is not safe; undefined for one that is. */
  readonly fault: (text: string) => string | undefined;
}

/** The comments by which `torch.fx` counts lines: it drops every line that holds one. */
const COUNTER = /# COUNTER: \d/;
const NOT_IDENTIFIER = "is not a Python identifier";
const UNQUOTABLE = "holds a character that a string of Python cannot hold as it is";

const taken = (text: string, ...names: readonly ReadonlySet<string>[]): string | undefined =>
  PYTHON_KEYWORDS.has(text)
    ? "is a keyword of Python"
    : names.some((set) => set.has(text))
      ? "is a name that the generated code uses itself"
      : undefined;

const valueFault = (text: string): string | undefined =>
  isAsciiIdentifier(text) ? taken(text, GENERATED_NAMES, LITERAL_NAMES) : NOT_IDENTIFIER;

const inputFault = (text: string): string | undefined =>
  isAsciiIdentifier(text) ? taken(text, GENERATED_NAMES) : NOT_IDENTIFIER;

const keywordFault = (text: string): string | undefined =>
  !isIdentifier(text)
    ? NOT_IDENTIFIER
    : isNormal(text)
      ? taken(text, GENERATED_NAMES)
      : "is a name that Python reads as another one";

const argumentFault = (text: string): string | undefined =>
  text === "" || isAsciiIdentifier(text) ? undefined : NOT_IDENTIFIER;

/** Parts of a qualified name that are not identifiers stand between double quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they end a string of Python
const ENDS_STRING = /["\\\n\r\u0000]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

function partFault(part: string): string | undefined {
  if (ENDS_STRING.test(part)) return UNQUOTABLE;
  if (!isIdentifier(part)) return undefined;
  if (!isNormal(part)) return "is a name that Python reads as another one";
  return PYTHON_KEYWORDS.has(part) ? "is a keyword of Python" : undefined;
}

function modulePathFault(text: string): string | undefined {
  if (COUNTER.test(text)) return "holds a comment by which PyTorch counts lines";
  for (const part of text.split(".")) {
    const fault = partFault(part);
    if (fault !== undefined)
      return part === text ? fault : `has a part ${JSON.stringify(part)} that ${fault}`;
  }
  return undefined;
}

function stateFault(text: string): string | undefined {
  const parts = text.split(".");
  if (parts.includes("")) return "has an empty part";
  const attribute = parts.find((part) => MODULE_ATTRIBUTES.has(part));
  return attribute === undefined
    ? modulePathFault(text)
    : `has the name ${attribute}, which every torch.nn.Module has`;
}

/** Entries of module stacks stand between commas, but for those inside of brackets. */
const stackFault = (text: string): string | undefined =>
  text.includes(";") || text.replace(/[[(][^\])]*[\])]/g, "").includes(",")
    ? "holds a delimiter of the entries of a module stack"
    : undefined;

const NAMESPACES_OF_TORCH = new Set(["load_library", "import_module", "loaded_libraries", "name"]);
/** Operators that are named as the operators of Python. */
const PYTHON_OPERATOR = /^aten\.__i?(?:and|or|xor|lshift|rshift)__\.[A-Za-z_]\w*$/;

/**
 * Returns whether a target is one of an operator: a path of attributes that leads to nothing else.
 */
function isOperator(path: string): boolean {
  const [namespace, ...rest] = path.split(".");
  const parts = [namespace!, ...rest];
  if (!parts.every(isAsciiIdentifier) || NAMESPACES_OF_TORCH.has(namespace!)) return false;
  if (parts.length !== (namespace === "higher_order" ? 2 : 3)) return false;
  return !parts.some(isDunder) || PYTHON_OPERATOR.test(path);
}

function targetFault(text: string): string | undefined {
  if (/^#\w+:[\w.]+$/.test(text)) return undefined;
  const isKnown = text.startsWith(OPERATOR_PREFIX)
    ? isOperator(text.slice(OPERATOR_PREFIX.length))
    : isKnownFunction(text.replace(PYTHON_OPERATOR_PREFIX, "operator."));
  return isKnown ? undefined : "is not a namespace, an operator and an overload";
}

/** Names of functions that `sympify` looks up: a symbol of such a name would take their place. */
const SYMPY_NAMES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  `Symbol Integer Float Rational Add Mul Pow Mod Max Min And Or Not Xor Equality Unequality LessThan
  StrictLessThan GreaterThan StrictGreaterThan Piecewise FloorDiv ModularIndexing Where PythonMod CleanDiv
  CeilToInt FloorToInt CeilDiv LShift RShift PowByNatural FloatPow FloatTrueDiv IntTrueDiv
  IsNonOverlappingAndDenseIndicator TruncToFloat TruncToInt RoundToInt RoundDecimal ToFloat Identity`.split(
    /\s+/,
  ),
);

function symbolFault(text: string): string | undefined {
  if (!isAsciiIdentifier(text)) return NOT_IDENTIFIER;
  if (SYMPY_NAMES.has(text)) return "is a name that sympy uses itself";
  // PyTorch reads the number of a symbol that data decide.
  if (/^(?:u|zuf)(?!\d+$)/.test(text)) return "begins as the symbols that PyTorch numbers, and has no number";
  return taken(text);
}

/**
 * Returns what is wrong with a text that a strict parser reads, or with the names in it; undefined
 * for nothing.
 */
function parsedFault(parse: () => string | undefined): string | undefined {
  try {
    return parse();
  } catch (error) {
    if (isSconceError(error) && error.code.startsWith("SYM_")) return "is not a plain expression";
    throw error;
  }
}

/** Characters with which strings of Python end, or escape others. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they end a string of Python
const NOT_PLAIN = /["\\\u0000-\u001f\u007f\u2028\u2029]/;

const expressionFault = (text: string): string | undefined =>
  parsedFault(() => {
    if (NOT_PLAIN.test(text)) return UNQUOTABLE;
    for (const name of freeSymbols(parseSrepr(text)).keys()) {
      const fault = symbolFault(name);
      if (fault !== undefined) return `has a symbol ${JSON.stringify(name)}, which ${fault}`;
    }
    return undefined;
  });

const guardFault = (text: string): string | undefined =>
  NOT_PLAIN.test(text)
    ? UNQUOTABLE
    : parsedFault(() => {
        parseGuard(text);
        return undefined;
      });

/** PyTorch writes the paths of inputs into messages of its guards as they are, between quotes. */
const keyFault = (text: string): string | undefined => (/["']/.test(text) ? "holds a quote" : undefined);

/** PyTorch compares inputs that are texts with them in its guards, between quotes. */
const constantFault = (text: string): string | undefined =>
  text.includes("'") || ENDS_STRING.test(text) ? UNQUOTABLE : undefined;

const importFault = (text: string): string | undefined =>
  text.split(/[.:]/).every(isAsciiIdentifier) ? undefined : "is not a module and a name in it";

const wordFault = (text: string): string | undefined =>
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text) ? "holds a control character" : undefined;

const RENAME_INPUT = "rename it: give each input a name that is a Python identifier";
const RENAME_STATE =
  "rename it: use names of letters, digits and _, with dots between the modules; the names of Python's keywords cannot be used";

/** The table: one row for each kind of text. */
export const TEXT_RULES: Readonly<Record<TextKind, TextRule>> = {
  value: {
    what: "the name of a value",
    does: "becomes a variable in the Python source of the graph",
    fix: undefined,
    fault: valueFault,
  },
  graph: {
    what: "the name of a nested graph",
    does: "becomes an attribute in the Python source of the graph",
    fix: undefined,
    fault: (text) =>
      isAsciiIdentifier(text)
        ? taken(text, GENERATED_NAMES, MODULE_ATTRIBUTES, GRAPH_MODULE_ATTRIBUTES)
        : NOT_IDENTIFIER,
  },
  input: {
    what: "the name of an input",
    does: "becomes a parameter in the Python source of the graph",
    fix: RENAME_INPUT,
    fault: inputFault,
  },
  // An input of a program whose calls hold the literal, which the parameter hides.
  shadow: {
    what: "the name of an input",
    does: "becomes a parameter in the Python source of the graph",
    fix: RENAME_INPUT,
    fault: (text) => taken(text, LITERAL_NAMES),
  },
  keyword: {
    what: "the name of an argument",
    does: "becomes a parameter in the Python source of the graph",
    fix: RENAME_INPUT,
    fault: keywordFault,
  },
  argument: {
    what: "the name of an argument of an operator",
    does: "names an argument of the operator",
    fix: "register the operator with a schema whose names are identifiers",
    fault: argumentFault,
  },
  state: {
    what: "the name of a parameter, a buffer or a constant",
    does: "becomes attributes in the Python source of the graph",
    fix: RENAME_STATE,
    fault: stateFault,
  },
  module: {
    what: "the path of a module",
    does: "becomes attributes in the Python source of the graph",
    fix: RENAME_STATE,
    fault: modulePathFault,
  },
  stack: {
    what: "an entry of a module stack",
    does: "is split at commas and semicolons",
    fix: RENAME_STATE,
    fault: stackFault,
  },
  target: {
    what: "the target of a call",
    does: "is looked up attribute by attribute, and called",
    fix: "call an operator that is registered: namespace.operator.overload",
    fault: targetFault,
  },
  symbol: {
    what: "the name of a symbol",
    does: "is part of expressions that sympy.sympify evaluates",
    fix: "rename the dimension: use letters, digits and _",
    fault: symbolFault,
  },
  expression: {
    what: "an expression over sizes",
    does: "is evaluated by sympy.sympify",
    fix: "export the program again",
    fault: expressionFault,
  },
  guard: {
    what: "a guard",
    does: "is compiled into a function with exec",
    fix: "rename the keys and inputs that the guard names: use letters, digits and _",
    fault: guardFault,
  },
  key: {
    what: "a key of a dictionary in the inputs",
    does: "becomes part of guards, which are compiled into a function with exec",
    fix: "rename the keys of the inputs: use no quotes",
    fault: keyFault,
  },
  constant: {
    what: "an input that is a text",
    does: "becomes a string in guards, which are compiled into a function with exec",
    fix: "export the program with another text: without quotes, backslashes and line breaks",
    fault: constantFault,
  },
  import: {
    what: "the name of a class or a factory in a tree",
    does: "names a module that importlib imports",
    fix: "use plain containers for the inputs and outputs",
    fault: importFault,
  },
  device: {
    what: "the kind of a device",
    does: "is read by torch.device",
    fix: "name a device as PyTorch does: cpu, cuda",
    fault: (text) => (/^[a-z]\w*$/.test(text) ? undefined : "is not a word of letters and digits"),
  },
  word: {
    what: "a name",
    does: "is looked up in a table",
    fix: "use a name without control characters",
    fault: wordFault,
  },
  text: {
    what: "a text in a call",
    does: "becomes a string in the Python source of the graph",
    fix: "use another text",
    fault: (text) => (COUNTER.test(text) ? "holds a comment by which PyTorch counts lines" : undefined),
  },
  free: {
    what: "a text",
    does: "is kept, and shown in comments",
    fix: undefined,
    fault: () => undefined,
  },
};

/** Returns why a text is not safe in a file for PyTorch; undefined for one that is. */
export const textFault = (kind: TextKind, text: string): string | undefined => TEXT_RULES[kind].fault(text);
