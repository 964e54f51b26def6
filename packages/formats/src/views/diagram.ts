/**
 * @file What diagrams of a program show: inputs, calls with the sizes of their results, the state
 * that they read, outputs, and a frame for each nested graph and, if asked, each module.
 */
import { checkOptions, countText, type OptionNames } from "@sconce/errors";
import {
  annotation,
  type ExportedProgram,
  FakeTensor,
  forEachInput,
  type Graph,
  isRef,
  itemsOf,
  type MetaValue,
  type Node,
} from "@sconce/ir";
import { argumentText, shortTarget } from "@sconce/ir/text";
import { diagramDepth } from "../errors.js";
import { Ids } from "./ids.js";

/** A shape with a label. */
export interface Box {
  readonly type: "box";
  /** Unique in the whole diagram; letters, digits and `_`. */
  readonly id: string;
  /** The lines of the label, as the program has them. */
  readonly lines: readonly string[];
  readonly kind: "input" | "state" | "call" | "folded" | "graph" | "output";
}

/** From box to box, by id; from state, it is dotted. */
export interface Arrow {
  readonly type: "arrow";
  readonly from: string;
  readonly to: string;
  readonly label: string | undefined;
  readonly dotted: boolean;
}

/** A frame around the items of a nested graph or a module. */
interface Frame {
  readonly type: "frame";
  readonly id: string;
  readonly title: string;
  readonly items: readonly Item[];
}

/** What a diagram is made of, in the order in which it is written. */
export type Item = Box | Arrow | Frame;

/** How much a diagram shows. */
export interface DiagramOptions {
  /**
   * Draws each module at this depth of the hierarchy as one box: 1 for the children of the model.
   * Calls outside of such modules stay. @defaultValue every call is a box
   */
  readonly fold?: number | undefined;
  /** Whether the calls of each module are in a frame. @defaultValue false */
  readonly modules?: boolean | undefined;
}

const OPTIONS: OptionNames<DiagramOptions> = { fold: true, modules: true };

/**
 * Returns the items of a program's diagram.
 * @throws SconceError `DIAGRAM_DEPTH` for a depth that is not a whole number from 1 on
 */
export function diagramOf(program: ExportedProgram, call: string, options: DiagramOptions): readonly Item[] {
  checkOptions(call, options, OPTIONS);
  const { fold } = options;
  if (fold !== undefined && !(Number.isInteger(fold) && fold >= 1)) throw diagramDepth(fold);
  return new GraphDiagram(program.graph, options, new Ids(), program).items();
}

/** A call, or a module whose calls are drawn as one. */
interface Group {
  readonly id: string;
  readonly calls: Node[];
  readonly state: Set<string>;
  /** The path and the class of a module. */
  readonly module: readonly [path: string, type: string] | undefined;
}

class GraphDiagram {
  readonly #graph: Graph;
  readonly #options: DiagramOptions;
  readonly #ids: Ids;
  readonly #prefix: string;
  /** State by placeholder. */
  readonly #state: ReadonlySet<string>;
  readonly #program: ExportedProgram | undefined;
  readonly #groups = new Map<string, Group>();
  /** The box of each node: a call may be part of a folded module. */
  readonly #boxes = new Map<string, string>();
  readonly #drawnState = new Set<string>();
  readonly #arrows = new Set<string>();

  constructor(graph: Graph, options: DiagramOptions, ids: Ids, program?: ExportedProgram, prefix = "") {
    this.#graph = graph;
    this.#options = options;
    this.#ids = ids;
    this.#prefix = prefix;
    this.#program = program;
    const specs = program?.graphSignature.inputSpecs ?? [];
    this.#state = new Set(specs.flatMap(({ kind, arg }) => (kind === "USER_INPUT" ? [] : [arg.name])));
  }

