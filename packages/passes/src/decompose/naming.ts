/**
 * @file The names that export gives to the nodes of a traced graph (`torch/_export/utils.py`,
 * `placeholder_naming_pass`): placeholders keep theirs, other nodes make way for them.
 */
const SUFFIX = /^(.*)_(\d+)/s;

export class CollisionNames {
  readonly #used = new Set<string>();
  readonly #highest = new Map<string, number>();

  placeholder(name: string): void {
    this.#used.add(name);
    this.#note(name);
  }

  /** The name of a node that was traced as `name`. */
  rename(name: string): string {
    let result = name;
    if (this.#used.has(name)) {
      const key = SUFFIX.exec(name)?.[1] ?? name;
      result = `${key}_${(this.#highest.get(key) ?? 0) + 1}`;
    }
    this.#used.add(result);
    this.#note(result);
    return result;
  }

  #note(name: string): void {
    const match = SUFFIX.exec(name);
    if (match === null) return;
    const count = Number(match[2]);
    if (count > (this.#highest.get(match[1]!) ?? 0)) this.#highest.set(match[1]!, count);
  }
}

/** Candidate name of a traced call: the operator's name in snake case, double underscores of magic names dropped. */
export function callName(target: string): string {
  let name = callNames.get(target);
  if (name === undefined) {
    name = snakeCase(target);
    callNames.set(target, name);
  }
  return name;
}

const callNames = new Map<string, string>();

function snakeCase(target: string): string {
  const parts = target.split(".");
  const packet = parts.length >= 3 ? parts[parts.length - 2]! : parts[parts.length - 1]!;
  const plain = /^__(.*)__$/s.exec(packet)?.[1] ?? packet;
  return plain.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
}
