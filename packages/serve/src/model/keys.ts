/** @file What models are found by. */
import { notServable } from "../protocol/errors.js";

/** Names and versions as addresses have them. */
const NAME = /^\w[\w.-]{0,199}$/;

/** What a model is found by. */
interface ModelKey {
  readonly name: string;
  readonly version: string;
}

/** Returns a model as errors name it. */
export const modelLabel = ({ name, version }: ModelKey): string =>
  `the model ${JSON.stringify(name)} version ${JSON.stringify(version)}`;

/**
 * Checks what models are found by.
 *
 * @throws SconceError `SERVE_MODEL` for names that addresses cannot have, and for two models with
 * one name and version
 */
export function requireKeys(keys: readonly ModelKey[]): void {
  const known = new Set<string>();
  for (const key of keys) {
    const { name, version } = key;
    if (!NAME.test(name) || !NAME.test(version))
      throw notServable(
        modelLabel(key),
        "has a name that an address cannot have",
        "use letters, digits, dots, - and _",
      );
    if (known.has(`${name}/${version}`))
      throw notServable(
        `the model ${JSON.stringify(name)}`,
        `has two programs for version ${JSON.stringify(version)}`,
        "give each program a name or a version: NAME@VERSION=FILE",
      );
    known.add(`${name}/${version}`);
  }
}
