/** @file Versions of the text formats: what a reader does with a text of another one. */
import { isSconceError } from "@sconce/errors";
import { formatVersion, ofNewerVersion } from "../graph/errors.js";

/** A version, such as 1.2. A reader reads every minor version of its major versions. */
export interface FormatVersion {
  readonly major: number;
  readonly minor: number;
}

/** What a reader does with a text of a newer minor version. */
export interface VersionOptions {
  /** Receives the warning that the text is newer than the reader. @defaultValue `console.warn` */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** A format with the version that this reader knows. */
export interface VersionedFormat {
  /** For messages: `IR text`. */
  readonly name: string;
  readonly version: FormatVersion;
}

/** `1` or `1.2`; undefined for another text. */
export function parseVersion(text: string): FormatVersion | undefined {
  const found = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(text);
  return found === null ? undefined : { major: Number(found[1]), minor: Number(found[2] ?? 0) };
}

/** `1.2`, and `1` for `1.0`. */
const versionText = ({ major, minor }: FormatVersion): string =>
  minor === 0 ? String(major) : `${major}.${minor}`;

/**
 * Reads the rest of a text whose version is known. One of a newer minor version is read with a
 * warning, because additions that change the meaning raise the major version. What cannot be read
 * of it is reported with the version.
 * @throws SconceError `FORMAT_VERSION` for another major version, and what `read` throws
 */
export function readVersion<T>(
  format: VersionedFormat,
  found: { readonly version: FormatVersion; readonly where: string },
  options: VersionOptions,
  read: () => T,
): T {
  const { version, where } = found;
  const known = versionText(format.version);
  if (version.major !== format.version.major)
    throw formatVersion(format.name, { found: versionText(version), known, where });
  if (version.minor <= format.version.minor) return read();
  const newer = `${format.name} of version ${versionText(version)}; this Sconce knows version ${known}`;
  let result: T;
  try {
    result = read();
  } catch (error) {
    throw isSconceError(error) ? ofNewerVersion(error, newer) : error;
  }
  const warn = options.onWarning ?? ((message: string) => console.warn(message));
  warn(`${newer}: what is newer is not read`);
  return result;
}
