/** @file Calls that the backend leaves to the interpreter, as functions of JavaScript. */
import { scriptString } from "@sconce/errors";
import {
  type Argument,
  FakeTensor,
  type Graph,
  isFloat,
  isRef,
  isSymScalar,
  itemsOf,
  type MetaValue,
  type Node,
  type NodeRef,
  toNumber,
} from "@sconce/ir";
import {
  type BoundArgs,
  emitFrom,
  metaOfBound,
  type OpDefinition,
  type OperatorTable,
  refuseDTypes,
  refuseScalars,
  refuseSettings,
} from "@sconce/ops";
import {
  freeSymbols,
  type IntLike,
  printExpr,
  STATIC_ENV,
  type SymEnv,
  SymExpr,
  symbol,
} from "@sconce/symbolic";
import { numberText } from "../code/code.js";
import { scalarCode } from "../code/scalar-code.js";
import { SizeCode } from "../code/size-code.js";
import { Symbols } from "../code/symbols.js";
import { CannotWrite, kindOfScalar } from "./cannot-write.js";
import { type HostValue, scalar, textOf } from "./host-value.js";
import { loopCode } from "./loops.js";
import { StandIns } from "./stand-ins.js";

/** What the functions of a program share. */
export interface HostShared {
  readonly operators: OperatorTable;
  /** Returns whether the interpreter has a kernel for a target. */
  readonly hasKernel: (target: string) => boolean;
  /** Returns whether the interpreter looks at the operands of a target before its kernel does. */
  readonly hasRefusal: (target: string) => boolean;
  /** The kernels that are called. */
  readonly targets: Set<string>;
  /** The calls whose operands are looked at first. */
  readonly refusals: Set<string>;
  /** Returns a name that no other constant has. */
  readonly next: () => string;
}

/** Views that read elements outside of the tensor that they are made of. */
const FREE_VIEWS = new Set(["aten.as_strided.default", "aten._conj.default", "aten._neg_view.default"]);
const ASSERTIONS: ReadonlyMap<string, number | string> = new Map<string, number | string>([
  ["aten._assert_scalar.default", 1],
  ["aten._assert_async.msg", 1],
  ["aten._assert_async.default", "Expected Tensor with single nonzero value, but got zero"],
]);

/** Writes the calls of one graph, in order. */
export class HostWriter {
  readonly lines: string[] = [];
  readonly symbols: Symbols;
  readonly shared: HostShared;
  readonly #graph: Graph;
  readonly #values = new Map<string, HostValue>();
  readonly #sizes: SizeCode;
  readonly #standIns: StandIns;
  readonly #isBundled: boolean;
  /** Sizes of tensors, by their text. */
  readonly #shown = new Map<string, string>();

  /** @param isBundled whether tensors are those of kernels; bytes with shapes otherwise */
  constructor(graph: Graph, shared: HostShared, symbols: Symbols, isBundled: boolean) {
    this.#graph = graph;
    this.shared = shared;
    this.symbols = symbols;
    this.#sizes = new SizeCode(symbols.names);
    this.#standIns = new StandIns(symbols, shared.next);
    this.#isBundled = isBundled;
  }

  set(name: string, value: HostValue): void {
    this.#values.set(name, value);
  }
  value(name: string): HostValue {
    const value = this.#values.get(name);
    if (value === undefined) throw new CannotWrite(`it reads %${name}, which has no value`);
    return value;
  }

