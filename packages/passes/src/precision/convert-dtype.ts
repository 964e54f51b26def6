/** @file A program computed in another float dtype. */
import {
  checkOptions,
  eachInPieces,
  finish,
  isSconceError,
  type OptionNames,
  type Work,
} from "@sconce/errors";
import {
  type Argument,
  dtypeLiteral,
  type ExportedProgram,
  FakeTensor,
  type InputSpec,
  isRef,
  kindOf,
  type MetaValue,
  type Node,
  type NodeRef,
  rebuild,
  tuple,
} from "@sconce/ir";
import { isScalarFunction, type OperatorTable } from "@sconce/ops";
import { type DType, isComplexDType } from "@sconce/tensor";
import { mapArguments, mapInputs } from "@sconce/trace";
import { hasTensors, retyped, touchesDtype } from "../shapes/retype.js";
import { withRuleLayouts } from "../shapes/rule-layouts.js";
import { Border } from "./border.js";
import type { Keep } from "./keep.js";
import { LostValues } from "./lost-values.js";
import { NewValues } from "./new-values.js";

/** Which values are converted, and to what. */
export interface ConversionOptions {
  /** The dtype to compute in. */
  readonly to: DType;
  /** Calls that go on computing in float32. */
  readonly keep?: Keep;
  /** Whether inputs, outputs and written state are converted too. */
  readonly io?: boolean;
  /** Takes warnings of numbers that become 0 or infinite in the dtype. */
  readonly note?: ((text: string) => void) | undefined;
}

const CONVERSION: OptionNames<ConversionOptions> = { to: true, keep: true, io: true, note: true };

const FROM: DType = "float32";

/**
 * Operators whose shape rules take halves, while PyTorch's CPU kernels compute in float32 and
 * float64 only.
 */
const FULL_PRECISION =
  /^aten\.(_?cdist|_?pdist|_upsample_\w+2d_aa|special_(airy_ai|\w*bessel_\w+|erfcx|log_ndtr|ndtri))(_forward|_backward)?\./;

/** What reads the bits of a value sees another number of them in another dtype. */
const READS_BITS = /^aten\.view(_copy)?\.dtype$/;

/**
 * Returns the program with float32 values in `to`. Casts are made where a value is needed in the
 * other dtype, once a value. Kept calls, control flow with its bodies, and operators that do not
 * take the dtype compute in float32; a weight that only those read stays as it is. What the caller
 * sees keeps its dtype unless `io`: inputs, outputs, and state that is written to. The same program
 * when it has no float32 values.
 */
export function convertDtype(
  program: ExportedProgram,
  operators: OperatorTable,
  options: ConversionOptions,
): ExportedProgram {
  return finish(conversionSteps(program, operators, options));
}

/** As {@link convertDtype}, in pieces. */
export function conversionSteps(
  program: ExportedProgram,
  operators: OperatorTable,
  options: ConversionOptions,
): Work<ExportedProgram> {
  checkOptions("convertDtype", options, CONVERSION);
  return new Converter(program, operators, options).run();
}

class Converter {
  readonly #program: ExportedProgram;
  readonly #to: DType;
  readonly #io: boolean;
  readonly #isKept: Keep;
  readonly #border: Border;
  readonly #values: NewValues;
  readonly #operators: OperatorTable;
  readonly #lost: LostValues;

  constructor(program: ExportedProgram, operators: OperatorTable, options: ConversionOptions) {
    const { to, io = false, keep = () => false, note } = options;
    this.#lost = new LostValues(to, operators, note);
    this.#program = program;
    this.#operators = operators;
    this.#to = to;
    this.#io = io;
    this.#isKept = (node) =>
      node.target.startsWith("higher_order.") ||
      FULL_PRECISION.test(node.target) ||
      READS_BITS.test(node.target) ||
      keep(node);
    this.#border = new Border(program, { from: FROM, to, io, isKept: this.#isKept });
    this.#values = new NewValues(program, operators);
  }

  *run(): Work<ExportedProgram> {
    const { graph, graphSignature } = this.#program;
    let input = 0;
    let results: readonly Argument[] = [];
    let isConverted = false;
    const changed: (Node | readonly Node[])[] = [];
    yield* eachInPieces(graph.nodes(), (node) => {
      const from = this.#values.nodes.length;
      if (node.op === "placeholder") this.#placeholder(node, graphSignature.inputSpecs[input++]);
      else if (node.op === "call_function")
        this.#values.add(this.#isKept(node) ? this.#withInputs(node, FROM) : this.#narrow(node));
      else if (node.op === "get_attr") this.#values.add(node);
      else {
        results = this.#results();
        this.#values.add(isConverted || this.#values.nodes.length > from ? this.#outputOf(results) : node);
      }
      const made = this.#values.nodes.slice(from);
      isConverted ||= made.length !== 1 || made[0] !== node;
      changed.push(made.length === 1 ? made[0]! : made);
    });
    this.#lost.end();
    yield;
    const converted = rebuild(graph, (_, position) => changed[position]!, { inherit: false });
    yield;
    if (converted === graph) return this.#program;
    const program = this.#border.finish(converted, results);
    return this.#border.isLaidAnew ? withRuleLayouts(program, this.#operators) : program;
  }

