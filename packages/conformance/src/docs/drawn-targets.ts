import { defaultOperators } from "@sconce/ops";

interface Draws {
  readonly cases: readonly { readonly target: string; readonly error?: string }[];
}

/**
 * Targets with recorded draws, and the functional overloads that recorded in-place and `out=` calls
 * run by.
 */
export function drawnTargets(json: string): ReadonlySet<string> {
  const operators = defaultOperators();
  const { cases } = JSON.parse(json) as Draws;
  const targets = cases.filter(({ error }) => error === undefined).map(({ target }) => target);
  return new Set(targets.flatMap((target) => [target, operators.get(target)?.functional ?? target]));
}
