/** @file "Did you mean ...?" */
export { didYouMean, suggestions } from "@sconce/errors";

/** A noun with its indefinite article. */
export const withArticle = (noun: string): string => `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
