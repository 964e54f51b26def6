/**
 * @file What an archive would make PyTorch execute or evaluate. The archive is only looked at:
 * nothing in it is executed, evaluated, imported or built.
 */
import { type Budget, checkOptions, isSconceError, type OptionNames, throwIfAborted } from "@sconce/errors";
import { parseJson } from "../json/parse.js";
import { JsonObject, type JsonValue } from "../json/value.js";
import { toRandomAccess } from "../open-source.js";
import { isZip } from "../other-format.js";
import { budgetFor } from "../pt2/assemble.js";
import { LIMITS, type ReadPt2Options } from "../pt2/options.js";
import { FLAT_RECORDS, RECORDS } from "../pt2/schema.js";
import type { ByteSource } from "../source.js";
import { ZipArchive } from "../zip/archive.js";
import { inflate } from "../zip/inflate.js";
import type { SecurityFinding, SecurityReport } from "./finding.js";
import { scanProgramJson } from "./scan-json.js";
import { scanPickle } from "./scan-pickle.js";

export type { SecurityFinding, SecurityReport } from "./finding.js";
export { programNameFindings } from "./program-names.js";

/** Bounds on the work, and how to stop. */
export type SecurityOptions = Pick<ReadPt2Options, "limits" | "budget" | "signal">;

const OPTIONS: OptionNames<SecurityOptions> = { limits: true, budget: true, signal: true };

/** Makers of tensors, their storages and plain containers. */
const TENSOR_GLOBAL =
  /^(?:torch\._utils\._rebuild_(?:tensor_v2|tensor_v3|meta_tensor_no_storage|parameter|parameter_with_state)|torch\._export\.serde\.serialize\._reconstruct_fake_tensor|torch\._tensor\._rebuild_from_type_v2|torch\.nn\.parameter\.Parameter|torch\.(?:Tensor|Size|device)|torch\.(?:Double|Float|Half|BFloat16|Long|Int|Short|Char|Byte|Bool|ComplexDouble|ComplexFloat)Storage|torch\.storage\.UntypedStorage|torch\.(?:float|u?int|bfloat|complex)\d+\w*|torch\.bool|collections\.(?:OrderedDict|deque|defaultdict)|_codecs\.encode|(?:__builtin__|builtins)\.(?:list|dict|set|int|float|complex))$/;

/** What `ABORTED` calls the work. */
const WORK = "security report";
const NATIVE = /\.(?:so|dylib|dll|pyd|cubin|hsaco|o|a)$/i;
const SOURCE = /\.(?:py|cpp|cc|c|cu|h|hpp|sh)$/i;

/**
 * Reports everything in a `.pt2` file that PyTorch would execute, evaluate or import when it loads
 * or runs the program: pickles with the names that they import, expressions, guards, objects,
 * custom operators, compiled code. Files that `readPt2` refuses are reported as far as their
 * entries can be read.
 * @throws SconceError `ZIP_*` for what is not an archive, `BUDGET_EXCEEDED`, `SOURCE_*`, `ABORTED`
 */
export async function securityReport(
  source: ByteSource,
  options: SecurityOptions = {},
): Promise<SecurityReport> {
  checkOptions("securityReport", options, OPTIONS);
  checkOptions("securityReport (limits)", options.limits, LIMITS);
  const access = await toRandomAccess(source, { ...options, work: WORK });
  const budget = budgetFor(options, access.size);
  const zip = await ZipArchive.open(access, { budget });
  const findings: SecurityFinding[] = [];
  const report = (finding: SecurityFinding): void => void findings.push(finding);
  const pickled = await pickledPayloads(zip, budget);
  for (const name of zip.names()) {
    throwIfAborted(options.signal, WORK);
    try {
      await scanEntry(zip, name, { budget, pickled, report });
    } catch (error) {
      if (!isSconceError(error) || !/^(?:ZIP|JSON|SYM)_/.test(error.code)) throw error;
      report({
        kind: "unreadable",
        where: name,
        names: [error.message],
        does: "it could not be looked at",
        isPlain: false,
      });
    }
  }
  return { findings, isPlain: findings.every(({ isPlain }) => isPlain) };
}

type Report = (finding: SecurityFinding) => void;

/** What a scan needs beside the entry. */
interface ScanContext {
  readonly budget: Budget;
  readonly pickled: ReadonlySet<string>;
  readonly report: Report;
}

