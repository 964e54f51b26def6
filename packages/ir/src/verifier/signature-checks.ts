import { countText } from "@sconce/errors";
import { SymExpr, sameSizes } from "@sconce/symbolic";
import type { Report } from "../graph/problem.js";
import { reprArgument } from "../print-torch/argument-text.js";
import type { ExportedProgram } from "../program/program.js";
import { leafCount } from "../program/pytree.js";
import {
  type ArgumentSpec,
  type InputSpec,
  type OutputKind,
  outputTargets,
  type SignatureValue,
} from "../program/signature.js";
import { isRef, itemsOf } from "../values/argument.js";
import { symContiguousStrides } from "../values/contiguous-strides.js";
import { FakeTensor, type MetaValue } from "../values/meta.js";
import { stringRepr } from "../values/python-repr.js";
import { familyOf, literalValue, tensorText, valueText } from "./agreement.js";

/** Inputs and outputs of the graph against the signature, and the signature against the state. */
export function checkSignature(program: ExportedProgram, report: Report): void {
  checkInputs(program, report);
  checkOutputs(program, report);
}

/**
 * Names in preserved calling conventions must be nodes, and their trees must have a leaf for each
 * value.
 */
export function checkModuleCalls(program: ExportedProgram, report: Report): void {
  checkCallTrees(program, report);
  for (const { signature } of program.moduleCallGraph) {
    for (const { name } of signature?.inputs ?? []) {
      if (name !== "" && !program.graph.has(name))
        report("MODULE_CALL_INPUT", `Input ${name} does not exist in the graph.`);
    }
    for (const { name } of signature?.outputs ?? []) {
      if (name !== "" && !program.graph.has(name))
        report("MODULE_CALL_OUTPUT", `Output ${name} does not exist in the graph.`);
    }
  }
}

function checkCallTrees({ moduleCallGraph, userInputs, userOutputs }: ExportedProgram, report: Report): void {
  // Without any entry the calling convention is not known, which PyTorch allows.
  const [root] = moduleCallGraph;
  if (root === undefined) return;
  if (root.fqn !== "") {
    report("MODULE_CALL_ROOT", `The first entry of the module call graph is '${root.fqn}', not the root's`);
  }
  for (const { fqn, signature } of moduleCallGraph) {
    if (signature === null) continue;
    const { inputs, outputs, inSpec, outSpec, forwardArgNames } = signature;
    const isRoot = fqn === "";
    const check = (what: string, leaves: number, values: number): void => {
      if (leaves === values) return;
      const message = `${what} of the module call '${fqn}' has ${countText(leaves, "leaf", "leaves")} for ${countText(values, "value")}`;
      report("MODULE_CALL_TREE", message);
    };
    // The root's own lists of values are empty in files: its values are those of the signature.
    check("in_spec", leafCount(inSpec), isRoot ? userInputs.length : inputs.length);
    check("out_spec", leafCount(outSpec), isRoot ? userOutputs.length : outputs.length);
    const given = inSpec.children.reduce((sum, part) => sum + part.children.length, 0);
    if (forwardArgNames !== null && forwardArgNames.length !== given && isRoot) {
      report(
        "MODULE_CALL_TREE",
        `the module call '${fqn}' names ${forwardArgNames.length} arguments, and its in_spec has ${given}`,
      );
    }
  }
}

const setText = (names: Iterable<string>): string => {
  const items = [...names].map(stringRepr);
  return items.length === 0 ? "set()" : `{${items.join(", ")}}`;
};

const without = (names: readonly string[], others: readonly string[]): Set<string> => {
  const known = new Set(others);
  return new Set(names.filter((name) => !known.has(name)));
};

const mapText = (map: ReadonlyMap<string, string>): string =>
  `{${[...map].map(([key, value]) => `${stringRepr(key)}: ${stringRepr(value)}`).join(", ")}}`;

function checkInputs(program: ExportedProgram, report: Report): void {
  const { inputSpecs } = program.graphSignature;
  const nodes = program.graph.placeholders().map((node) => node.name);
  if (nodes.length !== inputSpecs.length) {
    const specs = inputSpecs.map((spec) => spec.arg.name);
    report(
      "INPUT_COUNT",
      `Number of graph inputs (${nodes.length}) does not match number of inputs in the graph ` +
        `signature (${inputSpecs.length})\nPlaceholders missing input_specs: ${setText(without(nodes, specs))}\n` +
        `Input_specs missing placeholders: ${setText(without(specs, nodes))}`,
    );
  }
  inputSpecs.forEach((spec, i) => {
    const node = nodes[i];
    const named = spec.arg.kind !== "constant" && spec.arg.kind !== "custom_obj" && spec.arg.kind !== "token";
    if (named && node !== undefined && spec.arg.name !== node) {
      report("INPUT_NAME", `Input spec name ${spec.arg.name} does not match node name ${node}`, node);
    }
    if (node !== undefined) checkSpecKind(spec.arg, program.graph.find(node)?.meta.val, node, report);
    checkInputState(spec, program, report);
    if (spec.kind !== "USER_INPUT") checkStateValue(spec, program, report);
  });
}