  items(): readonly Item[] {
    const nodes = this.#graph.nodes();
    const groupOf = new Map<string, Group>();
    for (const node of nodes) {
      if (node.op === "placeholder") {
        const kind = this.#state.has(node.name) ? "w" : "input";
        this.#boxes.set(node.name, this.#ids.take(`${this.#prefix}${kind}_${node.name}`));
      } else if (node.op !== "output") groupOf.set(node.name, this.#groupOf(node));
    }
    const items: Item[] = [];
    const drawn = new Set<Group>();
    for (const node of nodes) {
      if (node.op === "placeholder" && !this.#state.has(node.name)) items.push(this.#input(node));
      const group = groupOf.get(node.name);
      if (group === undefined) continue;
      if (!drawn.has(group)) items.push(boxOf(group));
      drawn.add(group);
      this.#reads(node, group, items);
    }
    this.#outputs(items);
    const nested = [...this.#graph.subgraphs].map(([target, graph], i) => this.#nested(target, graph, i));
    const all = [...items, ...nested];
    return this.#options.modules === true ? framed(all, this.#groups.values(), this.#ids) : all;
  }

  #nested(title: string, graph: Graph, index: number): Frame {
    const id = `${this.#prefix}g${index}`;
    const items = new GraphDiagram(graph, this.#options, this.#ids, undefined, `${id}_`).items();
    return { type: "frame", id: this.#ids.take(id), title, items };
  }

  #groupOf(node: Node): Group {
    const { fold } = this.#options;
    const module = fold === undefined || node.op !== "call_function" ? undefined : modulesOf(node)[fold - 1];
    // Two calls of one module differ in the key.
    const key = module === undefined ? `node ${node.name}` : `module ${module[0]}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      const name = module === undefined ? `op_${node.name}` : `mod_${module[1]}`;
      const own = module === undefined ? undefined : ([module[1], module[2]] as const);
      group = { id: this.#ids.take(this.#prefix + name), calls: [], state: new Set(), module: own };
      this.#groups.set(key, group);
    }
    group.calls.push(node);
    this.#boxes.set(node.name, group.id);
    forEachInput(node, (name) => {
      if (this.#state.has(name)) group.state.add(name);
    });
    return group;
  }

  #input({ name, meta }: Node): Box {
    const lines = [`Input: ${name}`, ...sizesOf(meta.val)];
    return { type: "box", id: this.#boxes.get(name)!, lines, kind: "input" };
  }

  /** The arrows to a call, with the state that it reads. Folded modules keep theirs inside. */
  #reads(node: Node, group: Group, items: Item[]): void {
    forEachInput(node, (name) => {
      const isState = this.#state.has(name);
      if (isState && group.module !== undefined) return;
      if (isState) this.#drawState(name, items);
      this.#arrow(name, group.id, items, isState);
    });
  }

  #drawState(name: string, items: Item[]): void {
    if (this.#drawnState.has(name)) return;
    this.#drawnState.add(name);
    const lines = [name, ...sizesOf(this.#graph.node(name).meta.val)];
    items.push({ type: "box", id: this.#boxes.get(name)!, lines, kind: "state" });
  }

  #arrow(name: string, to: string, items: Item[], dotted: boolean): void {
    const from = this.#boxes.get(name)!;
    const label = sizesOf(this.#graph.node(name).meta.val)[0];
    const key = `${from} ${to} ${label}`;
    // Calls of a folded module may take one value, or give values of one size to one call.
    if (from === to || this.#arrows.has(key)) return;
    this.#arrows.add(key);
    items.push({ type: "arrow", from, to, label, dotted });
  }

  #outputs(items: Item[]): void {
    const node = this.#graph.nodes().find(({ op }) => op === "output");
    const result = node?.args[0] ?? null;
    const specs = this.#program?.graphSignature.outputSpecs ?? [];
    (itemsOf(result) ?? [result]).forEach((value, i) => {
      const spec = specs[i];
      const title = spec?.target == null ? "Output" : `Update: ${spec.target}`;
      const sizes = isRef(value) ? sizesOf(this.#graph.find(value.name)?.meta.val) : [argumentText(value)];
      const id = this.#ids.take(`${this.#prefix}output_${i}`);
      const source = isRef(value) ? value.name : undefined;
      if (source !== undefined && this.#state.has(source)) this.#drawState(source, items);
      items.push({ type: "box", id, lines: [title, ...sizes], kind: "output" });
      if (source !== undefined)
        items.push({
          type: "arrow",
          from: this.#boxes.get(source)!,
          to: id,
          label: undefined,
          dotted: false,
        });
    });
  }
}

/** The modules that a call comes from, without the model itself, outermost first. */
const modulesOf = ({ meta }: Node) => (meta.nnModuleStack ?? []).filter(([, path]) => path !== "");

function boxOf({ id, calls, state, module }: Group): Box {
  if (module === undefined) return callBox(id, calls[0]!);
  const [path, type] = module;
  const counts = [
    countText(calls.length, "call"),
    ...(state.size === 0 ? [] : [countText(state.size, "weight")]),
  ];
  return {
    type: "box",
    id,
    lines: [path, className(type), counts.join(", ")],
    kind: "folded",
  };
}

/** Returns the name of a class without its module. */
const className = (type: string): string => type.slice(type.lastIndexOf(".") + 1);

function callBox(id: string, { op, name, target, meta }: Node): Box {
  if (op === "get_attr") return { type: "box", id, lines: [name], kind: "graph" };
  return { type: "box", id, lines: [shortTarget(target), ...sizesOf(meta.val)], kind: "call" };
}

/** Results of a call whose sizes are all shown; of more, the first. */
const MOST_SIZES = 8;
const FIRST_SIZES = 4;

/** Returns the sizes of a value, `1x4`; nothing for a value that has none. */
function sizesOf(val: MetaValue | undefined): string[] {
  if (val === undefined || val === null) return [];
  if (val instanceof FakeTensor)
    return [val.shape.length === 0 ? "scalar" : val.shape.map(sizeText).join("x")];
  if (Array.isArray(val)) {
    const values = val as readonly MetaValue[];
    // Each arrow from a call shows them: all of many results would be quadratic.
    if (values.length > MOST_SIZES)
      return [`${values.slice(0, FIRST_SIZES).flatMap(sizesOf).join(", ")}, ... (${values.length} in all)`];
    const items = values.flatMap(sizesOf);
    return items.length === 0 ? [] : [items.join(", ")];
  }
  const scalar = val as Exclude<MetaValue, FakeTensor | null | readonly MetaValue[]>;
  return [scalar.kind === "constant" ? argumentText(scalar.value) : (annotation(scalar) ?? scalar.kind)];
}

/** Sums stand in parentheses. */
const sizeText = (size: unknown): string => (/^\w+$/.test(String(size)) ? String(size) : `(${String(size)})`);

/** Moves the boxes of calls into frames of their modules; arrows come behind all boxes. */
function framed(items: readonly Item[], groups: Iterable<Group>, ids: Ids): readonly Item[] {
  const stacks = new Map<string, readonly (readonly [string, string, string])[]>();
  for (const { id, calls, module } of groups) {
    const stack = modulesOf(calls[0]!);
    stacks.set(
      id,
      module === undefined
        ? stack
        : stack.slice(
            0,
            stack.findIndex(([, path]) => path === module[0]),
          ),
    );
  }
  const root: Item[] = [];
  const frames = new Map<string, Item[]>();
  for (const item of items) {
    if (item.type !== "box") continue;
    let place = root;
    let path = "";
    for (const [key, title, type] of stacks.get(item.id) ?? []) {
      path += `/${key}`;
      let inner = frames.get(path);
      if (inner === undefined) {
        inner = [];
        frames.set(path, inner);
        const name = `${title} (${className(type)})`;
        place.push({ type: "frame", id: ids.take(`frame_${title}`), title: name, items: inner });
      }
      place = inner;
    }
    place.push(item);
  }
  return [...root, ...items.filter(({ type }) => type !== "box")];
}
