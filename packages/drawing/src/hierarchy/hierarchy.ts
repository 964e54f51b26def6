import { checkOptions, type OptionNames } from "@sconce/errors";
import {
  ExportedProgram,
  forEachRef,
  type Graph,
  itemsOf,
  type ModuleStackEntry,
  type Node,
} from "@sconce/ir";
import { shortTarget } from "@sconce/ir/text";
import { Draft, type DraftInit, divideLong, itemOf, numberDrafts } from "./draft.js";
import type { Hierarchy } from "./item.js";

/** What groups a hierarchy has. */
export interface HierarchyOptions {
  /**
   * Whether the calls of a module are a group. Nested graphs always are groups of their call.
   * @defaultValue true
   */
  readonly modules?: boolean | undefined;
}

const OPTIONS: OptionNames<HierarchyOptions> = { modules: true };

/**
 * Returns the hierarchy of a program or of a graph: modules by `nn_module_stack`, and the nested
 * graphs of control flow in the calls that run them. State is in the innermost module that has all
 * of its users, and so are calls that passes made without a stack.
 */
export function hierarchyOf(source: ExportedProgram | Graph, options: HierarchyOptions = {}): Hierarchy {
  checkOptions("hierarchyOf", options, OPTIONS);
  const isProgram = source instanceof ExportedProgram;
  const graph = isProgram ? source.graph : source;
  const builder = new HierarchyBuilder(options.modules ?? true);
  const root = builder.group(undefined, {
    key: "",
    kind: "module",
    title: "program",
    detail: "",
    graph: [],
    first: 0,
  });
  builder.add(root, graph, isProgram ? stateOf(source) : new Map());
  return builder.finish(root);
}

/** Returns the placeholders of state, with their names in the model. */
const stateOf = ({ graphSignature }: ExportedProgram): ReadonlyMap<string, string> =>
  new Map(
    graphSignature.inputSpecs.flatMap(({ kind, arg, target }) =>
      kind === "USER_INPUT" ? [] : [[arg.name, target ?? arg.name]],
    ),
  );

/** A graph whose nodes are still to be added. */
interface Pending {
  readonly root: Draft;
  readonly graph: Graph;
  readonly state: ReadonlyMap<string, string>;
}

class HierarchyBuilder {
  readonly #byModule: boolean;
  readonly #groups: Draft[] = [];
  readonly #byKey = new Map<string, Draft>();
  readonly #pending: Pending[] = [];
  readonly #from: Draft[] = [];
  readonly #to: Draft[] = [];

  constructor(byModule: boolean) {
    this.#byModule = byModule;
  }

  group(parent: Draft | undefined, init: DraftInit): Draft {
    const group = new Draft(parent, init);
    this.#groups.push(group);
    return group;
  }

