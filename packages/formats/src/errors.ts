/** @file Every error that this package raises on purpose. */
import { fileFault, optionValue, SconceError, shellPath, systemCode, TRANSFERRED_FIX } from "@sconce/errors";
import type { OtherFormat } from "./other-format.js";

const DAMAGED = "copy or export the file again; it is damaged";

export const sourceChanged = (offset: number, want: number, got: number): SconceError =>
  new SconceError({
    code: "SOURCE_CHANGED",
    message: `the source returned ${got} of ${want} requested bytes`,
    where: `byte ${offset}`,
    fix: "do not change the file while it is read",
  });

/** Returns the error for a source that threw, or gave something that is not bytes. */
export const sourceFailed = (reason: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "SOURCE_FAILED",
    message: `the source cannot be read: ${reason}`,
    fix: "correct the source: read(offset, length) resolves to a Uint8Array of that length",
    cause,
  });

/** Bytes that went to another thread. */
export const sourceTransferred = (): SconceError =>
  new SconceError({
    code: "SOURCE_FAILED",
    message: "the source cannot be read: its bytes were transferred",
    fix: TRANSFERRED_FIX,
  });

export const sourceStalled = (milliseconds: number): SconceError =>
  new SconceError({
    code: "SOURCE_STALLED",
    message: `the source has sent nothing for ${milliseconds} milliseconds`,
    fix: "try again, or raise `limits.stallMilliseconds` for a slow source",
  });

export const sourceTooLarge = (size: number, limit: number): SconceError =>
  new SconceError({
    code: "SOURCE_TOO_LARGE",
    message: `the stream sent ${size} bytes and more, over the limit of ${limit}`,
    fix: "raise `limits.maxStreamBytes`, or pass a Blob or a RandomAccess",
  });

/** Returns the error for a file that is not the one that was opened. */
export const fileChanged = (path: string): SconceError =>
  new SconceError({
    code: "SOURCE_CHANGED",
    message: "the file was changed or replaced after the program was loaded from it",
    where: path,
    fix: "load the program again; read all weights with `loadValues` before the file may change",
  });

/** Returns the error for a file of another format than a program. */
export const otherFormatError = ({ name, fix }: OtherFormat, cause?: unknown): SconceError =>
  new SconceError({ code: "OTHER_FORMAT", message: `not a .pt2 file: it is ${name}`, fix, cause });

/** A format of text that the name of a file says: its name, and how to write it. */
interface NamedText {
  readonly title: string;
  readonly fix: string;
}

/** Most characters of a first line that a message shows. */
const MOST_OF_LINE = 60;

/**
 * Returns the error for a file with the name of a format of text that has another content.
 * @param other what it is; undefined for bytes that say nothing
 */
export function notText(
  { title, fix }: NamedText,
  other: OtherFormat | undefined,
  first: string,
): SconceError {
  const { name, isPlainText } = other ?? { name: "binary data of an unknown format", isPlainText: false };
  const begin = isPlainText ? ` that begins with ${JSON.stringify(first.slice(0, MOST_OF_LINE))}` : "";
  return new SconceError({ code: "OTHER_FORMAT", message: `not ${title}: it is ${name}${begin}`, fix });
}

/** Returns the error for an archive without a program that has the name of a format of text. */
export const namedAsText = ({ title, fix }: NamedText, error: SconceError): SconceError =>
  new SconceError({
    code: "OTHER_FORMAT",
    message: `not ${title}: it is a zip archive without a program (${error.message})`,
    where: error.where,
    fix,
    cause: error,
  });

/** Classes of broken archives; each is a separate code. */
export type ZipFault =
  | "ZIP_END_MISSING"
  | "ZIP_END_AMBIGUOUS"
  | "ZIP_TRAILING_DATA"
  | "ZIP_DIRECTORY"
  | "ZIP_HEADER_MISMATCH"
  | "ZIP_DUPLICATE"
  | "ZIP_NAME"
  | "ZIP_OVERLAP"
  | "ZIP_HIDDEN_DATA"
  | "ZIP_ENCRYPTED"
  | "ZIP_METHOD"
  | "ZIP_SYMLINK"
  | "ZIP_CRC"
  | "ZIP_DEFLATE"
  | "ZIP_BOMB"
  | "ZIP_SPLIT";

