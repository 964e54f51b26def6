/** @file `.pt2` archives: `torch.export.save` of PyTorch 2.14, from the program alone. */
import {
  checkOptions,
  finishWithPauses,
  isSconceError,
  optionValue,
  PAUSE_MS,
  ProgressReport,
  pause,
  throwIfAborted,
  userCallback,
  visibleLine,
  type Work,
} from "@sconce/errors";
import {
  type DeviceLiteral,
  type ExportedProgram,
  FakeTensor,
  type Graph,
  type Node,
  opaqueCalls,
} from "@sconce/ir";
import { extraFileName, noPrograms, opsetVersionValue, programFileName } from "../../errors.js";
import { torchFilePieces } from "../../torch-save/write-file.js";
import { nameFault } from "../../zip/entry-name.js";
import { utf8 } from "../../zip/utf8.js";
import { bytesEntry, joinPieces, textEntry, type ZipContent, zipStream } from "../../zip/write.js";
import { ARCHIVE_FORMAT, ARCHIVE_VERSION, MODEL, RECORDS } from "../schema.js";
import { requireSafeTexts } from "../text/check.js";
import { treeTexts } from "../text/tree-texts.js";
import { equalStorages } from "./equal-storages.js";
import { PACKAGE_OPTIONS, type PackagePt2Options, WRITE_OPTIONS, type WritePt2Options } from "./options.js";
import { programJson } from "./program.js";
import { inputPlaces, isUnwritable, sampleInputsOf } from "./sample-inputs.js";
import { ValueWriter } from "./values.js";
import { type EqualStorages, RecordFolder, type StreamedContent } from "./weights.js";

export { joinPieces } from "../../zip/write.js";
export type { PackagePt2Options, WritePt2Options } from "./options.js";

/** The folder that PyTorch uses where a program is not saved to a path. */
const FOLDER = "archive";
/** The version of PyTorch's own form of zip archives. */
const ZIP_VERSION = "6\n";

/** Programs by the names that the file has for them. */
export type NamedPrograms = ReadonlyMap<string, ExportedProgram>;

/**
 * Yields the bytes of a `.pt2` file, piece by piece: tensors are views of the program's own memory,
 * or come from the file that they are still in, and stay out of memory. What the program lacks
 * fails before the first piece. The same program gives the same bytes. Values whose names are not
 * Python identifiers get others in the file, which a warning lists.
 * @throws SconceError `NOT_SAVABLE` with the node, `UNSAFE_TEXT`, `OPTION_VALUE`, `ABORTED`,
 * `OBSERVER_FAILED`, `TREE_NOT_SERIALIZABLE`
 */
export async function* pt2Pieces(
  program: ExportedProgram,
  options: WritePt2Options = {},
): AsyncGenerator<Uint8Array, void> {
  checkOptions("save", options, WRITE_OPTIONS);
  yield* archivePieces(new Map([[MODEL, program]]), options);
}

/**
 * Yields the same for several programs, in the order and with the names of `package_pt2`. Weights
 * that several programs share are one record, which each program's configuration names.
 * @throws SconceError as {@link pt2Pieces}; the place begins with the name of the program
 */
export async function* packagePieces(
  programs: NamedPrograms,
  options: PackagePt2Options = {},
): AsyncGenerator<Uint8Array, void> {
  checkOptions("packagePt2", options, PACKAGE_OPTIONS);
  const { sharedWeights = "memory", ...rest } = options;
  if (sharedWeights !== "memory" && sharedWeights !== "content")
    throw optionValue("packagePt2", "sharedWeights", sharedWeights, '"memory" or "content"');
  checkProgramNames([...programs.keys()]);
  const equal = sharedWeights === "content" ? await equalStorages(programs, options.signal) : new Map();
  yield* archivePieces(programs, rest, equal);
}

async function* archivePieces(
  programs: NamedPrograms,
  options: WritePt2Options,
  equal: EqualStorages = new Map(),
): AsyncGenerator<Uint8Array, void> {
  const { signal, folder = FOLDER } = options;
  const onProgress = userCallback("save", options.onProgress);
  const entries = await finishWithPauses(entriesOf(programs, options, equal), "save", signal);
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  const progress = new ProgressReport("save", onProgress, total);
  progress.at(0, entries[0]?.name ?? "");
  let [done, last] = [0, performance.now()];
  const counted = entries.map((entry) => ({ ...entry, pieces: count(entry) }));
  async function* count({ name, pieces }: StreamedContent): AsyncGenerator<Uint8Array, void> {
    for await (const piece of pieces) {
      yield piece;
      done += piece.length;
      progress.at(done, name);
    }
  }
  for await (const piece of zipStream(folder, counted)) {
    throwIfAborted(signal, "save");
    yield piece;
    if (performance.now() - last < PAUSE_MS) continue;
    await pause();
    last = performance.now();
  }
  throwIfAborted(signal, "save");
  progress.end();
}

