/** Returns what was thrown, as a text. Anything can be thrown, also what cannot be made a text. */
export function thrownText(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message);
    if (typeof thrown !== "object" || thrown === null) return String(thrown);
    const { message } = thrown as { readonly message?: unknown };
    return typeof message === "string" ? message : objectText(thrown);
  } catch {
    return "something that has no text";
  }
}

/** Returns the object's own text; its fields, at most 100 characters, for one that has none. */
function objectText(thrown: object): string {
  const own = String(thrown);
  if (!own.includes("[object ")) return own;
  const json = JSON.stringify(thrown);
  const kind = thrown.constructor?.name ?? "Object";
  const fields = json === "{}" ? "" : ` ${json.length > 100 ? `${json.slice(0, 100)}...` : json}`;
  return `${kind === "Object" ? "an object" : `an object of class ${kind}`}${fields}`;
}