const SPEC_FAMILIES: Readonly<Record<string, string>> = {
  tensor: "tensor",
  token: "tensor",
  symint: "int",
  symfloat: "float",
  symbool: "bool",
};

/** What a spec says of a value against what the node records. */
function checkSpecKind(arg: ArgumentSpec, val: MetaValue | undefined, node: string, report: Report): void {
  const wanted = SPEC_FAMILIES[arg.kind];
  if (val === undefined || wanted === undefined) return;
  const family = familyOf(val);
  if (family === wanted || family === "other" || (arg.kind === "token" && family === "none")) return;
  report(
    "SPEC_KIND",
    `The signature says that ${arg.name} is a ${arg.kind}, and the node records ${valueText(val)}`,
    node,
  );
}

/** The tensor that an input represents is of the dtype and the sizes that its node says. */
function checkStateValue({ target, arg }: InputSpec, program: ExportedProgram, report: Report): void {
  const tensor = target === null ? undefined : program.tensor(target);
  const val = program.graph.find(arg.name)?.meta.val;
  if (!(val instanceof FakeTensor) || !Array.isArray(val.shape)) return;
  const symbolic = val.shape.findIndex((size) => size instanceof SymExpr);
  if (symbolic >= 0) {
    report(
      "STATE_SYMBOLIC",
      `the input ${arg.name} is recorded as ${tensorText(val)}: size ${symbolic} of ${target ?? "its tensor"} is symbolic`,
      arg.name,
    );
    return;
  }
  if (tensor === undefined) return;
  const fits =
    tensor.dtype === val.dtype &&
    tensor.shape.length === val.ndim &&
    tensor.shape.every((size, d) => val.shape[d] === size);
  if (!fits) {
    report(
      "STATE_VALUE",
      `the tensor of ${target} is ${tensorText(tensor)}, its input ${arg.name} is recorded as ${tensorText(val)}`,
      arg.name,
    );
    return;
  }
  if (val.layout !== "strided" || isLaidOut(tensor, val)) return;
  report(
    "STATE_VALUE",
    `the tensor of ${target} has ${layoutText(tensor)}, its input ${arg.name} is recorded with ${layoutText(val)}`,
    arg.name,
    "record the strides and the offset that the tensor has",
  );
}

/**
 * Returns whether a tensor has the recorded strides and offset, as far as elements are found by
 * them. The row-major layout is what a text has that states none.
 */
const isLaidOut = (tensor: Layout, { shape, strides, storageOffset }: FakeTensor): boolean =>
  shape.includes(0) ||
  (storageOffset === 0 && sameSizes(strides, symContiguousStrides(shape))) ||
  (tensor.storageOffset === storageOffset &&
    shape.every((size, d) => size === 1 || tensor.strides[d] === strides[d]));

type Layout = Pick<FakeTensor, "strides" | "storageOffset">;
const layoutText = ({ strides, storageOffset }: Layout): string =>
  `strides [${strides.join(", ")}] and offset ${String(storageOffset)}`;

function checkInputState(spec: InputSpec, program: ExportedProgram, report: Report): void {
  const {
    kind,
    target,
    arg: { name },
  } = spec;
  if (kind === "USER_INPUT" || kind === "TOKEN") return;
  if (target === null) {
    report("INPUT_TARGET", `InputSpec for ${name} has no target.`, name);
    return;
  }
  const { stateDict, constants, parameterNames } = program;
  switch (kind) {
    case "PARAMETER":
      if (!stateDict.has(target))
        report("MISSING_PARAMETER", `Parameter ${target} is not in the state dict.`, name);
      else if (!parameterNames.has(target)) {
        report(
          "NOT_A_PARAMETER",
          `State dict entry for parameter ${target} is not an instance of torch.nn.Parameter.`,
          name,
        );
      }
      break;
    case "BUFFER":
      if (spec.persistent === null)
        report("BUFFER_PERSISTENCE", `Buffer ${target} is missing a persistence flag`, name);
      else if (spec.persistent && !stateDict.has(target) && !constants.has(target)) {
        report("MISSING_BUFFER", `Buffer ${target} is not in the state dict.`, name);
      } else if (!spec.persistent && stateDict.has(target)) {
        report(
          "PERSISTENT_BUFFER",
          `Non-persistent buffer ${target} is in the state dict, it should not be.`,
          name,
        );
      }
      break;
    case "CONSTANT_TENSOR":
      if (!constants.has(target)) {
        report("MISSING_CONSTANT", `Constant tensor ${target} is not in the constants dictionary.`, name);
      }
      break;
    case "CUSTOM_OBJ":
      // Values of custom objects are not kept; only the tensors among the constants are.
      break;
    default:
      report("INPUT_KIND", `Unknown InputKind ${String(kind)}.`, name);
  }
}