/** Returns all entries in PyTorch's order; only tensors are not in memory twice. */
function* entriesOf(
  programs: NamedPrograms,
  options: WritePt2Options,
  equal: EqualStorages,
): Work<StreamedContent[]> {
  const extra = extraEntries(options);
  const opsetVersion = checkedOpset(options);
  const weights = new RecordFolder(RECORDS.weights, "weight_", equal);
  const constants = new RecordFolder(RECORDS.constants, "tensor_", equal);
  const entries: StreamedContent[] = [];
  for (const [name, program] of programs) {
    const named = programs.size === 1 ? options : inProgram(name, options);
    try {
      entries.push(
        ...(yield* programEntries(name, program, { ...named, opsetVersion }, { weights, constants })),
      );
    } catch (error) {
      throw programs.size > 1 && isSconceError(error) ? error.at(programPlace(name)) : error;
    }
  }
  return [
    ...entries,
    ...extra,
    textEntry(RECORDS.format, ARCHIVE_FORMAT),
    textEntry(RECORDS.version, ARCHIVE_VERSION),
    textEntry(RECORDS.zipVersion, ZIP_VERSION),
    textEntry(RECORDS.byteOrder, "little"),
  ];
}

const programPlace = (name: string): string => `program "${visibleLine(name)}"`;

/** Warnings that say which of several programs they are about. */
const inProgram = (name: string, { onWarning, ...rest }: WritePt2Options): WritePt2Options => ({
  ...rest,
  onWarning: onWarning && ((message) => onWarning(`${programPlace(name)}: ${message}`)),
});

/** Returns the entries of one program. */
function* programEntries(
  name: string,
  program: ExportedProgram,
  options: WritePt2Options,
  folders: { readonly weights: RecordFolder; readonly constants: RecordFolder },
): Work<StreamedContent[]> {
  const { signal, operators, opsetVersion } = options;
  requireSafeTexts(program);
  const values = new ValueWriter(program.symbolHints);
  const devices = devicesOf(program);
  const deviceOf = (tensor: string): DeviceLiteral | undefined => devices.get(tensor);
  const renamed = new Map<string, string>();
  const onRenamed = (value: string, given: string): void => void renamed.set(value, given);
  const model = { operators, opsetVersion, values, onRenamed };
  const json = textEntry(`${RECORDS.models}${name}.json`, yield* programJson(program, model));
  const isParameter = (tensor: string): boolean => program.parameterNames.has(tensor);
  const ofState = { values, isParameter, deviceOf, signal };
  const ofConstants = { values, isParameter: () => false, deviceOf, signal };
  warnOfRenamed(renamed, options);
  warnOfImports(program, options);
  warnOfOpaque(program, options);
  warnOfUnloadable(program, options);
  return [
    ...folders.weights.entries(program.stateDict, `${name}_weights_config.json`, ofState),
    ...folders.constants.entries(program.constants, `${name}_constants_config.json`, ofConstants),
    json,
    bytesEntry(`${RECORDS.sampleInputs}${name}.pt`, sampleInputs(program, options)),
  ];
}

/**
 * Returns the saved sample inputs; none for a program without them, and where Python would need a
 * class.
 */
function sampleInputs(program: ExportedProgram, { onWarning }: WritePt2Options): Uint8Array {
  const inputs = sampleInputsOf(program);
  if (isUnwritable(inputs)) {
    onWarning?.(`the example inputs are left out of the file: ${inputs.reason}`);
    return new Uint8Array();
  }
  return inputs === null ? new Uint8Array() : joinPieces(torchFilePieces(inputs, inputPlaces(program)));
}

/** PyTorch makes Python source of the names of values. */
function warnOfRenamed(renamed: ReadonlyMap<string, string>, { onWarning }: WritePt2Options): void {
  if (renamed.size === 0) return;
  const shown = [...renamed].slice(0, 10).map(([name, given]) => `${JSON.stringify(name)} as ${given}`);
  const rest = renamed.size > shown.length ? `, and ${renamed.size - shown.length} more` : "";
  onWarning?.(`names that are not Python identifiers are renamed in the file: ${shown.join(", ")}${rest}`);
}

