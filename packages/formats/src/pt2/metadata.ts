/**
 * @file The string metadata of a node. It is for people: whatever does not parse is kept as it is.
 */
import { type Budget, isSconceError, parsePlainJson } from "@sconce/errors";
import { type ModuleStackEntry, type NodeMeta, pythonJson } from "@sconce/ir";
import { type Read, readObject, readString } from "../json/place.js";
import { stackEntries } from "./stack-entries.js";

const DELIMITER = ";";

function moduleStack(text: string): readonly ModuleStackEntry[] | undefined {
  const entries = stackEntries(text);
  if (!entries.every((entry) => entry.length === 3)) return undefined;
  return Object.freeze(entries.map((entry) => Object.freeze(entry) as unknown as ModuleStackEntry));
}

function sourceFunctions(text: string): readonly (readonly [string, string])[] | undefined {
  const entries = text.split(DELIMITER).map((entry) => entry.split(","));
  if (!entries.every((entry) => entry.length === 2)) return undefined;
  return Object.freeze(entries.map((entry) => Object.freeze(entry) as unknown as readonly [string, string]));
}

function annotations(text: string, budget: Budget): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parsePlainJson(text, { budget, fail: (message) => new SyntaxError(message) });
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.freeze(value as Record<string, unknown>)
      : undefined;
  } catch (error) {
    if (isSconceError(error)) throw error;
    return undefined;
  }
}

/** Annotations that say less than their text: `1.0` became 1. The text is then kept, too. */
const isRounded = (key: string, text: string, { custom }: StringMeta): boolean =>
  key === "custom" && pythonJson(custom) !== text;

type StringMeta = Omit<NodeMeta, "val">;
type Mutable = { -readonly [K in keyof StringMeta]: StringMeta[K] };

/** Reads `metadata` objects of one program; equal texts give the same parsed object. */
export class MetadataReader {
  readonly #stacks = new Map<string, readonly ModuleStackEntry[] | undefined>();
  readonly #budget: Budget;
  readonly #traces = new Map<string, string>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  readonly read: Read<StringMeta> = (value, place) => {
    const meta: Mutable = {};
    let extra: Record<string, string> | undefined;
    const { keys, values } = readObject(value, place);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      const text = place.at(key, values[i]!, readString);
      if (text === "" || (this.#take(meta, key, text) && !isRounded(key, text, meta))) continue;
      extra ??= Object.create(null) as Record<string, string>;
      extra[key] = text;
    }
    if (extra !== undefined) meta.extra = Object.freeze({ ...extra });
    return meta;
  };

  #take(meta: Mutable, key: string, text: string): boolean {
    switch (key) {
      case "stack_trace":
        meta.stackTrace = this.#shared(text);
        return true;
      case "nn_module_stack": {
        if (!this.#stacks.has(text)) this.#stacks.set(text, moduleStack(text));
        const stack = this.#stacks.get(text);
        if (stack !== undefined) meta.nnModuleStack = stack;
        return stack !== undefined;
      }
      case "source_fn_stack": {
        const functions = sourceFunctions(text);
        if (functions !== undefined) meta.sourceFnStack = functions;
        return functions !== undefined;
      }
      case "torch_fn": {
        const parts = text.split(DELIMITER);
        if (parts.length !== 2) return false;
        meta.torchFn = Object.freeze(parts) as unknown as readonly [string, string];
        return true;
      }
      case "custom": {
        const custom = annotations(text, this.#budget);
        if (custom !== undefined) meta.custom = custom;
        return custom !== undefined;
      }
      default:
        return false;
    }
  }

  /** Neighboring nodes come from the same line of Python. */
  #shared(text: string): string {
    const known = this.#traces.get(text);
    if (known !== undefined) return known;
    this.#traces.set(text, text);
    return text;
  }
}
