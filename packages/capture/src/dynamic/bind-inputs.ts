/** @file Arguments by the names of the parameters (`_combine_args`). */
import type { NamedInputs } from "./check-shapes.js";

/** A parameter of the exported function. */
export interface Parameter {
  /** The name; undefined for a pattern. */
  readonly name: string | undefined;
  /** Whether it takes all arguments that are left. */
  readonly isRest: boolean;
}

/**
 * Binds the arguments of a call to names. Keyword arguments have their own names; a specification
 * may also give them under the parameter that takes them.
 *
 * @param parameters the parameters of the function; undefined where they are not known, which names
 * the arguments `args`
 */
export function bindInputs(
  parameters: readonly Parameter[] | undefined,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>> = {},
): NamedInputs {
  const known = parameters ?? [{ name: "args", isRest: true }];
  const rest = known.findIndex(({ isRest }) => isRest);
  const count = rest === -1 ? args.length : Math.min(rest, args.length);
  const named = new Map<string, unknown>();
  for (let i = 0; i < count; i++) named.set(known[i]?.name ?? `args_${i}`, args[i]);
  const variadic = rest === -1 || args.length <= rest ? undefined : (known[rest]!.name ?? "args");
  const positional = [...named.keys()];
  if (variadic !== undefined) {
    named.set(variadic, args.slice(rest));
    positional.push(...args.slice(rest).map((_, i) => `${variadic}_${i}`));
  }
  for (const [name, value] of Object.entries(kwargs)) named.set(name, value);
  return {
    args: named,
    variadicPositional: variadic,
    positional,
    keywordParameter: Object.keys(kwargs).length === 0 ? undefined : (known[args.length]?.name ?? "kwargs"),
  };
}