export const zipError = (
  code: ZipFault,
  message: string,
  where?: string,
  fix: string = DAMAGED,
): SconceError => new SconceError({ code, message, where, fix });

export type JsonFault = "JSON_SYNTAX" | "JSON_DEPTH" | "JSON_DUPLICATE_KEY" | "JSON_ENCODING";

export const jsonError = (code: JsonFault, message: string, where?: string, cause?: unknown): SconceError =>
  new SconceError({ code, message, where, fix: DAMAGED, cause });

/** Faults of the archive's layout and of the program in it. */
export type Pt2Fault =
  | "PT2_FORMAT"
  | "PT2_ROOT"
  | "PT2_VERSION"
  | "PT2_SCHEMA_VERSION"
  | "PT2_OPSET_VERSION"
  | "PT2_MISSING_RECORD"
  | "PT2_NO_MODEL"
  | "PT2_BYTE_ORDER"
  | "PT2_FIELD"
  | "PT2_UNION"
  | "PT2_TYPE"
  | "PT2_NAME"
  | "PT2_SIGNATURE"
  | "PT2_TARGET"
  | "PT2_ARGUMENT"
  | "PT2_WEIGHT"
  | "PT2_USE_PICKLE"
  | "PT2_RANGE"
  | "PT2_SUBGRAPH";

const AGAIN = "export the program again with torch.export.save of PyTorch 2.5 to 2.14";

/** What to do about a fault, where exporting again is not all. */
const FIXES: Readonly<Partial<Record<Pt2Fault, string>>> = {
  PT2_FORMAT: "give a file that torch.export.save wrote",
  PT2_ROOT: "give the file as torch.export.save wrote it",
  PT2_MISSING_RECORD: DAMAGED,
  PT2_NO_MODEL: "give a file that torch.export.save wrote",
  PT2_ARGUMENT: "register the operator with the schema that it was exported with",
  PT2_USE_PICKLE: "export the program with plain tensors instead of tensor subclasses or script objects",
  PT2_RANGE: "correct the dynamic_shapes of the export",
};

export const pt2Error = (
  code: Pt2Fault,
  message: string,
  where?: string,
  fix: string = FIXES[code] ?? AGAIN,
): SconceError => new SconceError({ code, message, where, fix });

const JSON_IR = "write the JSON again with `sconce ir`, or correct it";

/** Returns the error for a fault of JSON IR, named as the same fault of a program's JSON. */
export const jsonIRFault = (fault: Pt2Fault, message: string, where?: string, fix = JSON_IR): SconceError => {
  const code =
    fault === "PT2_FIELD" ? "JSON_IR_FIELD" : fault === "PT2_TYPE" ? "JSON_IR_TYPE" : "JSON_IR_GRAPH";
  return new SconceError({ code, message, where, fix });
};

/** Returns the error for an invalid depth at which modules are folded. */
export const diagramDepth = (depth: number): SconceError =>
  new SconceError({
    code: "DIAGRAM_DEPTH",
    message: `modules cannot be folded at the depth ${depth}`,
    where: "`fold`",
    fix: "give a whole number from 1 on: 1 folds the children of the model",
  });

/** Returns the error for a graph or a node of JSON IR that fits no program. */
export const jsonIRGraph = (message: string, where: string, fix = JSON_IR): SconceError =>
  new SconceError({ code: "JSON_IR_GRAPH", message, where, fix });

/** Returns the error for a part of a program that JSON IR does not have. */
export const jsonIRUnsupported = (message: string, where: string, fix: string): SconceError =>
  new SconceError({ code: "JSON_IR_UNSUPPORTED", message: `JSON IR cannot hold it: ${message}`, where, fix });

/** Returns the error for what a program holds and the format does not. */
export const notSavable = (message: string, where: string, fix?: string): SconceError =>
  new SconceError({
    code: "NOT_SAVABLE",
    message: `the program cannot be written as .pt2: ${message}`,
    where,
    fix: fix ?? "save it as IR text (.sir); if a pass made this, save the program before it",
  });

