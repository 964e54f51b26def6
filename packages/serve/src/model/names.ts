/** @file Names of inputs and outputs in the protocol, from the structure of the program. */
import type { ExportedProgram } from "@sconce/ir";
import { type Leaf, outputPlaces } from "@sconce/ops";

/**
 * Returns the name of an input: the parameter of `forward` and the way from it, `batch['mask']`.
 */
export const inputName = ({ root, place }: Leaf): string => place.replace(/^\*args\[\d+\]/, () => root);

/**
 * Returns the names of the outputs: the key of a dictionary or the field of a class, `output` for
 * a bare value, and `output_0`, `output_1` for those of a tuple. What lies deeper has the way to it
 * behind: `output_0['mask']`.
 */
export function outputNames(program: ExportedProgram): string[] {
  const names = outputPlaces(program).map((place) => {
    const [, key, position, attribute, rest = ""] = /^(?:\['(.*?)'\]|\[(\d+)\]|\.(\w+))?(.*)$/s.exec(place)!;
    return `${key ?? attribute ?? (position === undefined ? "output" : `output_${position}`)}${rest}`;
  });
  // Keys such as `output_0` and `output_0#1` may be those of another output.
  const taken = new Set(names);
  return names.map((name, i) => {
    if (names.indexOf(name) === i) return name;
    let own = `${name}#${i}`;
    while (taken.has(own)) own += "#";
    taken.add(own);
    return own;
  });
}