  /** Declares a constant, and returns its name. */
  constant(text: string): string {
    const name = this.shared.next();
    this.lines.push(`const ${name}=${text}`);
    return name;
  }
  /** Returns a size: of its symbols, or as a tensor has it whose symbols no value shows. */
  size(value: IntLike): string {
    const shown = value instanceof SymExpr ? this.#shown.get(printExpr(value)) : undefined;
    return shown !== undefined && !this.#hasSymbols(value) ? shown : this.#sizes.of(value);
  }
  #hasSymbols(value: IntLike): boolean {
    return (
      !(value instanceof SymExpr) ||
      [...freeSymbols(value).keys()].every((name) => this.symbols.names.has(name))
    );
  }
  sizes(values: readonly IntLike[]): string {
    return `[${values.map((one) => this.size(one)).join(",")}]`;
  }

  /** Writes a tensor that was given: laid out as the program records it. */
  given(name: string, text: string, fake: FakeTensor): void {
    const tensor = this.constant(text);
    this.#learn(tensor, fake);
    const laid = this.#isBundled ? this.constant(`k.tensor(${tensor},${this.sizes(fake.strides)})`) : tensor;
    this.set(name, { kind: "tensor", text: laid, fake });
  }
  #learn(text: string, { shape }: FakeTensor): void {
    const sizes = shape.map((size, d) => [size, `${text}.shape[${d}]`] as const);
    this.lines.push(...this.symbols.learn(sizes));
    for (const [size, code] of sizes)
      if (size instanceof SymExpr && !this.#shown.has(printExpr(size)))
        this.#shown.set(printExpr(size), code);
  }
  learnScalar(val: MetaValue | undefined, text: string): void {
    if (!isSymScalar(val) || !(val.expr instanceof SymExpr)) return;
    if (val.kind === "SymInt") this.lines.push(...this.symbols.learn([[val.expr, text]]));
    else if (val.expr.op === "Symbol") this.symbols.take(val.expr.name, text);
  }

  /** @throws CannotWrite */
  call(node: Node): void {
    const { target, name, args } = node;
    const { val } = node.meta;
    if (node.op === "get_attr") {
      this.set(name, { kind: "graph", text: this.#body(target) });
      return;
    }
    const assertion = ASSERTIONS.get(target);
    if (assertion !== undefined) {
      const message = typeof assertion === "string" ? assertion : (args[assertion] as string);
      this.lines.push(`check(${this.truth(this.argument(args[0]!))},${scriptString(message)})`);
      return;
    }
    const value = this.#scalar(node) ?? this.#item(node) ?? loopCode(this, node) ?? this.#operator(node);
    if (value.kind === "scalar") {
      const text = this.constant(value.code.text);
      this.learnScalar(val, text);
      this.set(name, { kind: "scalar", code: { ...value.code, text } });
    } else this.set(name, value);
  }

  /** Returns an argument that is a reference, or a literal number. */
  argument(value: Argument): HostValue {
    if (isRef(value)) return this.value((value as NodeRef).name);
    const items = itemsOf(value);
    if (items !== undefined)
      return { kind: "list", items: items.map((one) => (one === null ? null : this.argument(one))) };
    if (typeof value === "boolean") return scalar("bool", String(value));
    if (isFloat(value)) return scalar("float", numberText(toNumber(value)));
    if (typeof value === "number" || typeof value === "bigint")
      return scalar("int", typeof value === "bigint" ? `${value}n` : numberText(value));
    throw new CannotWrite("it has an argument that is not a number");
  }
  /** Returns a condition: a number, or the only element of a tensor. */
  truth(value: HostValue): string {
    if (value.kind === "tensor") return `truth(${this.raw(value.text)})`;
    if (value.kind !== "scalar") throw new CannotWrite("its condition is not a single value");
    return value.code.kind === "bool" ? value.code.text : `(${value.code.text}!=0)`;
  }
  raw(text: string): string {
    return this.#isBundled ? `k.raw(${text})` : text;
  }

  #scalar({ target, args }: Node): HostValue | undefined {
    if (target === "operator.getitem") return undefined;
    const isList = args.length === 1 && itemsOf(args[0]!) !== undefined;
    const given = isList ? itemsOf(args[0]!)! : args;
    if (!/^(operator|math|builtins|torch)\./.test(target)) return undefined;
    const codes = given.map((one) => {
      const value = this.argument(one);
      if (value.kind !== "scalar") throw new CannotWrite("no module computes it");
      return value.code;
    });
    const code = scalarCode(target, codes);
    if (code === undefined) throw new CannotWrite("no module computes it");
    return { kind: "scalar", code };
  }
  #item(node: Node): HostValue | undefined {
    const { target, args } = node;
    if (target === "operator.getitem") {
      const [list, at] = [this.argument(args[0]!), Number(args[1])];
      const item = list.kind === "list" ? list.items.at(at) : undefined;
      if (item === undefined || item === null) throw new CannotWrite("it reads a result that is not there");
      return item;
    }
    if (target === "aten.sym_size.int") {
      const value = this.argument(args[0]!);
      if (value.kind !== "tensor") return undefined;
      return scalar("int", `${value.text}.shape.at(${Number(args[1])})`);
    }
    if (target !== "aten._local_scalar_dense.default") return undefined;
    const value = this.argument(args[0]!);
    if (value.kind !== "tensor") throw new CannotWrite("it reads a value that is not a tensor");
    if (value.fake.dtype.startsWith("complex")) throw new CannotWrite("it reads a complex number");
    return scalar(kindOfScalar(node.meta.val), `item(${this.raw(value.text)})`);
  }

  #operator({ target, args, kwargs, meta }: Node): HostValue {
    const { schema } = this.#definition(target);
    const bound = this.#standIns.bind(schema, args, kwargs, (name) => this.value(name));
    return this.#bound(target, bound, meta.val);
  }
  #definition(target: string): OpDefinition {
    const definition = this.shared.operators.get(target);
    if (definition === undefined) throw new CannotWrite("its operator is unknown");
    return definition;
  }
  #bound(target: string, bound: BoundArgs, val: MetaValue | undefined): HostValue {
    const definition = this.#definition(target);
    const { schema, tags, decompose } = definition;
    if (schema.isMutable) throw new CannotWrite("it writes to its operands");
    const isComposite = tags.includes("composite") && decompose !== undefined;
    refuse(definition, bound);
    const isKernel = this.shared.hasKernel(target) && !(isComposite && schema.isView);
    if (!isKernel && schema.isView && definition.meta !== undefined && !isComposite)
      return this.#view(target, this.#standIns.first(bound), val);
    this.#refuse(target, bound);
    if (!isKernel) return this.#decomposed(definition, bound, val);
    this.shared.targets.add(target);
    const text = this.#standIns.fields(bound, (expr) => this.size(expr));
    const isOpen = tags.some((tag) => tag === "dynamic_output_shape" || tag === "data_dependent_output");
    const made = this.constant(`k.call(${scriptString(target)},${text},${this.#meta(val, isOpen)})`);
    return this.results(made, val);
  }
  /** Writes the check of operands that the interpreter makes in front of a call. */
  #refuse(target: string, bound: BoundArgs): void {
    if (!this.shared.hasRefusal(target)) return;
    this.shared.refusals.add(target);
    const text = this.#standIns.fields(bound, (expr) => this.size(expr));
    this.lines.push(`k.refuse(${scriptString(target)},${text})`);
  }
  /** Writes what a decomposition emits. */
  #decomposed({ decompose }: OpDefinition, bound: BoundArgs, val: MetaValue | undefined): HostValue {
    if (decompose === undefined) throw new CannotWrite("the interpreter has no kernel for it");
    const fresh = (kind: "integer" | "float"): SymExpr =>
      symbol(this.#standIns.symbolName(), { [kind]: true }) as SymExpr;
    const env: SymEnv = {
      ...STATIC_ENV,
      freshUnbackedInt: () => fresh("integer"),
      freshUnbackedFloat: () => fresh("float"),
    };
    const emit = emitFrom(env, (target, args, kwargs) => this.#emitted(target, args, kwargs, env));
    const result = decompose(Object.assign(emit, { runsKernels: true }), bound);
    return this.results(textOf(this.#emittedValue(result)), val);
  }
  #emitted(
    target: string,
    args: readonly unknown[],
    kwargs: Readonly<Record<string, unknown>>,
    env: SymEnv,
  ): MetaValue {
    const { schema } = this.#definition(target);
    const bound = this.#standIns.bind(schema, args, kwargs, (name) => this.value(name));
    const val = metaOfBound(this.shared.operators, this.#definition(target), bound, env);
    if (val instanceof FakeTensor && this.#standIns.get(val) !== undefined) return val;
    const keep = (fake: MetaValue, value: HostValue | null): void => {
      if (fake instanceof FakeTensor && value !== null) this.#standIns.set(fake, value);
      else if (Array.isArray(fake) && value?.kind === "list")
        (fake as readonly MetaValue[]).forEach((one, at) => {
          keep(one, value.items[at]!);
        });
      else if (fake !== null) throw new CannotWrite("a part of it gives a number");
    };
    keep(val, this.#bound(target, bound, val));
    return val;
  }
  #emittedValue(result: MetaValue): HostValue {
    if (Array.isArray(result))
      return {
        kind: "list",
        items: (result as readonly MetaValue[]).map((one) => (one === null ? null : this.#emittedValue(one))),
      };
    const value = this.#standIns.get(result);
    if (value === undefined) throw new CannotWrite("it gives what none of its parts does");
    return value;
  }
  /** Returns the elements of another tensor, in other places. */
  #view(target: string, base: HostValue | undefined, val: MetaValue | undefined): HostValue {
    if (FREE_VIEWS.has(target) || base?.kind !== "tensor" || !(val instanceof FakeTensor))
      throw new CannotWrite("no module has this view");
    const { fake, text } = base;
    const [to, from] = [val.storageOffset, fake.storageOffset].map((one) => this.size(one));
    if (val.dtype !== fake.dtype && (to !== "0" || from !== "0"))
      throw new CannotWrite("it is a view in another dtype of a part of a tensor");
    const view = `k.view(${text},${scriptString(val.dtype)},${this.sizes(val.shape)},${this.sizes(val.strides)},${to}-${from})`;
    return { kind: "tensor", text: this.constant(view), fake: val };
  }

  /** Returns what a call gives, laid out as the program records it. */
  results(made: string, val: MetaValue | undefined): HostValue {
    if (Array.isArray(val)) {
      const items = (val as readonly MetaValue[]).map((one, at) =>
        one === null ? null : this.results(`${made}[${at}]`, one),
      );
      return { kind: "list", items };
    }
    if (isSymScalar(val)) return scalar(kindOfScalar(val), made);
    if (!(val instanceof FakeTensor)) throw new CannotWrite("the program does not record what it gives");
    this.#learn(made, val);
    return {
      kind: "tensor",
      text: this.constant(`k.laid(${made},${this.sizes(val.strides)})`),
      fake: val,
    };
  }
  /** Returns what loops give that have no round: sizes that are not fixed are 0. */
  empty(val: MetaValue | undefined): string {
    const fakes = Array.isArray(val) ? (val as readonly MetaValue[]) : [];
    const codes = fakes.map((fake) => {
      if (!(fake instanceof FakeTensor)) throw new CannotWrite("a loop gives a value that is not a tensor");
      const sizes = fake.shape.map((size, d) => (d === 0 || typeof size !== "number" ? 0 : size));
      return `k.fake(${scriptString(fake.dtype)},[${sizes.join(",")}],[])`;
    });
    return `[${codes.join(",")}]`;
  }
  /** Returns what the shape rule gives: sizes that the kernel finds are not numbers. */
  #meta(val: MetaValue | undefined, isOpen: boolean): string {
    if (Array.isArray(val))
      return `[${(val as readonly MetaValue[]).map((one) => this.#meta(one, isOpen)).join(",")}]`;
    if (val === null || val === undefined) return "null";
    if (!(val instanceof FakeTensor)) throw new CannotWrite("it gives a number");
    const known = (values: readonly IntLike[]): string =>
      `[${values.map((one) => (isOpen && !this.#isKnown(one) ? "NaN" : this.size(one))).join(",")}]`;
    return `k.fake(${scriptString(val.dtype)},${known(val.shape)},${known(val.strides)})`;
  }
  #isKnown(value: IntLike): boolean {
    return this.#hasSymbols(value) || this.#shown.has(printExpr(value));
  }

  /** Writes a nested graph as a function of its operands; returns its name. */
  #body(target: string): string {
    const graph = this.#graph.subgraphs.get(target);
    if (graph === undefined) throw new CannotWrite(`there is no graph ${target}`);
    const inner = new HostWriter(graph, this.shared, new Symbols("b", this.symbols.names), true);
    const parameters = graph.placeholders().map(({ name, meta: { val } }) => {
      const parameter = this.shared.next();
      if (val instanceof FakeTensor) {
        inner.#learn(parameter, val);
        inner.#place(name, parameter, val);
      } else if (isSymScalar(val)) {
        inner.learnScalar(val, parameter);
        inner.set(name, scalar(kindOfScalar(val), parameter));
      } else throw new CannotWrite("a nested graph takes a value that the program does not record");
      return parameter;
    });
    for (const node of graph.nodes())
      if (node.op === "call_function" || node.op === "get_attr") inner.callAt(node);
    const results = graph.nodes().find(({ op }) => op === "output")!.args[0]!;
    const items = itemsOf(results) ?? [results];
    const list = items.map((one) => (one === null ? "null" : textOf(inner.argument(one))));
    inner.lines.push(`return [${list.join(",")}]`);
    return this.constant(`(${parameters.join(",")})=>{${inner.lines.join(";\n")}}`);
  }
  #place(name: string, parameter: string, fake: FakeTensor): void {
    const text = this.constant(`k.laid(${parameter},${this.sizes(fake.strides)})`);
    this.set(name, { kind: "tensor", text, fake });
  }
  /** As {@link call}; an error names the node. */
  callAt(node: Node): void {
    try {
      this.call(node);
    } catch (error) {
      throw CannotWrite.at(error, node);
    }
  }
}

/** Refuses what the interpreter refuses of dtypes and numbers. @throws CannotWrite */
function refuse(definition: OpDefinition, bound: BoundArgs): void {
  for (const check of [refuseDTypes, refuseScalars, refuseSettings])
    try {
      check(definition, bound);
    } catch (error) {
      throw new CannotWrite((error as Error).message);
    }
}