/**
 * Returns the error for a text that PyTorch would not take for a name only: it makes Python source
 * of names.
 */
export const unsafeText = (found: {
  readonly what: string;
  readonly text: string;
  readonly fault: string;
  readonly does: string;
  readonly where: string;
  readonly fix: string;
}): SconceError =>
  new SconceError({
    code: "UNSAFE_TEXT",
    message:
      `the program cannot be written as .pt2: ${found.what}, ${JSON.stringify(found.text.slice(0, 200))}, ${found.fault}; ` +
      `in PyTorch it ${found.does}`,
    where: found.where,
    fix: found.fix,
  });

export const extraFileName = (name: string, fault: string): SconceError =>
  new SconceError({
    code: "OPTION_VALUE",
    message: `the option "extraFiles" of save has a file ${JSON.stringify(name.slice(0, 200))}, which ${fault}`,
    where: "the options of save",
    fix: "name each file by a relative path with forward slashes, and give a text or a Uint8Array",
  });

export const programFileName = (name: string, fault: string): SconceError =>
  new SconceError({
    code: "OPTION_VALUE",
    message: `packagePt2 got a program named ${JSON.stringify(name.slice(0, 200))}, which ${fault}`,
    where: "the programs of packagePt2",
    fix: "name each program by a relative path with forward slashes, such as prefill or decoder:prefill",
  });

export const noPrograms = (): SconceError =>
  new SconceError({
    code: "OPTION_VALUE",
    message: "packagePt2 got no programs",
    where: "the programs of packagePt2",
    fix: "give an object of programs by name: { prefill, decode }",
  });

export const opsetVersionValue = (name: string, version: unknown): SconceError =>
  optionValue("save", "opsetVersion", `${name}: ${String(version)}`, "a whole number for each namespace");

export const unknownOperator = (target: string, node: string, where: string, known: boolean): SconceError =>
  new SconceError({
    code: "UNKNOWN_OPERATOR",
    message: known
      ? `node "${node}" calls "${target}": the operator exists, but not this overload`
      : `node "${node}" calls "${target}", which is not a known operator`,
    where,
    fix: "register it as a custom operator (a plugin's ops), or export the program without it",
  });

export const unknownPytreeType = (type: string, className: string, where: string): SconceError =>
  new SconceError({
    code: "UNKNOWN_PYTREE_TYPE",
    message: `the example inputs hold an object of ${className}, and the children of the registered class ${type} are unknown`,
    where,
    fix: `give \`pytreeTypes\` an entry named "${type}", or register the class as a dataclass in Python`,
  });

export const pickleError = (
  code: "PICKLE_FORBIDDEN" | "PICKLE_SYNTAX",
  message: string,
  where?: string,
): SconceError =>
  new SconceError({
    code,
    message,
    where,
    fix:
      code === "PICKLE_FORBIDDEN"
        ? "save the value as plain tensors; Sconce never runs pickled code"
        : DAMAGED,
  });

/** Returns the error for a file that the operating system does not open or read. */
export const fileFailed = (path: string, cause: Error & { readonly code?: string }): SconceError =>
  new SconceError({
    code: "FILE",
    ...fileFault(path, cause.code ?? "", cause.message),
    cause,
  });

/** Returns the error for a file that cannot be written: the operating system's reason in words. */
export function writeFailed(path: string, cause: unknown): SconceError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new SconceError({ code: "FILE", ...fileFault(path, systemCode(cause) ?? "", message), cause });
}

/** Returns the error for a folder to write to that does not exist. */
export const noFolder = (path: string, cause: unknown): SconceError =>
  new SconceError({
    code: "FILE",
    message: `there is no folder ${path}`,
    fix: `make the folder first (mkdir -p ${shellPath(path)}), or write to another one`,
    cause,
  });

/** Returns the error for a path to write to that is a folder, a device or a pipe. */
export const notAFile = (path: string, isFolder: boolean): SconceError =>
  new SconceError({
    code: "FILE",
    message: isFolder ? `${path} is a folder, not a file` : `${path} is a device or a pipe, not a file`,
    fix: "give the path of a file, or - for standard output; nothing was written",
  });
