/** @file The models of a server by name and version. */
import { unknownModel } from "../protocol/errors.js";
import type { Model } from "./model.js";

/** Compares versions: numbers in them by value, so that 10 comes after 9. */
const byVersion = new Intl.Collator("en", { numeric: true });

/** The models of a server. A request without a version gets the last one. */
export class Catalog {
  /** The versions of each model, oldest first. */
  readonly #models = new Map<string, Map<string, Model>>();
  readonly #last = new Map<string, Model>();
  readonly #numbers: ReadonlyMap<Model, number>;
  /** All versions of all models. */
  readonly all: readonly Model[];

  /** @param models models with different names or versions */
  constructor(models: readonly Model[]) {
    this.all = models;
    this.#numbers = new Map(models.map((model, i) => [model, i]));
    const sorted = models.toSorted((a, b) => byVersion.compare(a.version, b.version));
    for (const model of sorted) {
      const versions = this.#models.get(model.name) ?? new Map<string, Model>();
      this.#models.set(model.name, versions.set(model.version, model));
      this.#last.set(model.name, model);
    }
  }

  /** Returns the versions of a model, oldest first. */
  versions(name: string): string[] {
    return [...(this.#models.get(name)?.keys() ?? [])];
  }

  /** Returns the position of a model among all. */
  numberOf(model: Model): number {
    return this.#numbers.get(model)!;
  }

  /** Returns a model. @throws SconceError `MODEL_UNKNOWN` */
  find(name: string, version?: string): Model {
    const model = version === undefined ? this.#last.get(name) : this.#models.get(name)?.get(version);
    if (model !== undefined) return model;
    if (!this.#models.has(name)) throw unknownModel(name, undefined, [...this.#models.keys()]);
    throw unknownModel(name, version, this.versions(name));
  }
}
