/** @file Names of archive entries: plain relative paths or an error. */
import { zipError } from "../errors.js";

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const DRIVE = /^[a-zA-Z]:/;
/**
 * Bringing a name to normal form takes quadratic time in a run of these; Unicode's own limit is 30.
 */
const MARKS = /\p{M}{31}/u;

/**
 * Decodes an entry's name. Nothing is ever written to a path from an archive, but a name that
 * climbs out of its folder shows a file made to harm another reader.
 * @throws SconceError `ZIP_NAME`
 */
export function checkName(bytes: Uint8Array, where: string): string {
  let name: string;
  try {
    name = utf8.decode(bytes);
  } catch {
    throw zipError("ZIP_NAME", "the entry's name is not UTF-8", where);
  }
  const fault = nameFault(name);
  if (fault !== undefined)
    throw zipError("ZIP_NAME", `entry name ${JSON.stringify(name.slice(0, 200))} ${fault}`, where);
  return name;
}

/** Returns what is wrong with a name as that of an entry; undefined when nothing is. */
export function nameFault(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.includes("\0")) return "holds a NUL";
  if (MARKS.test(name)) return "holds more than 30 combining marks in a row";
  if (name.includes("\\")) return "holds a backslash";
  if (name.startsWith("/") || DRIVE.test(name)) return "is absolute";
  const parts = (name.endsWith("/") ? name.slice(0, -1) : name).split("/");
  if (parts.includes("..")) return "climbs out of its folder";
  return parts.includes("") || parts.includes(".") ? "has an empty part" : undefined;
}
