/**
 * @file The names that export gives to the nodes of a traced graph (`torch/_export/utils.py`,
 * `placeholder_naming_pass`): placeholders keep theirs, other nodes make way for them.
 */

import { isDigit } from "@sconce/errors";
import type { InputKind } from "@sconce/ir";

/** Prefixes of the names of inputs that the user does not give. */
const PREFIXES: Readonly<Record<Exclude<InputKind, "USER_INPUT">, string>> = {
  PARAMETER: "p_",
  BUFFER: "b_",
  CONSTANT_TENSOR: "c_",
  CUSTOM_OBJ: "obj_",
  TOKEN: "token",
};

/** Returns the name that a lifted input asks for: `p_layers_0_weight`. A token has no target. */
export function liftedName(kind: keyof typeof PREFIXES, target: string | null): string {
  const base = (target ?? "").replace(/^(?:L__self___|self_)/, "");
  return PREFIXES[kind] + base.replace(/[^a-zA-Z0-9]/g, "_").toLowerCase();
}

/** Names that are taken, and the highest number of each. */
export class CollisionNames {
  readonly #used = new Set<string>();
  readonly #highest = new Map<string, number>();

  /** Returns the name of an input that asks for `name`: a number at its end is part of it. */
  placeholder(name: string): string {
    return this.#take(this.#used.has(name) ? `${name}_${(this.#highest.get(name) ?? 0) + 1}` : name);
  }

  /** Returns the name of a node that was traced as `name`. */
  rename(name: string): string {
    let result = name;
    if (this.#used.has(name)) {
      const at = suffixAt(name);
      const key = at < 0 ? name : name.slice(0, at);
      result = `${key}_${(this.#highest.get(key) ?? 0) + 1}`;
    }
    return this.#take(result);
  }

  #take(name: string): string {
    this.#used.add(name);
    this.#note(name);
    return name;
  }

  #note(name: string): void {
    const at = suffixAt(name);
    if (at < 0) return;
    let end = at + 1;
    while (isDigit(name.charCodeAt(end))) end++;
    const key = name.slice(0, at);
    const count = Number(name.slice(at + 1, end));
    if (count > (this.#highest.get(key) ?? 0)) this.#highest.set(key, count);
  }
}

/** Where the last `_` before a digit is, as PyTorch's `(.*)_(\d+)` finds it; -1 without one. */
function suffixAt(name: string): number {
  for (let at = name.length - 2; at >= 0; at--)
    if (name[at] === "_" && isDigit(name.charCodeAt(at + 1))) return at;
  return -1;
}

/**
 * Candidate name of a traced call: the operator's name in snake case, double underscores of magic
 * names dropped.
 */
export function callName(target: string): string {
  let name = callNames.get(target);
  if (name === undefined) {
    name = snakeCase(target);
    callNames.set(target, name);
  }
  return name;
}

const callNames = new Map<string, string>();

/** Candidate name of a call of a Python function: `add`, `and_`. */
export const functionName = (target: string): string => target.slice(target.lastIndexOf(".") + 1);

function snakeCase(target: string): string {
  const parts = target.split(".");
  const packet = parts.length >= 3 ? parts[parts.length - 2]! : parts[parts.length - 1]!;
  const plain = /^__(.*)__$/s.exec(packet)?.[1] ?? packet;
  return plain.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
}
