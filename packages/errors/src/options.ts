/** @file Option objects: names that no option has are refused. */
import { SconceError } from "./sconce-error.js";
import { misspelled } from "./suggest.js";

/** The name of every option of a type. The compiler reports one that is missing. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: true };

/**
 * Refuses an object of options with a name that no option has, and a value that is not an object.
 *
 * @param call what takes the options, as errors name it: `readPt2`
 * @throws SconceError `UNKNOWN_OPTION` with the nearest names
 */
export function checkOptions(call: string, given: unknown, known: Readonly<Record<string, true>>): void {
  if (given === undefined) return;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw optionsNotObject(call, given, Object.keys(known));
  for (const name in given)
    if (!Object.hasOwn(known, name) && Object.hasOwn(given, name))
      throw unknownOption(call, name, Object.keys(known));
}

const unknownOption = (call: string, name: string, known: readonly string[]): SconceError =>
  new SconceError({
    code: "UNKNOWN_OPTION",
    message: `${call} has no option "${name}"`,
    where: `the options of ${call}`,
    ...misspelled(name, known, optionList(known)),
  });

const optionsNotObject = (call: string, given: unknown, known: readonly string[]): SconceError => {
  const is = given === null ? "null" : Array.isArray(given) ? "an array" : `a ${typeof given}`;
  return new SconceError({
    code: "UNKNOWN_OPTION",
    message: `the options of ${call} are ${is}, not an object`,
    where: `the options of ${call}`,
    fix: `pass an object, or nothing; ${optionList(known)}`,
  });
};

/**
 * Returns the error for an option whose value is not one that it takes; `wanted` is what it takes.
 */
export const optionValue = (call: string, name: string, value: unknown, wanted: string): SconceError =>
  new SconceError({
    code: "OPTION_VALUE",
    message: `the option "${name}" of ${call} cannot be ${typeof value === "string" ? JSON.stringify(value) : String(value)}`,
    where: `the options of ${call}`,
    fix: `give ${wanted}`,
  });

const optionList = (known: readonly string[]): string =>
  known.length === 0 ? "it takes no options" : `the options are: ${known.join(", ")}`;