const isMutation = (kind: OutputKind): boolean =>
  kind === "BUFFER_MUTATION" || kind === "PARAMETER_MUTATION" || kind === "USER_INPUT_MUTATION";

function checkOutputs(program: ExportedProgram, report: Report): void {
  const {
    graph,
    graphSignature: { outputSpecs },
  } = program;
  const last = graph.size > 0 ? graph.nodeAt(graph.size - 1) : undefined;
  const results = last?.op === "output" ? itemsOf(last.args[0] ?? null) : undefined;
  if (results === undefined) return; // reported with the structure of the graph
  const names = results.map((value) => (isRef(value) ? value.name : undefined));
  if (results.length !== outputSpecs.length) {
    const nodes = names.filter((name) => name !== undefined);
    const specs = outputSpecs.map((spec) => spec.arg.name);
    report(
      "OUTPUT_COUNT",
      `Number of output nodes ${results.length} is different Than the number of outputs ` +
        `specified by the graph signature: ${outputSpecs.length}\n` +
        `Nodes missing output_specs: ${setText(without(nodes, specs))}\n` +
        `Output_specs missing nodes: ${setText(without(specs, nodes))}`,
      last!.name,
    );
    return;
  }
  outputSpecs.forEach(({ arg }, i) => {
    const value = results[i]!;
    const val = isRef(value) ? graph.find(value.name)?.meta.val : literalValue(value);
    checkSpecKind(arg, val, isRef(value) ? value.name : last!.name, report);
  });
  const mutations = outputSpecs.filter((spec) => isMutation(spec.kind)).length;
  const tokens = outputSpecs.filter((spec) => spec.kind === "TOKEN").length;
  names.slice(tokens, tokens + mutations).forEach((name, i) => {
    checkMutation(name ?? reprArgument(results[tokens + i]!, String), program, report);
  });
  checkUserOutputs(program, names.slice(tokens + mutations), report);
}

function checkMutation(name: string, program: ExportedProgram, report: Report): void {
  const { graphSignature: signature, buffersToMutate, parametersToMutate, userInputsToMutate } = program;
  const targetsOf = (kind: InputSpec["kind"]): string[] =>
    signature.inputSpecs
      .filter((spec) => spec.kind === kind)
      .map((spec) => (kind === "USER_INPUT" ? spec.arg.name : (spec.target ?? "")));
  const check = (
    what: string,
    one: string,
    targets: ReadonlyMap<string, string>,
    known: readonly string[],
  ): void => {
    if (known.includes(targets.get(name)!)) return;
    report(
      "MUTATION_TARGET",
      `${what} output ${name} does not point to a ${one} that exists. \n` +
        `Dict of ${one}s that are mutated, in order: ${mapText(targets)} \n` +
        `${what} nodes available: (${known.map(stringRepr).join(", ")}) \n`,
      name,
    );
  };
  if (buffersToMutate.has(name)) check("Buffer", "buffer", buffersToMutate, targetsOf("BUFFER"));
  else if (parametersToMutate.has(name))
    check("Parameter", "parameter", parametersToMutate, targetsOf("PARAMETER"));
  else if (userInputsToMutate.has(name))
    check("User input", "user input", userInputsToMutate, targetsOf("USER_INPUT"));
  else {
    report(
      "MUTATION_ORDER",
      `Mutation node ${name} is neither a buffer nor a user input. Buffers to mutate: ` +
        `${mapText(outputTargets(signature, "BUFFER_MUTATION"))}, User inputs to mutate: ${mapText(userInputsToMutate)}`,
      name,
    );
  }
}

function checkUserOutputs(
  program: ExportedProgram,
  names: readonly (string | undefined)[],
  report: Report,
): void {
  const wanted = program.userOutputs;
  const valueText = (value: SignatureValue): string =>
    "name" in value ? stringRepr(value.name) : reprArgument(value.value, String);
  wanted.forEach((value, i) => {
    const name = names[i];
    if (name === undefined ? !("name" in value) : "name" in value && value.name === name) return;
    report(
      "USER_OUTPUT",
      `User output ${name ?? "constant"} is not in the correct order or is not found in the ` +
        `exported program's user_output list: (${wanted.map(valueText).join(", ")}). `,
      name,
    );
  });
}
