/**
 * @file Names the format of a file that holds no program, by its first bytes or its zip entries.
 */

/** A format that holds no exported program. */
export interface OtherFormat {
  /** The format with its article: `a safetensors file`. */
  readonly name: string;
  /** What to do with such a file. */
  readonly fix: string;
  /** Whether it is text without any sign of a format: IR text with a fault looks like it. */
  readonly isPlainText: boolean;
}

/** Bytes at the start of a file that decide. */
export const START_BYTES = 4096;

const EXPORT = 'export the model in Python: torch.export.save(torch.export.export(model, args), "model.pt2")';
const UNPACK = "unpack it, and give the .pt2 file";
const DOWNLOAD = "download the file itself; the address may need a login or another link";

const format = (name: string, fix: string, isPlainText = false): OtherFormat => ({
  name,
  fix,
  isPlainText,
});

/** Formats by bytes at a fixed place. */
const MAGIC: readonly (readonly [offset: number, bytes: string, name: string, fix: string])[] = [
  [0, "\x89PNG\r\n\x1a\n", "a PNG image", EXPORT],
  [0, "\xff\xd8\xff", "a JPEG image", EXPORT],
  [0, "GIF8", "a GIF image", EXPORT],
  [0, "%PDF", "a PDF document", EXPORT],
  [0, "\x89HDF\r\n\x1a\n", "an HDF5 file (Keras, for example)", `it holds no PyTorch program; ${EXPORT}`],
  [0, "\x93NUMPY", "a NumPy .npy file", "it holds an array; write tensors with safetensors.torch.save_file"],
  [0, "GGUF", "a GGUF file", `it holds weights without a program; ${EXPORT}`],
  [0, "ggjt", "a GGML file", `it holds weights without a program; ${EXPORT}`],
  [4, "TFL3", "a TensorFlow Lite model", EXPORT],
  [4, "ET12", "an ExecuTorch program (.pte)", `give the .pt2 file that it was made of, or ${EXPORT}`],
  [0, "\x1f\x8b", "a gzip file", UNPACK],
  [0, "BZh", "a bzip2 file", UNPACK],
  [0, "\xfd7zXZ\0", "an xz file", UNPACK],
  [0, "\x28\xb5\x2f\xfd", "a Zstandard file", UNPACK],
  [0, "7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK],
  [0, "Rar!", "a RAR archive", UNPACK],
  [257, "ustar", "a tar archive", `${UNPACK}; for a file of torch.save before 1.0, ${EXPORT}`],
  [0, "SQLite format 3\0", "an SQLite database", EXPORT],
  [0, "\x7fELF", "an ELF program or library", EXPORT],
  [0, "\xcf\xfa\xed\xfe", "a Mach-O program or library", EXPORT],
  [0, "MZ", "a Windows program or library", EXPORT],
  [0, "RIFF", "a RIFF file (WebP, WAV or AVI)", EXPORT],
  [0, "\xff\xfe", "text in UTF-16", "write it as UTF-8; PowerShell's `>` writes UTF-16, `-o FILE` does not"],
  [0, "\xfe\xff", "text in UTF-16", "write it as UTF-8"],
];

/** Formats of text by how they begin, line ends and blanks aside. */
const TEXTS: readonly (readonly [start: RegExp, name: string, fix: string])[] = [
  [
    /^version https:\/\/git-lfs\.github\.com\//,
    "a Git LFS pointer, which represents the file",
    "fetch the file itself: git lfs pull",
  ],
  [/^(<!doctype html|<html|<head|<script)/i, "an HTML page (of a login or an error, for example)", DOWNLOAD],
  [/^<\?xml|^<svg/, "XML text", DOWNLOAD],
  [
    /^(ExportedProgram:|class GraphModule\(|graph\(\):)/,
    "the printed text of a program, which cannot be read back",
    "give the .pt2 file, or write IR text: sconce print model.pt2 --format ir",
  ],
  [/^(module\s*(@[\w."]+\s*)?(attributes\s*)?\{|#map)/, "MLIR text", EXPORT],
  [/^\s*\{\s*"(nbformat|cells)"/, "a Jupyter notebook", `run this in it: ${EXPORT}`],
  [/^[{[]/, "JSON text", EXPORT],
  // A fenced block before any code: the lines in front of it are not Python.
  [/^(?:(?!(?:import|from|class|def|async)\s|["']{3}|#!).*\n)*?(?:`{3}|~{3})/, "a Markdown document", EXPORT],
  [
    /^(#!.*\bpython|#.*coding[:=]|(import|from)\s+[\w.]+(\s+import\b|\s*$)|(async\s+)?def\s+\w+\s*\(|class\s+\w+[:(]|@\w[\w.]*(\(.*)?$)/m,
    "Python source",
    `run it in Python, with this in it: ${EXPORT}`,
  ],
];

/**
 * Returns what a file is that is no `.pt2` archive, by its first {@link START_BYTES} bytes and its
 * size; undefined for a zip archive, and for bytes that say nothing.
 */
export function otherFormat(start: Uint8Array, size: number = start.length): OtherFormat | undefined {
  if (size === 0) return format("an empty file", "copy or write the file again: it has no bytes");
  const magic = MAGIC.find(([offset, bytes]) => startsWith(start, bytes, offset));
  if (magic !== undefined) return format(magic[2], magic[3]);
  return pickle(start) ?? safetensors(start, size) ?? onnx(start) ?? text(start);
}

const startsWith = (start: Uint8Array, bytes: string, offset = 0): boolean =>
  start.length >= offset + bytes.length &&
  Array.from(bytes).every((char, i) => start[offset + i] === char.charCodeAt(0));

/** Returns whether bytes begin as a zip archive does. */
export const isZip = (bytes: Uint8Array): boolean => startsWith(bytes, "PK\x03\x04");

/** The number that begins files of `torch.save` up to 1.5, as a pickle. */
const TORCH_MAGIC = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e";

function pickle(start: Uint8Array): OtherFormat | undefined {
  const isPickle = start[0] === 0x80 && start[1]! >= 2 && start[1]! <= 5;
  if (!isPickle) return undefined;
  const name = startsWith(start, TORCH_MAGIC)
    ? "a file of torch.save in its old format (a pickle)"
    : "a Python pickle";
  return format(name, `load it in Python, and ${EXPORT}; Sconce never runs pickles`);
}

/** Eight bytes with the length of the header, which is a JSON object. */
function safetensors(start: Uint8Array, size: number): OtherFormat | undefined {
  if (start.length < 10 || start[8] !== 0x7b) return undefined;
  const length = new DataView(start.buffer, start.byteOffset, 8).getBigUint64(0, true);
  if (length < 2n || length > BigInt(Math.max(size, 100_000_000))) return undefined;
  return format("a safetensors file", `it holds tensors without a program; ${EXPORT}`);
}

/**
 * Returns a protobuf message with `ir_version`, then the producer's name, the graph or the operator
 * sets.
 */
function onnx(start: Uint8Array): OtherFormat | undefined {
  const [tag, version = 0, next = 0, length = 0] = start;
  if (tag !== 0x08 || version === 0 || version > 30) return undefined;
  const name = start.subarray(4, 4 + length);
  const isNamed = next === 0x12 && length > 0 && name.length === length && name.every(isPrintable);
  if (!isNamed && next !== 0x3a && next !== 0x42) return undefined;
  return format("an ONNX model (protobuf)", `give the model that it was made of, or ${EXPORT}`);
}

const isPrintable = (byte: number): boolean => byte >= 0x20 && byte < 0x7f;

function text(start: Uint8Array): OtherFormat | undefined {
  const decoded = decode(start);
  if (decoded === undefined) return undefined;
  const trimmed = decoded.replace(/^\ufeff?\s*/, "");
  const found = TEXTS.find(([pattern]) => pattern.test(trimmed));
  if (found !== undefined) return format(found[1], found[2]);
  return format("a text file", `give a .pt2 file or IR text (.sir), or ${EXPORT}`, true);
}

/**
 * Returns the text of bytes without control characters; a character that the end cuts off is left
 * out.
 */
function decode(start: Uint8Array): string | undefined {
  try {
    const decoded = new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    return /[^\P{Cc}\s]/u.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** Returns what a zip archive is, by the names of its entries; undefined where they do not say. */
export function otherZip(names: Iterable<string>): OtherFormat | undefined {
  const all = [...names];
  const has = (pattern: RegExp): boolean => all.some((name) => pattern.test(name));
  if (all.length === 0) return undefined;
  if (has(/(^|\/)archive_format$/) || has(/^serialized_exported_program\.json$/)) return undefined;
  if (has(/^[^/]+\/constants\.pkl$/) && has(/^[^/]+\/code\//))
    return format("a TorchScript archive (torch.jit.save)", `load the model in Python, and ${EXPORT}`);
  if (has(/^[^/]+\/data\.pkl$/))
    return format(
      "a file of torch.save (a checkpoint)",
      `it holds pickled objects without a program; ${EXPORT}`,
    );
  if (all.every((name) => name.endsWith(".npy")))
    return format("a NumPy .npz archive", "it holds arrays; write tensors with safetensors.torch.save_file");
  if (has(/^model\.weights\.h5$/)) return format("a Keras model (.keras)", EXPORT);
  if (has(/^\[Content_Types\]\.xml$/)) return format("an Office document", EXPORT);
  if (has(/^META-INF\//) || has(/\.dist-info\//)) return format("a package (.jar or .whl)", EXPORT);
  const inner = all.find((name) => name.endsWith(".pt2"));
  if (inner !== undefined) return format(`a zip archive with ${JSON.stringify(inner)} in it`, UNPACK);
  return undefined;
}

const SAVE = "write tensors in Python: safetensors.torch.save_file({...}, path)";

/**
 * Returns what a file is that should be a safetensors file; undefined for one, and for bytes that
 * say nothing.
 */
export function tensorFormat(bytes: Uint8Array): OtherFormat | undefined {
  const start = bytes.subarray(0, START_BYTES);
  if (safetensors(start, bytes.length) !== undefined) return undefined;
  if (isZip(start)) return format("a zip archive (of torch.save or NumPy, for example)", SAVE);
  const other = otherFormat(start, bytes.length);
  return other && { ...other, fix: SAVE };
}