  #outputOf(results: readonly Argument[]): Node {
    const output = { ...this.#program.graph.outputNode(), args: [tuple(results)] };
    if (output.meta.val === undefined) return output;
    const vals = results.map((result) => (isRef(result) ? this.#values.of(result.name) : undefined) ?? null);
    return withVal(output, vals);
  }

  #placeholder(node: Node, spec: InputSpec | undefined): void {
    const { val } = node.meta;
    const isWide = val instanceof FakeTensor && val.dtype === FROM;
    if (!isWide || !this.#border.converts(node, spec)) {
      this.#values.add(node);
      return;
    }
    if (spec?.target != null) {
      const { graph } = this.#program;
      const tensor = this.#program.tensor(spec.target);
      if (tensor !== undefined) this.#lost.ofState(spec.target, tensor, graph.users(node.name)[0]);
      this.#border.convertState(spec.target);
    }
    this.#values.add(withVal(node, new FakeTensor({ ...val, dtype: this.#to })));
  }

  /** Returns the call in the other dtype; as it was where that is not possible. */
  #narrow(node: Node): Node {
    const { target, meta } = node;
    if (isScalarFunction(target) || target.startsWith("aten.sym_")) return node;
    if (!touchesDtype(node, this.#program.graph, FROM) || this.#isBorder(node)) return node;
    // Assertions and reads of elements are about what was computed: the dtype that they name is
    // float32.
    if (!hasTensors(meta.val ?? null)) return this.#withInputs(node, FROM);
    if (target === "operator.getitem") {
      const source = this.#values.of((node.args[0] as NodeRef).name) as readonly MetaValue[];
      return withVal(node, source[Number(node.args[1])]!);
    }
    if (!this.#takes(node)) return this.#withInputs(node, FROM);
    this.#lost.ofCall(node);
    const called = this.#withInputs(this.#withDtypes(node), this.#to);
    return withVal(called, this.#values.resultOf(called));
  }

  /**
   * Returns whether a node is a conversion between the two dtypes that the program makes itself.
   */
  #isBorder({ target, args, meta }: Node): boolean {
    const source = target === "aten._to_copy.default" ? args[0] : undefined;
    if (!isRef(source) || !(meta.val instanceof FakeTensor)) return false;
    const given = this.#values.of(source.name);
    const pair = [given instanceof FakeTensor ? given.dtype : "", meta.val.dtype];
    return pair.includes(FROM) && pair.includes(this.#to);
  }

  /**
   * Returns whether the operator computes in the other dtype, and gives it for float32 and nothing
   * new for the rest.
   */
  #takes(node: Node): boolean {
    const narrowed = ({ name }: NodeRef): MetaValue | undefined => this.#asIf(name);
    try {
      return this.#isExpected(node.meta.val!, this.#values.resultOf(this.#withDtypes(node), narrowed));
    } catch (error) {
      if (isSconceError(error)) return false;
      throw error;
    }
  }

  #isExpected(before: MetaValue, after: MetaValue): boolean {
    if (Array.isArray(before) && Array.isArray(after)) {
      const items = after as readonly MetaValue[];
      return (before as readonly MetaValue[]).every((item, i) => this.#isExpected(item, items[i]!));
    }
    if (!(before instanceof FakeTensor) || !(after instanceof FakeTensor)) return true;
    // Complex numbers of the other dtype are what few operators compute with.
    if (isComplexDType(after.dtype)) return false;
    return after.dtype === before.dtype || (before.dtype === FROM && after.dtype === this.#to);
  }

  /** Returns a node's value as it would be in the other dtype. */
  #asIf(name: string): MetaValue | undefined {
    const val = this.#values.of(name);
    const isWide =
      val instanceof FakeTensor && val.dtype === FROM && this.#values.before(name) instanceof FakeTensor;
    return isWide ? new FakeTensor({ ...val, dtype: this.#to }) : val;
  }

  /** `dtype=float32` becomes the other dtype. */
  #withDtypes(node: Node): Node {
    return mapArguments(node, (argument) =>
      kindOf(argument) === "dtype" && (argument as { dtype: DType }).dtype === FROM
        ? dtypeLiteral(this.#to)
        : argument,
    );
  }

  /** Returns the node with every float input in a dtype. */
  #withInputs(node: Node, dtype: DType): Node {
    return mapInputs(node, (input) => this.#values.as(input, FROM, dtype, node));
  }

  /** Results in the dtypes that the caller, or what is written to, has. */
  #results(): Argument[] {
    const output = this.#program.graph.outputNode();
    return this.#border.results().map(({ value, writes }) => {
      if (!isRef(value)) return value;
      const written = writes === undefined ? undefined : this.#values.of(writes);
      if (written instanceof FakeTensor) return this.#values.as(value, FROM, written.dtype, output);
      if (writes !== undefined) return value;
      return this.#values.as(value, FROM, this.#io ? this.#to : FROM, output);
    });
  }
}

/** Returns the node with the recorded sizes and the dtypes of another value. */
function withVal(node: Node, val: MetaValue): Node {
  const recorded = node.meta.val!;
  const next = retyped(recorded, val);
  return next === recorded ? node : { ...node, meta: { ...node.meta, val: next } };
}
