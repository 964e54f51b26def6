const known = new Map<string, string>();

/** `masked_fill_` in camelCase: `maskedFill_`; underscores at the ends stay. */
export function camelCase(name: string): string {
  let camel = known.get(name);
  if (camel === undefined) {
    camel = name.replace(/(?<=[A-Za-z0-9])_+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    known.set(name, camel);
  }
  return camel;
}
