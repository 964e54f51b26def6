/** Names of boxes that are safe in any syntax: letters, digits and `_`, each once. */
export class Ids {
  readonly #taken = new Set<string>();

  /** The name, with `_` for each other character, and a number where it is taken. */
  take(name: string): string {
    const safe = name.replace(/[^A-Za-z0-9_]/g, "_");
    let id = safe;
    for (let i = 1; this.#taken.has(id); i++) id = `${safe}_${i}`;
    this.#taken.add(id);
    return id;
  }
}
