/** @file The ExportedProgram object of the JSON file, without its weights. */
import type { Budget, Work } from "@sconce/errors";
import {
  type ExportedProgramInit,
  type OperatorLookup,
  type RangeConstraint,
  rangeConstraint,
} from "@sconce/ir";
import {
  Place,
  type Read,
  readDict,
  readInteger,
  readList,
  readObject,
  readSafeInteger,
  readString,
} from "../json/place.js";
import type { JsonObject } from "../json/value.js";
import { usesOldKinds } from "./calls.js";
import { readGraph } from "./graph-reader.js";
import { MetadataReader } from "./metadata.js";
import {
  LAST_MINOR_WITH_OLD_KINDS,
  LAST_MINOR_WITHOUT_BARE_RETURNS,
  SCHEMA_MAJOR,
  SCHEMA_MINOR,
} from "./schema.js";
import { moduleCallReader, readSignature } from "./signature.js";
import { type Symbols, valueReaders } from "./values.js";

/**
 * A program as the JSON describes it; weights, constants and sample inputs are in other entries.
 */
export type ProgramDescription = Omit<
  ExportedProgramInit,
  "stateDict" | "parameterNames" | "constants" | "exampleInputs"
>;

const readVersion: Read<{ major: number; minor: number }> = (value, place) => {
  const object = readObject(value, place);
  const version = {
    major: place.field(object, "major", readSafeInteger),
    minor: place.field(object, "minor", readSafeInteger),
  };
  const unset = version.major === 0 && version.minor === 0;
  if (version.major !== SCHEMA_MAJOR && !unset) {
    throw place.fail(
      "PT2_SCHEMA_VERSION",
      `schema version ${version.major}.${version.minor}; this reader knows ${SCHEMA_MAJOR}.${SCHEMA_MINOR}`,
    );
  }
  return unset ? { major: SCHEMA_MAJOR, minor: SCHEMA_MINOR } : version;
};

const readRange: Read<RangeConstraint> = (value, place) => {
  const object = readObject(value, place);
  const bound = (key: string, infinity: number): number | bigint => {
    const field = object.get(key);
    if (field === undefined) throw place.fail("PT2_FIELD", `the field "${key}" is missing`);
    // Older files write infinities as bare tokens.
    if (field === null || field === infinity) return infinity;
    return place.at(key, field, readInteger);
  };
  const range = rangeConstraint(bound("min_val", -Infinity), bound("max_val", Infinity));
  if (range.min > range.max)
    throw place.fail("PT2_RANGE", `the range from ${range.min} to ${range.max} is empty`);
  return range;
};

/**
 * Keys are expressions; as in PyTorch, those that the graph does not mention are dropped. Files
 * hold integer ranges only, so that of a float symbol becomes one too, and prints as PyTorch prints
 * it after loading.
 *
 * @param dropped gets the keys that are dropped
 */
function rangeReader(symbols: Symbols | undefined, dropped: string[]): Read<Map<string, RangeConstraint>> {
  return (value, place) => {
    const ranges = new Map<string, RangeConstraint>();
    const { keys, values } = readObject(value, place);
    for (const [i, key] of keys.entries()) {
      const inner = values[i]!;
      const range = place.at(key, inner, readRange);
      const printed = place.at(key, inner, (_, at) => symbols?.rangeKey(key, at));
      if (printed === undefined) dropped.push(key);
      else ranges.set(printed, range);
    }
    return ranges;
  };
}

/** A guard is kept as text; that it can be read is checked here. */
const guardReader =
  (symbols: Symbols | undefined): Read<string> =>
  (value, place) => {
    const text = readString(value, place);
    symbols?.checkGuard(text, place);
    return text;
  };

/** Verifier names as a dialect; none, or an empty one, means ATEN. */
const readDialect: Read<string> = (value, place) => {
  const names = readList(readString)(value, place);
  return names.find((name) => name !== "") ?? "ATEN";
};

const readFieldNames: Read<readonly string[]> = (value, place) =>
  place.field(readObject(value, place), "field_names", readList(readString));

/** Which operators a program may call. */
export interface OperatorPolicy {
  /** The operators that are known; without it the spelling of a target is all that is checked. */
  readonly operators?: OperatorLookup | undefined;
  /**
   * Whether a custom operator that `operators` lacks is kept (the default), with its arguments and
   * results as the file has them, or refused. Such an opaque call prints and stays in lowered
   * programs; it cannot run. An unknown operator of `aten` is always refused.
   */
  readonly unknownOperators?: "refuse" | "keep" | undefined;
}

/** The policy, and the work that is left. */
export interface CountedPolicy extends OperatorPolicy {
  readonly budget: Budget;
}

/**
 * Reads the parsed JSON of a program, in pieces.
 * @throws SconceError with the path of the field: `PT2_*`, `SYM_*`, `UNKNOWN_OPERATOR`
 */
export function* describeProgram(
  root: JsonObject,
  file: string,
  policy: CountedPolicy,
  symbols: Symbols | undefined,
): Work<ProgramDescription> {
  const { budget } = policy;
  const place = new Place(file);
  yield;
  const { minor } = place.field(root, "schema_version", readVersion);
  const parts = yield* place.fieldSteps(root, "graph_module", function* (value, at) {
    const module = readObject(value, at);
    const graphSignature = at.field(module, "signature", readSignature);
    const graph = yield* at.fieldSteps(module, "graph", (inner, deeper) =>
      readGraph(
        {
          values: valueReaders(symbols),
          metadata: new MetadataReader(budget),
          operators: policy.operators,
          keepsUnknown: policy.unknownOperators !== "refuse",
          oldKinds: minor <= LAST_MINOR_WITH_OLD_KINDS && usesOldKinds(readObject(inner, deeper)),
          bareReturns: minor <= LAST_MINOR_WITHOUT_BARE_RETURNS,
          hasUnbacked: () => symbols?.hasUnbacked === true,
        },
        (index) => graphSignature.inputSpecs[index]?.arg.name ?? "",
      )(inner, deeper),
    );
    return {
      graph,
      graphSignature,
      moduleCallGraph: at.field(module, "module_call_graph", moduleCallReader(budget)),
      namedTupleFields: at.optional(
        module,
        "treespec_namedtuple_fields",
        readDict(readFieldNames),
        new Map(),
      ),
      graphMetadata: Object.fromEntries(
        at.optional(module, "metadata", readDict(readString), new Map<string, string>()),
      ),
    };
  });
  const unusedSymbols: string[] = [];
  return {
    ...parts,
    rangeConstraints: place.field(root, "range_constraints", rangeReader(symbols, unusedSymbols)),
    unusedSymbols,
    symbolHints: symbols?.hints ?? new Map<string, number>(),
    guardsCode: place.optional(root, "guards_code", readList(guardReader(symbols)), []),
    dialect: place.optional(root, "verifiers", readDialect, "ATEN"),
    torchVersion: place.optional(root, "torch_version", readString, undefined),
    opsetVersion: Object.fromEntries(
      place.optional(root, "opset_version", readDict(readSafeInteger), new Map<string, number>()),
    ),
  };
}
