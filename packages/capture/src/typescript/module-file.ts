/** @file What the parts of a generated module share: names, imports, declarations. */
import { scriptString } from "@sconce/errors";
import type { OperatorTable } from "@sconce/ops";
import { commentText, VariableNames } from "./literals.js";

/** What generated modules import, or declare themselves. */
const TAKEN = [
  "asRecorded callOperator complex Dim ExportedProgram float guard loadProgramState nn passes pytree Size",
  "sym SymFloat SymInt Tensor torch args dynamicShapes FloatLiteral kwargs load model Model",
  "DictSpec IntVar ParamsSpec SeqSpec ShapeVar STATIC TensorSpec",
].flatMap((line) => line.split(" "));

/** Members of namespaces that generated modules use, by their names there. */
const NAMESPACES: Readonly<Record<string, string>> = {
  passes: "runDecompositions",
  pytree: "attributeKey registerDataclass registerNamedTuple registerPytreeNode tuple",
  torch:
    "associativeScan check checkIsSize checkpoint cond constrainAsSize constrainAsValue enableGrad map noGrad scan setGradEnabled switch whileLoop",
};
const MEMBERS = new Map(
  Object.entries(NAMESPACES).flatMap(([owner, names]) => names.split(" ").map((name) => [name, owner])),
);

/** Names that are imported as types alone. */
const TYPES = new Set(["ExportedProgram", "Size", "SymFloat", "SymInt", "Tensor"]);

/** A part of a program that comes back in another form when what is written is exported. */
export interface SourceDifference {
  /**
   * `batched-scan`: the items of a batch are computed one by one. `data-condition`: an assertion on
   * data has another form. `deferred-condition`: an assertion on sizes of inputs needs an option of
   * the export. `known-condition`: an assertion that always holds is left out. `input-order`:
   * parameters or buffers do not stand in the order of the modules that have them. `operand-order`:
   * operands of nested control flow come in another order. `ordered-dict`: a dict becomes an
   * ordered one, which keeps the order of keys that are whole numbers. `parameter-write`: a call
   * that writes to a parameter needs `torch.noGrad`. `repeated-size`: a size that equals one
   * computed before is that one. `related-size`: a size of an input that an assertion relates to
   * others is written with them. `scanned-axis`: a scan moves the dimension that it scans again.
   * `switch-index`: `torch.switch` clamps an index that the program clamped already.
   * `unused-operand`: an operand that no branch reads is left out. `unused-size`: a size that
   * nothing reads is left out.
   */
  readonly reason:
    | "batched-scan"
    | "data-condition"
    | "deferred-condition"
    | "input-order"
    | "known-condition"
    | "operand-order"
    | "ordered-dict"
    | "parameter-write"
    | "related-size"
    | "repeated-size"
    | "scanned-axis"
    | "switch-index"
    | "unused-operand"
    | "unused-size";
  /** The node, the part of the state, or the dict. */
  readonly where: string;
}

const REASONS: Readonly<Record<SourceDifference["reason"], string>> = {
  "batched-scan": "the items of the batch are computed one by one",
  "data-condition": "the export asserts the condition on data in another form",
  "deferred-condition":
    "the assertion is on sizes of inputs: export the model with `preferDeferredRuntimeAssertsOverGuards: true`",
  "input-order":
    "the export puts the parameters of a module together, in front of those of the modules inside of it",
  "known-condition": "the assertion always holds, and is left out",
  "operand-order": "the operands come in another order",
  "ordered-dict": "JavaScript objects sort these keys: it is a Map, which is an ordered dict",
  "parameter-write": "the call writes to a parameter: export the model in `torch.noGrad`",
  "related-size": "the export may write one of the sizes of inputs that are compared with the others",
  "repeated-size": "the size equals one computed before, and is that one",
  "scanned-axis": "the export moves the dimension that is scanned once more",
  "switch-index": "`torch.switch` clamps an index that the program clamped already",
  "unused-operand": "no branch reads an operand, and it is left out",
  "unused-size": "nothing reads the size, and it is left out",
};

/** A module that is being written. */
export class ModuleFile {
  readonly names = new VariableNames(TAKEN);
  /** Lines of declarations in front of the model. */
  readonly declarations: string[] = [];
  readonly operators: OperatorTable;
  /** Inputs that the program writes to, by the nodes that give what is written. */
  readonly writes: ReadonlyMap<string, string>;
  /** Whether the program is lowered. */
  readonly isLowered: boolean;
  readonly differences: SourceDifference[] = [];
  readonly #imported = new Set<string>();

  constructor(operators: OperatorTable, writes: ReadonlyMap<string, string>, isLowered: boolean) {
    this.isLowered = isLowered;
    this.operators = operators;
    this.writes = writes;
  }

  /** Imports a function, a class or a type of Sconce, and returns what it is called. */
  readonly use = (name: string): string => {
    const owner = MEMBERS.get(name);
    this.#imported.add(owner ?? name);
    return owner === undefined ? name : `${owner}.${name}`;
  };

  /** Returns a call of an operator by its name; `args` and `kwargs` are texts. */
  operatorCall(target: string, args: readonly string[], kwargs: readonly string[]): string {
    const keywords = kwargs.length === 0 ? "" : `, { ${kwargs.join(", ")} }`;
    return `${this.use("callOperator")}(${scriptString(target)}, [${args.join(", ")}]${keywords})`;
  }

  /** Notes a part that comes back in another form. */
  differ(reason: SourceDifference["reason"], where: string): void {
    const isKnown = this.differences.some((other) => other.reason === reason && other.where === where);
    if (!isKnown) this.differences.push({ reason, where });
  }

  /** Returns what differs in the exported program, as a comment; empty for nothing. */
  differencesText(): string {
    if (this.differences.length === 0) return "";
    const lines = this.differences.map(
      ({ reason, where }) => ` * - ${reason} at ${commentText(where)}: ${REASONS[reason]}.`,
    );
    return ["/*", " * Exported, this module gives the program but for:", ...lines, " */"].join("\n");
  }

  /** Returns the statement that imports what is used. */
  importText(from: string): string {
    const names = [...this.#imported].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    const items = names.map((name) => (TYPES.has(name) ? `type ${name}` : name));
    return `import { ${items.join(", ")} } from ${scriptString(from)};`;
  }
}
