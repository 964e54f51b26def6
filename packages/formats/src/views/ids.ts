/** Names of boxes that are safe in any syntax: letters, digits and `_`, each once. */
export class Ids {
  readonly #taken = new Set<string>();
  /** The last number behind a name. */
  readonly #counts = new Map<string, number>();

  /** Returns the name, with `_` for each other character, and a number where it is taken. */
  take(name: string): string {
    const safe = name.replace(/[^A-Za-z0-9_]/g, "_");
    let id = safe;
    let count = this.#counts.get(safe) ?? 0;
    while (this.#taken.has(id)) id = `${safe}_${++count}`;
    this.#counts.set(safe, count);
    this.#taken.add(id);
    return id;
  }
}
