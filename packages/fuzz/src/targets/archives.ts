/** @file Targets of archives: their records, their JSON, their pickles, reports of them. */
import {
  calledNamespaces,
  loadPt2,
  type PT2ArchiveContents,
  pt2ProgramNames,
  readPt2,
} from "@sconce/formats";
import { isZip, otherFormat, tensorFormat } from "@sconce/formats/other-formats";
import { type SecurityReport, securityReport } from "@sconce/session";
import { unzipSync, zipSync } from "fflate";
import type { FuzzTarget } from "../support/driver.js";
import { mutateBytes, mutateJsonText, type Random } from "../support/random.js";
import { BASES, OLD_LAYOUTS, SYMBOLIC, session } from "./bases.js";
import { expression } from "./expressions.js";
import { mutatePickle, pickledValue } from "./pickles.js";
import { useProgram } from "./use-program.js";
import { mutateZip } from "./zips.js";

type Records = Readonly<Record<string, Uint8Array>>;
const packed = (records: Records): Uint8Array => zipSync(records, { level: 0 });

const UNPACKED = new Map<Uint8Array, Records>();

/** Returns the entries of an archive; those of the fixtures are unpacked once. */
function recordsOf(bytes: Uint8Array): Records {
  const records = UNPACKED.get(bytes) ?? unzipSync(bytes);
  if (BASES.includes(bytes)) UNPACKED.set(bytes, records);
  return records;
}

/** Returns an archive with a change to the JSON of one of its entries, most often the program. */
function mutateRecords(bytes: Uint8Array, random: Random): Uint8Array {
  const records = recordsOf(bytes);
  const documents = Object.keys(records).filter((name) => name.endsWith(".json"));
  const name = random.once(5) ? random.pick(documents) : documents.find((one) => one.includes("models/"))!;
  const text = mutateJsonText(Buffer.from(records[name]!).toString(), random, [], 6);
  return packed({ ...records, [name]: Buffer.from(text) });
}

/** Returns an archive in which some of the sizes and numbers are other expressions. */
function withExpressions(bytes: Uint8Array, random: Random): Uint8Array {
  const records = recordsOf(bytes);
  const name = Object.keys(records).find((one) => /models\/.*\.json$/.test(one))!;
  const text = Buffer.from(records[name]!)
    .toString()
    .replaceAll(/("expr_str": ?)"(?:[^"\\]|\\.)*"/g, (all, key: string) =>
      random.once(3) ? `${key}${JSON.stringify(expression(random, 3))}` : all,
    );
  return packed({ ...records, [name]: Buffer.from(text) });
}

const SAMPLES = /sample_inputs\/.*\.pt$/;
const samplesName = (records: Records): string => Object.keys(records).find((name) => SAMPLES.test(name))!;

function withSamples(file: Uint8Array): Uint8Array {
  const records = recordsOf(BASES[0]!);
  return packed({ ...records, [samplesName(records)]: file });
}

/** Returns an archive whose sample inputs are `((value, value), {})`, or those of a fixture. */
function pickled(random: Random): Uint8Array {
  if (random.once(2)) return random.pick(BASES);
  const leaf = (): number[] => pickledValue(random, random.once(4) ? 2 : 0);
  const data = [0x80, 2, ...leaf(), ...leaf(), 0x86, 0x7d, 0x86, 0x2e];
  return withSamples(packed({ "m/data.pkl": Uint8Array.from(data), "m/version": Uint8Array.of(0x33) }));
}

/** Changes the pickle of the sample inputs. */
function mutateSamples(bytes: Uint8Array, random: Random): Uint8Array {
  const records = recordsOf(bytes);
  const inner = unzipSync(records[samplesName(records)]!);
  const name = Object.keys(inner).find((one) => one.endsWith("data.pkl"))!;
  const mutate = random.once(4) ? mutateBytes : mutatePickle;
  return withSamples(packed({ ...inner, [name]: mutate(inner[name]!, random) }));
}

/** Any of the mutations of archives. */
const mutateAny = (bytes: Uint8Array, random: Random): Uint8Array =>
  random.pick([mutateRecords, mutateSamples, mutateZip, mutateBytes])(bytes, random);

/** How files of some formats begin. */
const STARTS = [
  "\x89PNG\r\n\x1a\n",
  "\x93NUMPY\x01\x00",
  "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e",
  "\x08\x08\x12\x07pytorch",
  "\x40\0\0\0\0\0\0\0{}",
  "PK\x03\x04",
  "<!doctype html>",
  "\ufeff{",
];

/** The targets of this file. */
export const ARCHIVE_TARGETS: readonly FuzzTarget<Uint8Array>[] = [
  {
    name: "JSON of archives",
    readers: ["readPt2"],
    generate: (random) => random.pick(BASES),
    mutate: mutateRecords,
    read: (bytes) => session.load(bytes),
    use: useProgram,
  },
  {
    name: "sizes in archives",
    readers: ["readPt2"],
    generate: (random) => random.pick(SYMBOLIC),
    mutate: withExpressions,
    read: (bytes) => session.load(bytes),
    use: useProgram,
  },
  {
    name: "zip",
    readers: ["readPt2", "openPt2File"],
    generate: (random) => random.pick(BASES),
    mutate: (bytes, random) => (random.once(4) ? mutateBytes(bytes, random) : mutateZip(bytes, random)),
    read: (bytes) => readPt2(bytes),
    use: useProgram,
  },
  {
    name: "all programs of archives",
    readers: ["loadPt2", "loadPt2File", "pt2ProgramNames"],
    generate: (random) => random.pick(BASES),
    mutate: (bytes, random) => random.pick([mutateRecords, mutateZip, mutateBytes])(bytes, random),
    read: async (bytes) => {
      await pt2ProgramNames(bytes);
      return loadPt2(bytes);
    },
    use: async ({ exportedPrograms }: PT2ArchiveContents, random) => {
      for (const program of exportedPrograms.values()) await useProgram(program, random);
    },
  },
  {
    name: "older archives",
    readers: ["readPt2"],
    generate: (random) => random.pick(OLD_LAYOUTS),
    mutate: (bytes, random) => random.pick([mutateZip, mutateBytes])(bytes, random),
    read: (bytes) => readPt2(bytes),
    use: useProgram,
  },
  {
    name: "pickles",
    readers: ["readPt2"],
    generate: pickled,
    mutate: mutateSamples,
    read: async (bytes) => (await readPt2(bytes)).exampleInputs?.leaves,
  },
  {
    name: "security reports",
    readers: ["securityReport", "securityReportOfFile", "calledNamespaces"],
    generate: (random) => (random.once(2) ? random.pick(BASES) : pickled(random)),
    mutate: mutateAny,
    read: async (bytes) => {
      await calledNamespaces(bytes);
      return securityReport(bytes);
    },
    use: (report: SecurityReport) => JSON.stringify(report),
  },
  {
    name: "kinds of files",
    readers: ["otherFormat", "tensorFormat", "isZip"],
    takesAll: true,
    generate: (random) =>
      random.once(4)
        ? random.pick(BASES)
        : Uint8Array.from(random.pick(STARTS), (char) => char.charCodeAt(0)),
    mutate: mutateBytes,
    read: (bytes) => [otherFormat(bytes, bytes.length), tensorFormat(bytes), isZip(bytes)],
  },
];
