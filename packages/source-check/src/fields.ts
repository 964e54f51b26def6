/** @file Members of objects by their names. */

/** Returns the members of an object, by names that its type does not know. */
export const fieldsOf = <T = unknown>(owner: object): Record<string, T> => owner as Record<string, T>;
