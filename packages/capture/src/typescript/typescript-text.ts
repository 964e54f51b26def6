/** @file A program as a module in TypeScript that gives the same program when it is exported. */

import { checkOptions, isSconceError, type OptionNames } from "@sconce/errors";
import {
  type Argument,
  dataclassFields,
  dictKeys,
  type ExportedProgram,
  FakeTensor,
  isRef,
  isSymScalar,
  kindOf,
  leafCount,
  type MetaValue,
  type Node,
  type TreeSpec,
} from "@sconce/ir";
import { onValid } from "@sconce/ir/verify";
import { callingConvention, keywordsOf, MUTATIONS, type OperatorTable } from "@sconce/ops";
import { evaluateInt, freeSymbols, type IntLike, SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { modelOperators } from "@sconce/torch";
import { BodyText } from "./body-text.js";
import { Containers } from "./container-text.js";
import { DimsText } from "./dims-text.js";
import { notWritable } from "./errors.js";
import { type GuardTexts, guardTexts } from "./guard-text.js";
import { argumentText, isIdentifier, keyText } from "./literals.js";
import { ModuleFile, type SourceDifference } from "./module-file.js";
import { recordedText } from "./recorded-text.js";
import { hasOpenSizes, SpecText } from "./spec-text.js";
import { stateText } from "./state-text.js";
import { tensorText } from "./tensor-text.js";

/** Options of {@link typescriptText}. */
export interface TypescriptOptions {
  /** Where the module imports Sconce from. @defaultValue `"sconce"` */
  readonly from?: string | undefined;
  /**
   * The operators that the program may call. @defaultValue Sconce's own, and those that
   * `library.customOp` declared
   */
  readonly operators?: OperatorTable | undefined;
}

const OPTIONS: OptionNames<TypescriptOptions> = { from: true, operators: true };

/**
 * Writes a program as a module in TypeScript: a class with the state and the calls of the program,
 * example arguments and the dynamic sizes, as `sconce export` takes them. Exported, it gives the
 * same operators and arguments, the same signature and the same sizes.
 *
 * Texts of the program are data: names become identifiers, and strings are escaped.
 *
 * @throws SconceError `NO_TYPESCRIPT` for what the functional API has no way to write,
 * `NO_CALLING_CONVENTION`, `INVALID_PROGRAM`
 */
export function typescriptText(program: ExportedProgram, options: TypescriptOptions = {}): string {
  checkOptions("typescriptText", options, OPTIONS);
  return written(program, options).text;
}

/** A program as a module, and what comes back in another form. */
export interface TypescriptModule {
  readonly text: string;
  /** What the program has in another form when the module is exported; the text begins with it. */
  readonly differences: readonly SourceDifference[];
}

/**
 * As {@link typescriptText}, with what differs in the program that the module gives when it is
 * exported. Without differences, that program has the same text.
 *
 * @throws SconceError `NO_TYPESCRIPT`, `NO_CALLING_CONVENTION`, `INVALID_PROGRAM`
 */
export function typescriptModule(
  program: ExportedProgram,
  options: TypescriptOptions = {},
): TypescriptModule {
  checkOptions("typescriptModule", options, OPTIONS);
  return written(program, options);
}

function written(program: ExportedProgram, options: TypescriptOptions): TypescriptModule {
  const file = new ModuleFile(
    options.operators ?? modelOperators(),
    writesOf(program),
    program.dialect !== "TRAINING",
  );
  const parts = onValid(program, () => new ModelText(program, file).run());
  const text = [
    file.differencesText(),
    file.importText(options.from ?? "sconce"),
    file.declarations.join("\n"),
    ...parts,
  ].filter((part) => part !== "");
  return { text: `${text.join("\n\n")}\n`, differences: file.differences };
}

/** An input of the user. */
interface UserInput {
  readonly node: Node;
  readonly val: MetaValue | undefined;
  /** The type of its leaf. */
  readonly type: string;
}

/** Returns the input that an output of the signature names. */
const inputOf = ({ graphSignature }: ExportedProgram, target: string): string =>
  graphSignature.inputSpecs.find(
    ({ target: own, arg, kind }) => own === target || (kind === "USER_INPUT" && arg.name === target),
  )?.arg.name ?? target;

/** Inputs and buffers that the program writes to, by the nodes that give what is written. */
function writesOf(program: ExportedProgram): ReadonlyMap<string, string> {
  const written = program.graphSignature.outputSpecs.filter(
    ({ kind }) => MUTATIONS.has(kind) && kind !== "PARAMETER_MUTATION",
  );
  return new Map(written.map(({ arg, target }) => [arg.name, inputOf(program, target!)]));
}

class ModelText {
  readonly #program: ExportedProgram;
  readonly #file: ModuleFile;
  readonly #containers: Containers;
  readonly #inputs: readonly UserInput[];
  readonly #guards: GuardTexts;
  /** Arguments whose names are words of JavaScript, or taken, by their variables. */
  readonly #renamed = new Map<string, string>();

  constructor(program: ExportedProgram, file: ModuleFile) {
    this.#program = program;
    this.#file = file;
    this.#containers = new Containers(file);
    this.#guards = guardTexts(program, file);
    this.#inputs = program.graphSignature.inputSpecs
      .filter(({ kind }) => kind === "USER_INPUT")
      .map(({ arg }) => {
        const node = program.graph.node(arg.name);
        return { node, val: node.meta.val, type: this.#leafType(node.meta.val) };
      });
  }

  run(): string[] {
    const state = stateText(this.#program, this.#file);
    const values = new Map<string, string>();
    for (const { kind, target, arg } of this.#program.graphSignature.inputSpecs)
      if (kind !== "USER_INPUT") values.set(arg.name, state.places.get(target!)!);
    const { parameters, reads } = this.#parameters(values);
    const body = new BodyText(this.#file, this.#program.graph, values, "    ");
    const guards = this.#guards.conditions.map(
      (write) => `    ${this.#file.use("guard")}(${write((input) => body.nodeText(input, input))});`,
    );
    const items = body.run();
    this.#noteWrites();
    const result = this.#result(items, body);
    const { use } = this.#file;
    const hasState = state.places.size > 0;
    const model = [
      "/** The model that the program was exported from, as its graph says. */",
      `export class Model extends ${use("nn")}.Module {`,
      ...state.fields,
      ...(hasState
        ? [
            "",
            "  constructor() {",
            "    super();",
            ...state.statements.map((line) => `    ${line}`),
            "  }",
            "",
          ]
        : []),
      `  override forward(${parameters.join(", ")}) {`,
      ...reads,
      ...body.lines,
      ...guards,
      ...result,
      "  }",
      "}",
    ];
    return [
      model.join("\n"),
      `export const model = ${recordedText(this.#program, this.#renamed, this.#file)};`,
      ...(hasState ? [this.#load()] : []),
      ...this.#example(),
    ];
  }

  /** Notes calls that write to parameters where gradients are recorded. */
  #noteWrites(): void {
    const { graph, graphSignature, stateDict } = this.#program;
    const learned = new Set(
      graphSignature.inputSpecs
        .filter(({ kind, target }) => kind === "PARAMETER" && stateDict.get(target!)?.requiresGrad)
        .map(({ arg }) => arg.name),
    );
    for (const { target, name, args } of graph.nodes()) {
      if (target.includes("set_grad_enabled")) return;
      const [self] = args;
      if (isRef(self) && learned.has(self.name) && this.#file.operators.schemaOf(target)?.isMutable)
        this.#file.differ("parameter-write", name);
    }
  }

  #load(): string {
    const { use } = this.#file;
    return [
      "/** Gives the model the parameters, buffers and constants of a program, by their names. */",
      `export const load = (program: ${use("ExportedProgram")}): Model => ${use("loadProgramState")}(model, program);`,
    ].join("\n");
  }

  #leafType(val: MetaValue | undefined): string {
    const { use } = this.#file;
    if (val instanceof FakeTensor || val === undefined) return use("Tensor");
    if (isSymScalar(val)) return use("Size");
    if (typeof val !== "object" || val === null || Array.isArray(val)) return "unknown";
    const value = (val as { readonly value?: unknown }).value ?? null;
    if (value === null) return "null";
    if (kindOf(value) === "float") return `ReturnType<typeof ${use("float")}>`;
    return typeof value === "object" ? "unknown" : typeof value;
  }

  /** Leaves of the arguments: names of placeholders, types, and the specifications. */
  #arguments(): { positional: readonly Part[]; keywords: readonly Part[] } {
    const { inSpec, forwardArgNames } = callingConvention(this.#program);
    const [args, kwargs] = inSpec.children as [TreeSpec, TreeSpec];
    const rest = [...this.#inputs];
    const take = (spec: TreeSpec, name: string): Part => ({
      spec,
      name,
      inputs: rest.splice(0, leafCount(spec)),
    });
    const positional = args.children.map((spec, i) => take(spec, forwardArgNames?.[i] ?? `args_${i}`));
    const names = keywordsOf(inSpec);
    return { positional, keywords: kwargs.children.map((spec, i) => take(spec, String(names[i]))) };
  }

  #parameters(values: Map<string, string>): { parameters: string[]; reads: string[] } {
    const { names } = this.#file;
    const { positional, keywords } = this.#arguments();
    const reads: string[] = [];
    const typeOf = ({ spec, inputs }: Part): string =>
      this.#containers.type(spec, typesOf(inputs), namesOf(inputs));
    const bind = (part: Part, variable: string): void => {
      const { spec, inputs } = part;
      const leaves = this.#containers.leaves(spec, variable, typesOf(inputs), namesOf(inputs));
      inputs.forEach(({ node }, i) => {
        if (spec.type === null) values.set(node.name, variable);
        else if (this.#isRead(node.name)) {
          const name = names.take(node.name);
          values.set(node.name, name);
          reads.push(`    const ${name} = ${leaves[i]};`);
        }
      });
    };
    const parameters = positional.map((part) => {
      const variable = names.take(part.name);
      if (variable !== part.name) this.#renamed.set(variable, part.name);
      // The type declares the classes of containers, which reads use.
      const type = typeOf(part);
      bind(part, variable);
      return `${variable}: ${type}`;
    });
    if (keywords.length > 0) {
      const types = keywords.map((part) => `readonly ${keyText(part.name)}: ${typeOf(part)}`);
      const variables = keywords.map((part) => {
        const variable = names.take(part.name);
        bind(part, variable);
        return isIdentifier(part.name) && variable === part.name
          ? variable
          : `${keyText(part.name)}: ${variable}`;
      });
      parameters.push(`{ ${variables.join(", ")} }: { ${types.join("; ")} }`);
    }
    return { parameters, reads };
  }

  /** Guards read inputs that no node reads. */
  #isRead(name: string): boolean {
    if (this.#guards.conditions.length > 0) return true;
    return this.#program.graph.users(name).length > 0;
  }

  /** Writes that the signature has as outputs, and what the model returns. */
  #result(items: readonly Argument[], body: BodyText): string[] {
    const { graphSignature } = this.#program;
    const { outSpec } = callingConvention(this.#program);
    const lines: string[] = [];
    const leaves: string[] = [];
    graphSignature.outputSpecs.forEach(({ kind, target }, i) => {
      if (!MUTATIONS.has(kind)) return;
      const place = this.#placeOf(target!, body);
      const written = body.text(items[i]!, "output");
      if (written === place) return;
      const copy = `${place}.copy_(${written})`;
      // A parameter is written to without gradients alone.
      lines.push(
        `    ${kind === "PARAMETER_MUTATION" ? `${this.#file.use("noGrad")}(() => ${copy})` : copy};`,
      );
    });
    graphSignature.outputSpecs.forEach(({ kind }, i) => {
      if (kind === "USER_OUTPUT" || kind === "LOSS_OUTPUT") leaves.push(body.text(items[i]!, "output"));
      else if (!MUTATIONS.has(kind))
        throw notWritable(
          `an output of the kind ${kind}`,
          "output",
          "write the program without its backward part",
        );
    });
    const names = items.flatMap((item) => (isRef(item) ? [item.name] : []));
    return [...lines, `    return ${this.#containers.value(outSpec, leaves, names)};`];
  }

  /** Returns the expression for state or an input that the program writes to. */
  #placeOf(target: string, body: BodyText): string {
    return body.nodeText(inputOf(this.#program, target), "output");
  }

  #example(): string[] {
    const { positional, keywords } = this.#arguments();
    const leaves = exampleLeaves(this.#program);
    let next = 0;
    const textOf = ({ spec, inputs }: Part): string =>
      this.#containers.value(
        spec,
        inputs.map((input) => this.#exampleText(input, leaves?.[next++])),
        namesOf(inputs),
      );
    const args = positional.map(textOf);
    const kwargs = keywords.map((part) => `${keyText(part.name)}: ${textOf(part)}`);
    const isOpen = hasOpenSizes(this.#inputs.map(({ val }) => val));
    const dims = isOpen
      ? new SpecText(this.#file, this.#program)
      : new DimsText(this.#file, this.#program, this.#guards.inferred);
    const specs = [...positional, ...keywords].map(
      (part) => [part.name, this.#shapes(part.spec, [...part.inputs], dims)] as const,
    );
    const isDynamic = this.#inputs.some(({ val }) => dims.input(val) !== undefined);
    return [
      `/** Example arguments. */\nexport const args = [${args.join(", ")}];`,
      ...(kwargs.length === 0 ? [] : [`export const kwargs = { ${kwargs.join(", ")} };`]),
      ...(isDynamic
        ? [
            [
              ...dims.lines,
              "/** Which sizes are dynamic. */",
              `export const dynamicShapes = ${this.#shapesText(specs, isOpen)};`,
            ].join("\n"),
          ]
        : []),
    ];
  }

  #shapesText(specs: readonly (readonly [name: string, text: string])[], isOpen: boolean): string {
    const parts = `{ ${specs.map(([name, text]) => `${keyText(name)}: ${text}`).join(", ")} }`;
    return isOpen ? `new ${this.#file.use("ParamsSpec")}(${parts})` : parts;
  }

  #shapes(spec: TreeSpec, inputs: UserInput[], dims: DimsText | SpecText): string {
    if (spec.type === null) return dims.input(inputs.shift()!.val) ?? "null";
    const children = spec.children.map((child) => this.#shapes(child, inputs, dims));
    const keys = dictKeys(spec);
    const isSpec = dims instanceof SpecText;
    if (keys !== undefined) {
      const entries = (keys as readonly string[]).map((key, i) => `${keyText(key)}: ${children[i]}`);
      const text = `{ ${entries.join(", ")} }`;
      return isSpec ? dims.container("DictSpec", text) : text;
    }
    const fields = isSpec ? dataclassFields(spec)?.set : undefined;
    if (isSpec && fields !== undefined) {
      const entries = fields.map((field, i) => `${keyText(field)}: ${children[i]}`);
      return dims.container("ObjectSpec", `{ ${entries.join(", ")} }`);
    }
    const text = `[${children.join(", ")}]`;
    return isSpec ? dims.container("SeqSpec", text) : text;
  }

  #exampleText({ val, node }: UserInput, leaf: Tensor | Argument | undefined): string {
    const { use } = this.#file;
    if (leaf instanceof Tensor) {
      const { dtype, shape, strides } = leaf;
      const isMeta = val instanceof FakeTensor && val.device.type === "meta";
      const device = isMeta ? { device: val.device } : {};
      return tensorText({ dtype, shape, strides, ...device }, use, leaf.requiresGrad);
    }
    if (val instanceof FakeTensor) {
      const numbers = (sizes: FakeTensor["shape"]): number[] =>
        sizes.map((size) => this.#hint(size, node.name));
      const { dtype, device } = val;
      return tensorText({ dtype, device, shape: numbers(val.shape), strides: numbers(val.strides) }, use);
    }
    if (isSymScalar(val) && leaf === undefined) return String(this.#hint(val.expr as never, node.name));
    const constant = leaf === undefined ? ((val as { readonly value?: Argument }).value ?? null) : leaf;
    return argumentText(constant, use, () => "null", node.name);
  }

  /** Returns an example of a dynamic size. */
  #hint(size: FakeTensor["shape"][number], where: string): number {
    if (!(size instanceof SymExpr)) return size;
    const { symbolHints } = this.#program;
    if ([...freeSymbols(size).keys()].every((name) => symbolHints.has(name)))
      return evaluateInt(size as IntLike, symbolHints);
    throw notWritable("an input without an example size", where, "give the program example inputs");
  }
}

/** An argument of the model: its structure, and its inputs of the graph. */
interface Part {
  readonly spec: TreeSpec;
  readonly name: string;
  readonly inputs: readonly UserInput[];
}

/** Returns the values that the program was exported with; undefined where they cannot be read. */
function exampleLeaves(program: ExportedProgram): readonly (Tensor | Argument)[] | undefined {
  try {
    return program.exampleInputs?.leaves;
  } catch (error) {
    if (isSconceError(error)) return undefined;
    throw error;
  }
}

const typesOf = (inputs: readonly UserInput[]): string[] => inputs.map(({ type }) => type);
const namesOf = (inputs: readonly UserInput[]): string[] => inputs.map(({ node }) => node.name);