async function scanEntry(
  zip: ZipArchive,
  name: string,
  { budget, pickled, report }: ScanContext,
): Promise<void> {
  const record = name.slice(name.indexOf("/") + 1);
  if (NATIVE.test(name)) report(code("native-code", name, "a loader of compiled models loads it"));
  else if (SOURCE.test(name)) report(code("script", name, "a loader of compiled models compiles it"));
  const isProgram =
    (record.startsWith(RECORDS.models) && record.endsWith(".json")) || name === FLAT_RECORDS.program;
  if (isProgram) {
    scanProgramJson(await zip.read(name), name, budget, report);
    return;
  }
  const loader =
    loaderOf(record, name) ?? (pickled.has(name) ? "torch.load(weights_only=False) reads it" : undefined);
  // Every entry is read, so that a damaged one is reported.
  const bytes = await zip.read(name);
  if (loader !== undefined && bytes.length > 0) scanPickled(bytes, name, loader, budget, report);
}

const code = (kind: "native-code" | "script", name: string, does: string): SecurityFinding => ({
  kind,
  where: name,
  names: [name],
  does,
  isPlain: false,
});

/** Returns what loads an entry that holds pickled objects; undefined for other entries. */
function loaderOf(record: string, name: string): string | undefined {
  if (record.startsWith(`${RECORDS.constants}custom_obj_`))
    return "torch._C._pickle_load_obj makes the object";
  if (record.startsWith(`${RECORDS.constants}opaque_obj_`)) return "pickle.loads makes the object";
  if (record.startsWith(RECORDS.sampleInputs) || name === FLAT_RECORDS.sampleInputs)
    return "torch.load(weights_only=True) reads it; where that fails, torch.load(weights_only=False)";
  return record.endsWith(".pt") || name.endsWith(".pt") || name.endsWith(".pkl")
    ? "torch.load(weights_only=False) reads it"
    : undefined;
}

/** Returns the entries of weights and constants that are pickled, as their configurations say. */
async function pickledPayloads(zip: ZipArchive, budget: Budget): Promise<ReadonlySet<string>> {
  const pickled = new Set<string>();
  for (const name of zip.names()) {
    if (!/_(?:weights|constants)_config\.json$/.test(name)) continue;
    const config = await readConfig(zip, name, budget);
    for (const payload of config instanceof JsonObject ? config.values : []) {
      const path = payload instanceof JsonObject ? payload.get("path_name") : undefined;
      if (typeof path === "string" && (payload as JsonObject).get("use_pickle") !== false)
        pickled.add(name.slice(0, name.lastIndexOf("/") + 1) + path);
    }
  }
  return pickled;
}

/** Returns the entries of a configuration. A damaged one names nothing; its entry is reported. */
async function readConfig(zip: ZipArchive, name: string, budget: Budget): Promise<JsonValue | undefined> {
  try {
    const json = parseJson(await zip.read(name), name, budget);
    return json instanceof JsonObject ? json.get("config") : undefined;
  } catch (error) {
    if (isSconceError(error) && /^(?:ZIP|JSON)_/.test(error.code)) return undefined;
    throw error;
  }
}

/** A file of `torch.save`: an archive with pickles in it, or a pickle. */
function scanPickled(bytes: Uint8Array, where: string, does: string, budget: Budget, report: Report): void {
  if (!isZip(bytes)) {
    report(pickleFinding(bytes, where, does, budget));
    return;
  }
  const zip = ZipArchive.openSync(bytes, inflate, { budget });
  for (const name of zip.names()) {
    const at = `${where} ${name}`;
    if (name.endsWith(".pkl")) report(pickleFinding(zip.readSync(name), at, does, budget));
    else if (SOURCE.test(name) || /(?:^|\/)code\//.test(name))
      report(code("script", at, "torch.jit.load runs it"));
  }
}

function pickleFinding(bytes: Uint8Array, where: string, does: string, budget: Budget): SecurityFinding {
  const { globals, problem } = scanPickle(bytes, budget, where);
  const names = problem === undefined ? globals : [...globals, `(${problem})`];
  return { kind: "pickle", where, names, does, isPlain: names.every((name) => TENSOR_GLOBAL.test(name)) };
}
