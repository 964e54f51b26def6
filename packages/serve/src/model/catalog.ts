/** @file The models of a server by name and version. */
import { notServable, unknownModel } from "../protocol/errors.js";
import type { Model } from "./model.js";

/** Compares versions: numbers in them by value, so that 10 comes after 9. */
const byVersion = new Intl.Collator("en", { numeric: true });

/** The models of a server. A request without a version gets the last one. */
export class Catalog {
  readonly #models = new Map<string, Map<string, Model>>();
  /** All versions of all models. */
  readonly all: readonly Model[];

  /** @throws SconceError `SERVE_MODEL` for two models with one name and version */
  constructor(models: readonly Model[]) {
    this.all = models;
    for (const model of models) {
      const versions = this.#models.get(model.name) ?? new Map<string, Model>();
      this.#models.set(model.name, versions);
      if (versions.has(model.version))
        throw notServable(
          `the model ${JSON.stringify(model.name)}`,
          `has two programs for version ${JSON.stringify(model.version)}`,
          "give each program a name or a version: NAME@VERSION=FILE",
        );
      versions.set(model.version, model);
    }
  }

  /** Returns the versions of a model, oldest first. */
  versions(name: string): string[] {
    return [...(this.#models.get(name)?.keys() ?? [])].sort(byVersion.compare);
  }

  /** Returns a model. @throws SconceError `MODEL_UNKNOWN` */
  find(name: string, version?: string): Model {
    const versions = this.#models.get(name);
    if (versions === undefined) throw unknownModel(name, undefined, [...this.#models.keys()]);
    const model = versions.get(version ?? this.versions(name).at(-1)!);
    if (model === undefined) throw unknownModel(name, version, this.versions(name));
    return model;
  }
}
