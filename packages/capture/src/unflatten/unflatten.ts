import { checkOptions, type OptionNames } from "@sconce/errors";
import { type ExportedProgram, type Graph, requireProgram } from "@sconce/ir";
import { onValid } from "@sconce/ir/verify";
import { callingConvention, type OperatorTable } from "@sconce/ops";
import { Module, modelOperators, noteNumbered, notModule, requireFreeName } from "@sconce/torch";
import { type DraftModule, withoutCall } from "./draft-module.js";
import { draftTree } from "./draft-tree.js";
import { unsafeSwap } from "./errors.js";
import type { FlatArgsAdapter } from "./flat-args-adapter.js";
import { InterpreterModule, InterpreterModuleDispatcher } from "./interpreter-module.js";
import { UnflattenedModule } from "./unflattened-module.js";

/** Options of {@link unflatten}. */
export interface UnflattenOptions {
  /**
   * The operators that the program may use. @defaultValue Sconce's own, and those that
   * `library.customOp` declared
   */
  readonly operators?: OperatorTable | undefined;
}

const OPTIONS: OptionNames<UnflattenOptions> = { operators: true };

/**
 * Returns a program as a module with the modules of the model (`torch.export.unflatten`). Each has
 * the part of the graph that the module of the model computed, and its parameters and buffers under
 * their names. The module can be called, changed and exported again.
 *
 * Arguments and results of the modules are those of their graphs. They are those of the model where
 * the export preserved the calling convention (`preserveModuleCallSignature`), and only those
 * modules can be swapped.
 *
 * @param flatArgsAdapter gives arguments of another structure that of the export
 *
 * @throws SconceError `NOT_UNFLATTENABLE`, `NO_CALLING_CONVENTION`, `INVALID_PROGRAM`
 *
 * @example
 * const module = unflatten(program);
 * module.namedModules().map(([path]) => path); // ["", "encoder", "encoder.0", "head"]
 */
export function unflatten(
  program: ExportedProgram,
  flatArgsAdapter?: FlatArgsAdapter,
  options: UnflattenOptions = {},
): UnflattenedModule {
  checkOptions("unflatten", options, OPTIONS);
  requireProgram(program, "unflatten");
  callingConvention(program);
  return onValid(program, () => {
    const operators = options.operators ?? modelOperators();
    const { root, preserved } = draftTree(program, operators);
    return new TreeBuilder(program, operators, preserved).root(root, flatArgsAdapter);
  });
}

/** The place of a module in its parent, and in the further calls of the parent. */
interface Slot {
  readonly original: Module;
  readonly path: string;
  module: Module;
}

/** Makes modules of drafts. */
class TreeBuilder {
  readonly #program: ExportedProgram;
  readonly #operators: OperatorTable;
  readonly #preserved: ReadonlySet<string>;
  readonly #modules = new Map<DraftModule, Module>();
  /** All modules of the tree: what others replace. */
  readonly #originals = new WeakSet<Module>();
  readonly #slots = new Map<DraftModule["modules"], Map<string, Slot>>();

  constructor(program: ExportedProgram, operators: OperatorTable, preserved: ReadonlySet<string>) {
    this.#program = program;
    this.#operators = operators;
    this.#preserved = preserved;
  }

  root(draft: DraftModule, adapter: FlatArgsAdapter | undefined): UnflattenedModule {
    const module = new UnflattenedModule(this.#init(draft, ""), this.#program, adapter);
    this.#fill(module, draft, "");
    return module;
  }

  #module(draft: DraftModule, path: string): Module {
    const known = this.#modules.get(draft);
    if (known !== undefined) return known;
    const module = this.#make(draft, path);
    this.#modules.set(draft, module);
    this.#originals.add(module);
    this.#fill(module, draft, path);
    return module;
  }

  #make(draft: DraftModule, path: string): Module {
    if (draft.kind === "interpreter") return new InterpreterModule(this.#init(draft, path));
    if (draft.kind !== "dispatcher") return new Module();
    const calls = draft.calls.map((call) => this.#module(call, path) as InterpreterModule);
    return new InterpreterModuleDispatcher(calls);
  }

  #init(draft: DraftModule, path: string): ConstructorParameters<typeof InterpreterModule>[0] {
    const bodies: [string, Graph][] = [];
    for (const [name, { body }] of draft.modules) if (body !== undefined) bodies.push([name, body]);
    return {
      graph: draft.graph!.build(bodies),
      type: draft.type,
      path,
      operators: this.#operators,
      positional: path === "" ? undefined : this.#positional(path),
      extraArguments: ({ target, args }, module) => {
        if (this.#originals.has(module)) return 0;
        return args.length - (this.#positional(path === "" ? target : `${path}.${target}`) ?? args.length);
      },
    };
  }

  /**
   * Returns how many positional arguments the model gave to a module whose calling convention is
   * preserved.
   */
  #positional(path: string): number | undefined {
    const entry = this.#program.moduleCallGraph.find(({ fqn }) => fqn === withoutCalls(path));
    return entry?.signature?.inSpec.children[0]?.children.length;
  }

  #fill(module: Module, draft: DraftModule, path: string): void {
    for (const [name, parameter] of draft.parameters) module.registerParameter(name, parameter);
    for (const [name, { tensor, persistent }] of draft.buffers)
      module.registerBuffer(name, tensor, { persistent });
    for (const [name, value] of draft.attributes) {
      requireFreeName(module, name);
      Object.defineProperty(module, name, { value, writable: true, enumerable: true, configurable: true });
    }
    const slots = this.#slots.get(draft.modules) ?? new Map<string, Slot>();
    this.#slots.set(draft.modules, slots);
    for (const [name, child] of draft.modules) {
      const childPath = path === "" ? name : `${path}.${name}`;
      let slot = slots.get(name);
      if (slot === undefined) {
        const made = this.#module(child, childPath);
        slot = { original: made, module: made, path: childPath };
        slots.set(name, slot);
      }
      this.#addSlot(module, name, slot);
    }
  }

  /** A submodule is a property that refuses modules with another calling convention. */
  #addSlot(module: Module, name: string, slot: Slot): void {
    const isPreserved = this.#preserved.has(withoutCalls(slot.path));
    requireFreeName(module, name);
    noteNumbered(module, name);
    Object.defineProperty(module, name, {
      enumerable: true,
      configurable: true,
      get: () => slot.module,
      set: (next: unknown) => {
        if (!(next instanceof Module)) throw notModule(slot.path, next);
        if (!isPreserved && next !== slot.original) throw unsafeSwap(slot.path);
        slot.module = next;
      },
    });
  }
}

/** Returns a path without the numbers of calls. */
const withoutCalls = (path: string): string => path.split(".").map(withoutCall).join(".");
