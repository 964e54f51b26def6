/**
 * @file Where each user input stands in the caller's arguments, by the names that PyTorch's
 * messages use.
 */
import { type ExportedProgram, type InputSpec, keyText, type TreeSpec } from "@sconce/ir";
import type { GuardKey, GuardSource } from "@sconce/symbolic";
import { positionalNames } from "./argument-names.js";

type Path = GuardSource["path"];

/** One user input. */
export interface Leaf {
  /** What the signature says of the input. */
  readonly spec: InputSpec;
  /** Name of the graph's placeholder. */
  readonly name: string;
  /** The parameter of `forward`, and the way from it to the leaf. */
  readonly root: string;
  /** The way from the arguments to the leaf: positions and keys. */
  readonly path: Path;
  /** As `_check_input_constraints_for_graph` writes it: `*args[0]['k']`, `scale['s']`. */
  readonly place: string;
}

/** Returns the user inputs in flattened order. */
export function userLeaves(program: ExportedProgram): Leaf[] {
  const specs = program.graphSignature.inputSpecs.filter((spec) => spec.kind === "USER_INPUT");
  const located = locate(program);
  return specs.map((spec, i) => {
    const found = located[i] ?? { root: spec.arg.name, path: [], place: `*args[${i}]` };
    return { spec, name: spec.arg.name, ...found };
  });
}

/**
 * Where each user output stands in what the program returns: `['logits']`, `[0].loss`; the empty
 * text for a bare value, and for all outputs of a program that does not say.
 */
export function outputPlaces(program: ExportedProgram): string[] {
  const outSpec = program.moduleCallGraph.find((entry) => entry.fqn === "")?.signature?.outSpec;
  const paths = outSpec === undefined ? [] : pathsOf(outSpec).map(pathText);
  return program.userOutputs.map((_, i) => paths[i] ?? "");
}

type Located = Pick<Leaf, "root" | "path" | "place">;

function locate(program: ExportedProgram): readonly Located[] {
  const signature = program.moduleCallGraph.find((entry) => entry.fqn === "")?.signature;
  const [args, kwargs] = signature?.inSpec.children ?? [];
  const names = signature ? positionalNames(signature) : [];
  const leaves: Located[] = [];
  args?.children.forEach((child, i) => {
    const root = names[i]!;
    for (const path of pathsOf(child)) leaves.push({ root, path, place: `*args[${i}]${pathText(path)}` });
  });
  const keys = Array.isArray(kwargs?.context) ? (kwargs.context as readonly unknown[]) : [];
  kwargs?.children.forEach((child, i) => {
    const root = keyText(keys[i] ?? i);
    for (const path of pathsOf(child)) leaves.push({ root, path, place: `${root}${pathText(path)}` });
  });
  return leaves;
}

function pathsOf(spec: TreeSpec): Path[] {
  if (spec.type === null) return [[]];
  const fields = Array.isArray(spec.context) ? (spec.context as readonly unknown[]) : [];
  const attributes = Array.isArray(fields[0]) ? (fields[0] as readonly unknown[]) : undefined;
  return spec.children.flatMap((child, i) => {
    const key =
      attributes !== undefined ? { attribute: keyText(attributes[i]) } : ((fields[i] ?? i) as GuardKey);
    return pathsOf(child).map((path) => [key, ...path]);
  });
}

const pathText = (path: Path): string =>
  path
    .map((key) =>
      typeof key === "object" ? `.${key.attribute}` : typeof key === "number" ? `[${key}]` : `['${key}']`,
    )
    .join("");
