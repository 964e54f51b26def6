/** @file The JSON of a program, without its weights. */
import type { Work } from "@sconce/errors";
import {
  dictSpec,
  type ExportedProgram,
  LEAF,
  type ModuleCallEntry,
  type OperatorLookup,
  registeredFields,
  type TreeSpec,
  tupleSpec,
} from "@sconce/ir";
import { jsonDumps, type PythonJson } from "../../json/python-json.js";
import { ATEN_VERSION, SCHEMA_MAJOR, SCHEMA_MINOR } from "../schema.js";
import { FileNames } from "../text/file-names.js";
import { inputNames } from "../text/program-texts.js";
import { graphJson } from "./graph.js";
import { programNotes } from "./metadata.js";
import { moduleCallJson, rangesJson, signatureJson } from "./signature.js";
import type { ValueWriter } from "./values.js";

/** The PyTorch whose format is written. */
const TORCH_VERSION = "2.14.1";

/** How the JSON of a program is made. */
export interface ProgramJsonOptions {
  readonly values: ValueWriter;
  readonly operators: OperatorLookup | undefined;
  readonly opsetVersion: Readonly<Record<string, number>> | undefined;
  /** Called with each name that the file has another one for. */
  onRenamed(name: string, given: string): void;
}

/**
 * Returns the fields of the named tuples in the trees of the module call graph, in order of first
 * use.
 */
function namedTuplesJson({ moduleCallGraph, namedTupleFields }: ExportedProgram): PythonJson {
  const found = new Map<string, PythonJson>();
  const visit = ({ type, context, children }: TreeSpec): void => {
    if (type === "collections.namedtuple" && typeof context === "string" && !found.has(context)) {
      const fields = namedTupleFields.get(context) ?? registeredFields(context);
      if (fields !== undefined) found.set(context, { field_names: fields });
    }
    children.forEach(visit);
  };
  for (const { signature } of moduleCallGraph) {
    if (signature === null) continue;
    visit(signature.inSpec);
    visit(signature.outSpec);
  }
  return found;
}

/**
 * Returns the calls of a program. PyTorch loads no program without that of the root, which IR text
 * need not have: it takes the inputs by position then, and gives a tuple.
 */
function callsOf(
  { moduleCallGraph, graphSignature }: ExportedProgram,
  nameOf: (name: string) => string,
): readonly ModuleCallEntry[] {
  if (moduleCallGraph.some(({ fqn, signature }) => fqn === "" && signature !== null)) return moduleCallGraph;
  const inputs = graphSignature.inputSpecs.filter(({ kind }) => kind === "USER_INPUT");
  const outputs = graphSignature.outputSpecs.filter(({ kind }) => kind === "USER_OUTPUT");
  const signature = {
    inputs: [],
    outputs: [],
    inSpec: tupleSpec([tupleSpec(inputs.map(() => LEAF)), dictSpec([])]),
    outSpec: tupleSpec(outputs.map(() => LEAF)),
    forwardArgNames: inputs.map(({ arg }) => nameOf(arg.name)),
  };
  return [{ fqn: "", signature }, ...moduleCallGraph.filter(({ fqn }) => fqn !== "")];
}

/** Returns the text of a program, in pieces. */
export function* programJson(program: ExportedProgram, options: ProgramJsonOptions): Work<string> {
  const values = FileNames.ofValues(program.graph, inputNames(program));
  const nameOf = (name: string): string => values.of(name);
  const graph = yield* graphJson(options, program.graph, values);
  const opset = new Map(Object.entries(options.opsetVersion ?? program.opsetVersion));
  if (!opset.has("aten")) opset.set("aten", ATEN_VERSION);
  return jsonDumps({
    graph_module: {
      graph,
      signature: signatureJson(program.graphSignature, nameOf),
      module_call_graph: callsOf(program, nameOf).map((entry) => moduleCallJson(entry, nameOf)),
      metadata: programNotes(program.graphMetadata),
      treespec_namedtuple_fields: namedTuplesJson(program),
    },
    opset_version: opset,
    range_constraints: rangesJson(program.rangeConstraints),
    schema_version: { major: SCHEMA_MAJOR, minor: SCHEMA_MINOR },
    verifiers: [program.dialect],
    torch_version: program.torchVersion ?? TORCH_VERSION,
    guards_code: program.guardsCode,
  });
}
