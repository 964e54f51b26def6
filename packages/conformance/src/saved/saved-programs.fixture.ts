/**
 * @file Programs to save: those of PyTorch as they are, lowered and rewritten, and programs that
 * are exported from TypeScript. `packages/testing/oracle/saved_programs.py` loads them in PyTorch.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createSconce, type ExportedProgram } from "@sconce/session";
import { DOCUMENT_MODELS } from "../capture/documents.fixture.js";
import { DYNAMIC_MODELS } from "../capture/dynamic.fixture.js";
import { FLOW_MODELS } from "../capture/flow.fixture.js";
import { type CorpusModel, exportFromCorpus } from "../capture/harness.fixture.js";
import { LANGUAGE_MODELS } from "../capture/language.fixture.js";
import { OPERATOR_MODELS } from "../capture/operators.fixture.js";
import { SHAPE_MODELS } from "../capture/shapes.fixture.js";
import { STATE_MODELS } from "../capture/state.fixture.js";
import { UNBACKED_MODELS } from "../capture/unbacked.fixture.js";

const fixtures = new URL("../../../testing/fixtures/", import.meta.url);
const REWRITES = "decompose,fold-constants{weights=true},canonicalize,cse,dce";

/** How a program came to be. */
type SavedKind = "unchanged" | "lowered" | "rewritten" | "captured" | "captured and lowered";

/** A program to save. */
export interface SavedCase {
  /** The name of its file. */
  readonly name: string;
  readonly kind: SavedKind;
  /** The file of PyTorch's that gives the same numbers, below the fixtures. */
  readonly source: string;
  make(): Promise<ExportedProgram>;
}

/** Knows no operator but PyTorch's: files of custom ones say what their arguments are called. */
export const sconce = createSconce({ services: { logger: { warn: () => undefined } } });

const load = (source: string): Promise<ExportedProgram> =>
  sconce.load(readFileSync(new URL(source, fixtures)));

/** Values are folded, and these programs have none. */
const WITHOUT_VALUES = new Set(["lifted_meta"]);
/** Nothing says whether its operators write. */
const NOT_LOWERED = new Set(["opaque_log"]);

function ofPyTorch(folder: string): SavedCase[] {
  return readdirSync(new URL(folder, fixtures))
    .filter((name) => existsSync(new URL(`${folder}${name}/program.pt2`, fixtures)))
    .flatMap((name) => {
      const files = readdirSync(new URL(`${folder}${name}/`, fixtures)).filter((file) =>
        file.endsWith(".pt2"),
      );
      const source = `${folder}${name}/program.pt2`;
      const saved = (kind: SavedKind, make: SavedCase["make"]): SavedCase[] => [
        { name: `${name}.${kind}`, kind, source, make },
      ];
      return [
        ...files.map((file): SavedCase => {
          const path = `${folder}${name}/${file}`;
          return {
            name: `${name}.${file.slice(0, -4)}`,
            kind: "unchanged",
            source: path,
            make: () => load(path),
          };
        }),
        ...(NOT_LOWERED.has(name)
          ? []
          : saved("lowered", async () => sconce.runDecompositions(await load(source)))),
        ...(NOT_LOWERED.has(name) || WITHOUT_VALUES.has(name)
          ? []
          : saved("rewritten", async () => sconce.transform(await load(source), REWRITES))),
      ];
    });
}

const MODELS: Readonly<Record<string, () => CorpusModel>> = {
  ...DOCUMENT_MODELS,
  ...DYNAMIC_MODELS,
  ...LANGUAGE_MODELS,
  ...OPERATOR_MODELS,
  ...STATE_MODELS,
  ...SHAPE_MODELS,
  ...UNBACKED_MODELS,
  ...FLOW_MODELS,
};

/** PyTorch cannot save its program, and Sconce refuses to: it returns a symbolic bool. */
const NOT_SAVABLE = new Set(["shape_bool_output"]);

const captured = (): SavedCase[] =>
  Object.entries(MODELS)
    .filter(([name]) => !NOT_SAVABLE.has(name))
    .flatMap(([name, make]) => {
      const source = `programs/${name}/program.pt2`;
      const program = async (): Promise<ExportedProgram> => (await exportFromCorpus(name, make)).program;
      const lowered = async (): Promise<ExportedProgram> => sconce.runDecompositions(await program());
      return [
        { name: `${name}.captured`, kind: "captured", source, make: program },
        { name: `${name}.captured-lowered`, kind: "captured and lowered", source, make: lowered },
      ];
    });

/** Returns all programs to save. */
export const savedCases = (): SavedCase[] => [
  ...ofPyTorch("programs/"),
  ...ofPyTorch("custom-operators/"),
  ...captured(),
];
