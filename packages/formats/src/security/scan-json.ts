/** @file What PyTorch evaluates of a program's JSON: found by walking it, evaluated by nothing. */
import { type Budget, isSconceError } from "@sconce/errors";
import { parseGuard, parseSrepr } from "@sconce/symbolic";
import { parseJson } from "../json/parse.js";
import { JsonObject, type JsonValue } from "../json/value.js";
import { visitJsonTexts } from "../pt2/text/json-texts.js";
import { type TextKind, textFault } from "../pt2/text/rules.js";
import type { SecurityFinding } from "./finding.js";
import { nameFinding } from "./program-names.js";

type Report = (finding: SecurityFinding) => void;

const LONGEST_EXPRESSION = 1000;
/** Operators that are part of PyTorch. */
const OWN_NAMESPACES = new Set([
  "aten",
  "prim",
  "prims",
  "higher_order",
  "_c10d_functional",
  "quantized_decomposed",
]);
/** Functions that exports call besides operators. */
const FUNCTION =
  /^(?:_operator\.\w+|math\.\w+|torch\.sym_\w+|torch\._sym_\w+|torch\.utils\._sympy\.functions\.\w+|torch\._functorch\.predispatch\.\w+)$/;
/** What pytree unpacks without an import. */
const PLAIN_FACTORIES = new Set([
  "builtins.list",
  "builtins.dict",
  "builtins.int",
  "builtins.float",
  "builtins.set",
]);

/** Reports what the JSON of a program makes PyTorch evaluate, import or call. */
export function scanProgramJson(bytes: Uint8Array, entry: string, budget: Budget, report: Report): void {
  const json = parseJson(bytes, entry, budget);
  new JsonScan(entry, budget, report).visit(json, []);
  scanNames(json, entry, budget, report);
}

/** Kinds of texts that have other findings. */
const REPORTED = new Set<TextKind | "unknown">(["expression", "guard", "import", "free", "unknown"]);

/** Reports texts that PyTorch would not take for names only; each once. */
function scanNames(json: JsonValue, entry: string, budget: Budget, report: Report): void {
  const seen = new Set<string>();
  visitJsonTexts(json, budget, (kind, text, path) => {
    if (REPORTED.has(kind)) return;
    const finding = nameFinding(kind as TextKind, text, () => `${entry} ${pathText(path)}`);
    if (finding === undefined || seen.has(finding.names[0]!)) return;
    seen.add(finding.names[0]!);
    report(finding);
  });
}

class JsonScan {
  readonly #entry: string;
  readonly #budget: Budget;
  readonly #report: Report;
  /** Texts that were reported already, by kind. */
  readonly #seen = new Set<string>();

  constructor(entry: string, budget: Budget, report: Report) {
    this.#entry = entry;
    this.#budget = budget;
    this.#report = report;
  }

  visit(value: JsonValue, path: readonly (string | number)[]): void {
    if (Array.isArray(value)) {
      const items = value as readonly JsonValue[];
      for (const [i, item] of items.entries())
        if (typeof item === "object") this.visit(item, [...path, i]);
        else if (path.at(-1) === "guards_code" && typeof item === "string") this.#guard(item, [...path, i]);
      return;
    }
    if (!(value instanceof JsonObject)) return;
    value.keys.forEach((key, i) => {
      const item = value.values[i]!;
      const at = [...path, key];
      if (typeof item === "string") this.#text(key, item, at);
      else {
        if (key === "range_constraints" && item instanceof JsonObject)
          for (const symbol of item.keys) this.#expression(symbol, [...at, symbol]);
        this.visit(item, at);
      }
    });
  }

  #text(key: string, text: string, path: readonly (string | number)[]): void {
    if (key === "expr_str") this.#expression(text, path);
    else if (key === "target") this.#target(text, path);
    else if (key === "class_fqn")
      this.#add("custom-object", text, path, "names the class of an object", false);
    else if (key === "in_spec" || key === "out_spec") this.#tree(text, path);
  }

  #expression(text: string, path: readonly (string | number)[]): void {
    const plain = this.#isPlain(() =>
      parseSrepr(text, { maxLength: LONGEST_EXPRESSION, budget: this.#budget }),
    );
    this.#add("expression", text, path, "sympy.sympify evaluates it while loading", plain);
  }

  #guard(text: string, path: readonly (string | number)[]): void {
    const plain = this.#isPlain(() => parseGuard(text, { budget: this.#budget }));
    this.#add("guard", text, path, "module() compiles it into a function with exec", plain);
  }

  /** Returns whether a strict parser knows all of a text. */
  #isPlain(parse: () => unknown): boolean {
    try {
      parse();
      return true;
    } catch (error) {
      if (isSconceError(error) && error.code.startsWith("SYM_")) return false;
      throw error;
    }
  }

  #target(text: string, path: readonly (string | number)[]): void {
    const [, namespace] = /^torch\.ops\.(\w+)\./.exec(text) ?? [];
    if (namespace !== undefined) {
      if (!OWN_NAMESPACES.has(namespace))
        this.#add("custom-operator", text, path, "runs the code that is registered for it", false);
      else if (textFault("target", text) !== undefined)
        this.#add(
          "function",
          text,
          path,
          "is looked up by its name, and called when the program runs",
          false,
        );
    } else if (!FUNCTION.test(text) && /^(?:torch|math|_operator|#)/.test(text))
      this.#add("function", text, path, "is looked up by its name, and called when the program runs", false);
  }

  /** Specifications of containers are JSON in a text. */
  #tree(text: string, path: readonly (string | number)[]): void {
    if (!text.includes("__enum__") && !text.includes("default_factory_module")) return;
    const visit = (value: JsonValue): void => {
      if (typeof value === "string" && /^\s*[{[]/.test(value)) {
        visit(this.#nested(value));
        return;
      }
      if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) visit(item);
      if (!(value instanceof JsonObject)) return;
      const [module, name] = [value.get("default_factory_module"), value.get("default_factory_name")];
      if (typeof module === "string") {
        const factory = `${module}.${textOf(name)}`;
        this.#add("import", factory, path, "importlib imports the module", PLAIN_FACTORIES.has(factory));
      }
      if (value.get("__enum__") !== undefined)
        this.#add("import", textOf(value.get("fqn")), path, "importlib imports the module", false);
      for (const item of value.values) visit(item);
    };
    visit(this.#nested(text));
  }

  #nested(text: string): JsonValue {
    try {
      return parseJson(text, this.#entry, this.#budget);
    } catch (error) {
      if (isSconceError(error) && error.code.startsWith("JSON_")) return null;
      throw error;
    }
  }

  #add(
    kind: SecurityFinding["kind"],
    text: string,
    path: readonly (string | number)[],
    does: string,
    isPlain: boolean,
  ): void {
    const key = `${kind} ${text}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#report({ kind, where: `${this.#entry} ${pathText(path)}`, names: [text], does, isPlain });
  }
}

const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "(no name)");

const pathText = (path: readonly (string | number)[]): string =>
  path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
    "",
  );
