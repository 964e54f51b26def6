/** `masked_fill_` in camelCase: `maskedFill_`; underscores at the ends stay. */
export const camelCase = (name: string): string =>
  name.replace(/(?<=[A-Za-z0-9])_+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