  add(root: Draft, graph: Graph, state: ReadonlyMap<string, string>): void {
    this.#pending.push({ root, graph, state });
    // Graphs within graphs wait in a list: their depth has no limit.
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop())
      new GraphItems(this, next).add();
  }

  later(pending: Pending): void {
    this.#pending.push(pending);
  }

  link(from: Draft, to: Draft): void {
    this.#from.push(from);
    this.#to.push(to);
  }

  /** Returns the group of a call: its modules, from the outermost in. */
  moduleOf(root: Draft, node: Node, first: number): Draft {
    let group = root;
    if (!this.#byModule) return group;
    for (const [name, path, type] of modulesOf(node)) {
      if (path === "") continue;
      const key = `${group.key}/${name}`;
      let inner = this.#byKey.get(key);
      if (inner === undefined) {
        const detail = type.slice(type.lastIndexOf(".") + 1);
        const init = { key, kind: "module", title: within(group.path, path), detail, path } as const;
        inner = this.group(group, { ...init, graph: root.init.graph, first });
        this.#byKey.set(key, inner);
      }
      group = inner;
    }
    return group;
  }

  finish(root: Draft): Hierarchy {
    for (const group of this.#groups) group.children.sort((a, b) => a.first - b.first);
    divideLong(this.#groups);
    const drafts = numberDrafts(root);
    return {
      items: drafts.map(itemOf),
      from: Int32Array.from(this.#from, ({ id }) => id),
      to: Int32Array.from(this.#to, ({ id }) => id),
    };
  }
}

/** The items of one graph. */
class GraphItems {
  readonly #builder: HierarchyBuilder;
  readonly #root: Draft;
  readonly #graph: Graph;
  readonly #state: ReadonlyMap<string, string>;
  /** By position; undefined for reads of nested graphs, which are in their calls. */
  readonly #drafts: (Draft | undefined)[];
  readonly #groupOf: (Draft | undefined)[];

  constructor(builder: HierarchyBuilder, { root, graph, state }: Pending) {
    this.#builder = builder;
    this.#root = root;
    this.#graph = graph;
    this.#state = state;
    this.#drafts = new Array(graph.size);
    this.#groupOf = new Array(graph.size);
  }

  add(): void {
    this.#findGroups();
    this.#graph.nodes().forEach((node, position) => {
      this.#drafts[position] = this.#draft(node, position);
    });
    this.#addLinks();
  }

  /** Groups of calls by their modules; then of all others, from their users. */
  #findGroups(): void {
    const nodes = this.#graph.nodes();
    nodes.forEach((node, position) => {
      if (node.op === "call_function" && modulesOf(node).length > 0)
        this.#groupOf[position] = this.#builder.moduleOf(this.#root, node, position);
    });
    for (let position = nodes.length - 1; position >= 0; position--)
      this.#groupOf[position] ??= this.#groupFromUsers(nodes[position]!, position);
  }

  #groupFromUsers(node: Node, position: number): Draft {
    const isState = this.#state.has(node.name) || node.op === "get_attr";
    if (node.op === "output" || (node.op === "placeholder" && !isState)) return this.#root;
    let group: Draft | undefined;
    this.#graph.forEachUser(position, (user) => {
      const other = this.#groupOf[user] ?? this.#root;
      group = group === undefined ? other : common(group, other);
    });
    return group ?? this.#root;
  }

  #draft(node: Node, position: number): Draft | undefined {
    const group = this.#groupOf[position]!;
    const { name, op, target, meta } = node;
    if (op === "get_attr" && this.#graph.subgraphs.has(target)) return undefined;
    const shared = {
      key: `${this.#root.key}:${name}`,
      node: name,
      graph: this.#root.init.graph,
      first: position,
    };
    const state = this.#state.get(name);
    if (state !== undefined || op === "get_attr") {
      const title = state === undefined ? target : within(group.path, state);
      return new Draft(group, { ...shared, kind: "state", title, val: meta.val });
    }
    if (op === "placeholder")
      return new Draft(group, { ...shared, kind: "input", title: name, val: meta.val });
    if (op === "output") {
      const results = itemsOf(node.args[0] ?? null)?.length ?? 1;
      const detail = `${results} result${results === 1 ? "" : "s"}`;
      return new Draft(group, { ...shared, kind: "output", title: "output", detail });
    }
    const call = new Draft(group, { ...shared, kind: "call", title: shortTarget(target), val: meta.val });
    this.#addNested(node, call);
    return call;
  }

  /** The nested graphs that a call reads are in it. */
  #addNested(node: Node, call: Draft): void {
    const { subgraphs } = this.#graph;
    if (subgraphs.size === 0) return;
    const found = new Map<string, Graph>();
    const visit = (name: string): void => {
      const read = this.#graph.find(name);
      const graph = read?.op === "get_attr" ? subgraphs.get(read.target) : undefined;
      if (graph !== undefined) found.set(read!.target, graph);
    };
    for (const arg of [...node.args, ...Object.values(node.kwargs)]) forEachRef(arg, visit);
    if (found.size === 0) return;
    let first = 0;
    for (const [target, graph] of found) {
      const root = this.#builder.group(call, {
        key: `${call.key}/${target}`,
        kind: "graph",
        title: target,
        graph: [...this.#root.init.graph, target],
        first: first++,
      });
      this.#builder.later({ root, graph, state: new Map() });
    }
  }

  #addLinks(): void {
    const { offsets, positions } = this.#graph.operands;
    for (let position = 0; position < this.#graph.size; position++) {
      const to = this.#drafts[position];
      if (to === undefined) continue;
      const inputs = new Set(positions.subarray(offsets[position]!, offsets[position + 1]!));
      for (const input of inputs) {
        const from = input < 0 ? undefined : this.#drafts[input];
        if (from !== undefined) this.#builder.link(from, to);
      }
    }
  }
}

/** What PyTorch writes for calls that no module made. */
const NO_MODULE = "_empty_nn_module_stack_from_metadata_hook";

/** Returns the modules that a call comes from; the first one is the model. */
function modulesOf({ meta }: Node): readonly ModuleStackEntry[] {
  const stack = meta.nnModuleStack ?? [];
  return stack[0]?.[0] === NO_MODULE ? [] : stack;
}

/** Returns the innermost group that has both. */
function common(a: Draft, b: Draft): Draft {
  const around = new Set<Draft>();
  for (let group: Draft | undefined = a; group !== undefined; group = group.parent) around.add(group);
  let group = b;
  while (!around.has(group)) group = group.parent!;
  return group;
}

/** Returns a name in the model, without the path of the module that it is in. */
const within = (path: string, name: string): string =>
  path !== "" && name.startsWith(`${path}.`) ? name.slice(path.length + 1) : name;