/** Factories and enumerations in trees are named by their modules, which PyTorch imports. */
function warnOfImports({ moduleCallGraph }: ExportedProgram, { onWarning }: WritePt2Options): void {
  if (onWarning === undefined) return;
  const found = new Set<string>();
  for (const { signature } of moduleCallGraph)
    for (const spec of signature === null ? [] : [signature.inSpec, signature.outSpec])
      treeTexts(spec, (kind, text) => {
        if (kind === "import" && !text.startsWith("builtins.")) found.add(text);
      });
  if (found.size > 0)
    onWarning(`torch.export.load imports the modules of ${[...found].slice(0, 10).join(", ")}`);
}

/** PyTorch resolves operators when it loads a program. */
function warnOfOpaque({ graph }: ExportedProgram, { operators, onWarning }: WritePt2Options): void {
  if (operators === undefined || onWarning === undefined) return;
  const targets = [...new Set(opaqueCalls(graph, operators).map(({ target }) => target))];
  if (targets.length === 0) return;
  onWarning(
    `the program calls operators that PyTorch does not have: ${targets.slice(0, 10).join(", ")}; ` +
      "import the library that registers them before torch.export.load",
  );
}

/** PyTorch writes these, too, and then does not load its own file. */
function warnOfUnloadable({ graph, graphSignature }: ExportedProgram, { onWarning }: WritePt2Options): void {
  const isText = graphSignature.outputSpecs.some(
    ({ arg }) => arg.kind === "constant" && typeof arg.value === "string",
  );
  if (isText) onWarning?.("the program returns a text, which torch.export.load does not read");
  const region = emptyRegion(graph);
  if (region !== undefined)
    onWarning?.(`node "${region}" is a region without results, which torch.export.load does not read`);
}

/** Returns the first call of a region that gives nothing, in nested graphs too. */
function emptyRegion(graph: Graph): string | undefined {
  const isEmpty = ({ target, meta: { val } }: Node): boolean =>
    target.startsWith("higher_order.") && Array.isArray(val) && val.length === 0;
  const found = graph.nodes().find(isEmpty)?.name;
  if (found !== undefined) return found;
  for (const nested of graph.subgraphs.values()) {
    const inner = emptyRegion(nested);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** @throws SconceError `OPTION_VALUE` */
function extraEntries({ extraFiles = {} }: WritePt2Options): ZipContent[] {
  return Object.entries(extraFiles).map(([name, content]) => {
    const fault = name.endsWith("/") ? "is a folder" : nameFault(name);
    if (fault !== undefined) throw extraFileName(name, fault);
    if (typeof content !== "string" && !(content instanceof Uint8Array))
      throw extraFileName(name, "holds neither a text nor bytes");
    return bytesEntry(RECORDS.extra + name, typeof content === "string" ? utf8(content) : content);
  });
}

/**
 * Names become those of entries: readers refuse those that climb out of the archive, and those that
 * are the same on some file system.
 * @throws SconceError `OPTION_VALUE`
 */
function checkProgramNames(names: readonly string[]): void {
  if (names.length === 0) throw noPrograms();
  const seen = new Map<string, string>();
  for (const name of names) {
    const fault = name === "" || name.endsWith("/") ? "is not a file name" : nameFault(name);
    if (fault !== undefined) throw programFileName(name, fault);
    const key = name.normalize("NFC").toLowerCase();
    const other = seen.get(key);
    if (other !== undefined) throw programFileName(name, `is the same file as ${JSON.stringify(other)}`);
    seen.set(key, name);
  }
}

/** @throws SconceError `OPTION_VALUE` */
function checkedOpset({ opsetVersion }: WritePt2Options): WritePt2Options["opsetVersion"] {
  for (const [name, version] of Object.entries(opsetVersion ?? {}))
    if (!Number.isSafeInteger(version)) throw opsetVersionValue(name, version);
  return opsetVersion;
}

/** Devices of the tensors, which the inputs of the graph have. */
function devicesOf({ graph, graphSignature }: ExportedProgram): Map<string, DeviceLiteral> {
  const devices = new Map<string, DeviceLiteral>();
  for (const { arg, target } of graphSignature.inputSpecs) {
    const val = target === null ? undefined : graph.find(arg.name)?.meta.val;
    if (val instanceof FakeTensor) devices.set(target!, val.device);
  }
  return devices;
}
