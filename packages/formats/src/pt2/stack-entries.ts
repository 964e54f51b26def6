/** @file The text of a module stack, as PyTorch reads it. */

/** Splits at commas outside of brackets. */
function splitFields(text: string): string[] {
  const fields: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === "[" || char === "(") depth++;
    else if (char === "]" || char === ")") depth--;
    else if (char === "," && depth === 0) {
      fields.push(text.slice(start, i));
      start = i + 1;
    }
  }
  fields.push(text.slice(start));
  return fields;
}

/**
 * Returns the entries of a module stack: key, path and type of each where the text is well formed.
 */
export const stackEntries = (text: string): readonly (readonly string[])[] =>
  text === "" ? [] : text.split(";").map(splitFields);
