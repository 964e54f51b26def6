import type { LongWorkOptions } from "@sconce/errors";
import type { ExportedProgram, Value } from "@sconce/ir";
import { graphText, signatureText } from "@sconce/ir";
import type { PassEvent } from "@sconce/passes";
import type { Backend, Sconce } from "@sconce/session";
import { type ProgramSource, readProgram, type TextReaders } from "../files/read.js";
import type { RanPass, SentProgram, SentRun } from "../playground/messages.js";
import { ranPass } from "../playground/ran-pass.js";
import type { Costs } from "./costs.js";
import { detailsOf, search } from "./details.js";
import { comparedValue, interpretedValue, KeptValues, type NodeValue, whyNoValue } from "./node-values.js";
import { keptMemory, meanProfile, profileParts } from "./profiles.js";
import type {
  AttemptRow,
  ComparisonView,
  CostView,
  DifferenceView,
  FoundItem,
  InputsOf,
  ItemDetails,
  Mark,
  MemoryView,
  NoValue,
  PlacementView,
  ProfileView,
  RewriteInfo,
  SaveFormat,
  SceneRequest,
  SceneView,
  SliceStart,
  SliceView,
  StepInfo,
  TextFormat,
  ValueView,
  VersionInfo,
} from "./protocol.js";
import type { runRewrites } from "./rewrites.js";
import { sceneView } from "./scenes.js";
import { nodePath, type Version, Versions } from "./versions.js";

/** The seed of the inputs that programs run on. */
const SEED = 0;

/**
 * What the page shows, computed away from the page: programs, scenes, passes, runs. Reading and
 * drawing need no session; it is loaded when passes or runs are asked for.
 */
export class Engine {
  readonly #versions = new Versions();
  /** Versions in the middle of a pass, by version, number of rewrites and pass. */
  readonly #partial = new Map<string, Version>();
  /** Versions that passes made, by the version before and the call of the pass. */
  readonly #made = new Map<string, Version>();
  #session: Promise<Sconce> | undefined;
  readonly #values = new KeptValues();
  #costs: Costs | undefined;

  /**
   * Opens a `.pt2` archive, JSON IR, or IR text. Weights of archives stay in the source until they
   * are read.
   */
  async open(source: Blob, name: string, work: LongWorkOptions): Promise<VersionInfo> {
    return this.#open(source, name, work);
  }

  /** Opens IR text whose tensors are in a safetensors file. */
  async openPair(text: Blob, tensors: Blob, name: string, work: LongWorkOptions): Promise<VersionInfo> {
    return this.#open(text, name, work, tensors);
  }

  /** Returns the same of a file on a server, which is read in parts where the server allows it. */
  async openAddress(address: string, name: string, work: LongWorkOptions): Promise<VersionInfo> {
    const { openAddress } = await import("../files/address.js");
    return this.#open(await openAddress(address, work), name, work);
  }

  async #open(
    source: ProgramSource,
    name: string,
    work: LongWorkOptions,
    tensors?: Blob,
  ): Promise<VersionInfo> {
    const readers = async (): Promise<TextReaders> => {
      const [session, { programFromIR }] = await Promise.all([
        this.#loadSession(),
        import("@sconce/session"),
      ]);
      return {
        parseIr: (text, options) => session.parseIr(text, options),
        programFromIR: (ir) => programFromIR(ir, session),
      };
    };
    const program = await readProgram(source, readers, work, { name, tensors });
    return this.#versions.add(program, name).info();
  }

  /** Returns a version as a file. */
  async save(id: number, format: SaveFormat, name: string, work: LongWorkOptions): Promise<Blob> {
    const { program } = this.#versions.get(id);
    const [session, { savedProgram }] = await Promise.all([this.#loadSession(), import("./saved.js")]);
    if (format === "sir") await loadAll(program, work);
    return savedProgram(program, session, format, name, work);
  }

  /** Returns what is known of a version. */
  version(id: number): VersionInfo {
    return this.#versions.get(id).info();
  }

  /** Returns what a page draws of a version. */
  async scene(request: SceneRequest): Promise<SceneView> {
    const { version, compareWith } = request;
    if (compareWith === undefined) return sceneView(this.#versions.get(version), request, undefined);
    const [own, other] = await this.#loadedPair(version, compareWith, {});
    return sceneView(own, request, other);
  }

  /** Items that have all words of a text. */
  search(version: number, text: string): readonly FoundItem[] {
    return search(this.#versions.get(version), text);
  }

  /** Returns what is known of an item; undefined for a key that the version does not have. */
  details(version: number, key: string): ItemDetails | undefined {
    return detailsOf(this.#versions.get(version), key);
  }

  /** Returns the program as text. */
  async text(version: number, format: TextFormat): Promise<string> {
    const { program } = this.#versions.get(version);
    if (format === "program") return String(program);
    if (format === "graph") return graphText(program.graph);
    if (format === "signature") return signatureText(program.graphSignature);
    const { printIr } = await import("@sconce/ir/text");
    return printIr(program, { metadata: false });
  }

  /** Continuations of an unfinished pipeline. */
  async complete(pipeline: string): Promise<readonly string[]> {
    const [{ completePipeline }, session] = await Promise.all([
      import("@sconce/passes"),
      this.#loadSession(),
    ]);
    return completePipeline(pipeline, session.passes, session);
  }

  /** Runs passes on a version. Each pass that changes the program makes a new one. */
  async runPasses(id: number, pipeline: string, work: LongWorkOptions): Promise<readonly StepInfo[]> {
    const session = await this.#loadSession();
    const start = this.#versions.get(id);
    await loadAll(start.program, work);
    const events: PassEvent[] = [];
    await session.transformAsync(start.program, pipeline, {
      ...work,
      timeRules: true,
      observers: [(event) => void events.push(event)],
    });
    let current = start;
    return events.map((event) => {
      const before = current;
      const ran = ranPass(event);
      if (ran.changed) {
        // The same pass on the same version leaves the same version: branches share their
        // beginning.
        const key = `${before.id} ${ran.call}`;
        current = this.#made.get(key) ?? this.#versions.add(event.after, ran.call, before.id);
        this.#made.set(key, current);
      }
      return stepInfo(ran, before, current);
    });
  }

  /** Returns a version as the playground gets it. */
  async pack(id: number, work: LongWorkOptions): Promise<SentProgram> {
    const { program } = this.#versions.get(id);
    await loadAll(program, work);
    const { packProgram } = await import("../playground/transfer.js");
    return packProgram(program);
  }

  /** Returns what passes of the playground did to a version, as versions. */
  async played(id: number, run: SentRun): Promise<readonly StepInfo[]> {
    const { playedPasses } = await import("./played.js");
    let current = this.#versions.get(id);
    return playedPasses(current.program, run).map(({ pass, after }) => {
      const before = current;
      if (pass.changed) current = this.#versions.add(after, pass.call, before.id);
      return stepInfo(pass, before, current);
    });
  }

  /** Returns a program that the playground made. */
  async add(name: string, sent: SentProgram): Promise<VersionInfo> {
    const [session, { unpackProgram }] = await Promise.all([
      this.#loadSession(),
      import("../playground/transfer.js"),
    ]);
    const program = unpackProgram(sent, (text, options) => session.parseIr(text, options));
    return this.#versions.add(program, name).info();
  }

  /** Returns the rewrites of rules that a pass makes in a version, in their order. */
  async rewrites(id: number, pass: string): Promise<readonly RewriteInfo[]> {
    const { made } = await this.#runRewrites(id, pass, Number.POSITIVE_INFINITY);
    return made.map(({ rule, node }) => ({ rule, node }));
  }

  /** Returns the version after the first rewrites of a pass; the same one each time. */
  async afterRewrites(id: number, pass: string, count: number): Promise<VersionInfo> {
    const key = `${id} ${count} ${pass}`;
    let version = this.#partial.get(key);
    if (version === undefined) {
      const { program } = await this.#runRewrites(id, pass, count);
      version = this.#versions.add(program, `${count} rewrite${count === 1 ? "" : "s"} of ${pass}`, id);
      this.#partial.set(key, version);
    }
    return version.info();
  }

  async #runRewrites(id: number, pass: string, limit: number): Promise<ReturnType<typeof runRewrites>> {
    const session = await this.#loadSession();
    const { program } = this.#versions.get(id);
    const { runRewrites: run } = await import("./rewrites.js");
    return run(session, program, pass, limit);
  }

  /** In what two versions differ. */
  async difference(before: number, after: number, work: LongWorkOptions): Promise<DifferenceView> {
    return differenceView(...(await this.#loadedPair(before, after, work)));
  }

  /** Two versions that can be compared: a difference includes the weights. */
  async #loadedPair(
    first: number,
    second: number,
    work: LongWorkOptions,
  ): Promise<readonly [Version, Version]> {
    const versions = [this.#versions.get(first), this.#versions.get(second)] as const;
    for (const { program } of versions) await loadAll(program, work);
    return versions;
  }

  /** Where a backend runs each call. The program is compiled, and runs once on drawn inputs. */
  async placement(id: number, backend: string, work: LongWorkOptions): Promise<PlacementView> {
    const version = this.#versions.get(id);
    const session = await this.#loadSession();
    await loadAll(version.program, work);
    const executable = await session.compile(version.program, await loaded(backend), work);
    try {
      const placement = executable.placement?.();
      return {
        backend,
        device: placement?.device ?? "the interpreter runs all calls",
        rows: (placement?.nodes ?? []).map(({ node, target, source, place, reason }) => ({
          key: source === undefined ? undefined : version.keyOf("", source),
          node,
          target,
          place,
          reason,
        })),
      };
    } finally {
      executable.dispose();
    }
  }

  /** Returns the values of all nodes on two backends, on the inputs of the export or drawn ones. */
  async compare(
    id: number,
    names: readonly [string, string],
    work: LongWorkOptions,
  ): Promise<ComparisonView> {
    const version = this.#versions.get(id);
    const session = await this.#loadSession();
    await loadAll(version.program, work);
    const backends = [await loaded(names[0]), await loaded(names[1])] as const;
    const { values, inputs } = await inputsOf(version.program);
    const found = await session.compareBackends(version.program, values, backends, work);
    const { comparisonView } = await import("./comparison-view.js");
    return comparisonView(version, inputs, found);
  }

  /** Compiles and runs a version: times by kernel, and the results. */
  async profile(id: number, backend: string, work: LongWorkOptions): Promise<ProfileView> {
    const version = this.#versions.get(id);
    const session = await this.#loadSession();
    await loadAll(version.program, work);
    const { values, inputs } = await inputsOf(version.program);
    const start = performance.now();
    const executable = await session.compile(version.program, await loaded(backend), work);
    try {
      const compiled = performance.now();
      // The first run starts what the engine of JavaScript compiles later.
      await executable.run(values, work);
      const warm = performance.now();
      const results = await executable.run(values, work);
      const runMilliseconds = performance.now() - warm;
      const profile = await meanProfile(executable, () => executable.run(values, { ...work, profile: true }));
      const { rows, plan, memory } = profileParts(version, executable, profile);
      return {
        inputs,
        backend,
        compileMilliseconds: compiled - start,
        runMilliseconds,
        rows,
        plan,
        memory: backend === "cpu" ? await this.#kept(version, values) : memory,
        results: results.map(String),
      };
    } finally {
      executable.dispose();
    }
  }

  async #kept(version: Version, values: readonly Value[]): Promise<MemoryView> {
    const { lifetimesOf } = await import("./lifetimes.js");
    return keptMemory(version, lifetimesOf(version.program, values));
  }

  /**
   * Returns the elements of a node in a run on the interpreter, on the inputs of the export or
   * drawn ones; for nodes of nested graphs and for values that are not tensors why there are none.
   */
  async values(id: number, key: string, work: LongWorkOptions): Promise<ValueView | NoValue> {
    const value = await this.#valueOf(id, key, ["cpu"], work);
    if (value === undefined) return { reason: whyNoValue(this.#versions.get(id), key) };
    const { valueView } = await import("./values.js");
    return valueView(value.tensors[0]!.tensor);
  }

  /**
   * Returns a page of a slice of the same elements; of two backends, the values that are compared.
   */
  async slice(
    id: number,
    key: string,
    backends: readonly string[],
    start: SliceStart,
    work: LongWorkOptions,
  ): Promise<SliceView | undefined> {
    const value = await this.#valueOf(id, key, backends, work);
    if (value === undefined) return undefined;
    const { sliceView } = await import("./slices.js");
    return sliceView(this.#versions.get(id).item(key)!.node!, value, start);
  }

  async #valueOf(
    id: number,
    key: string,
    names: readonly string[],
    work: LongWorkOptions,
  ): Promise<NodeValue | undefined> {
    const version = this.#versions.get(id);
    const item = version.item(key);
    if (item?.node === undefined || item.graph.length > 0) return undefined;
    const { node } = item;
    return this.#values.get(version, node, names, async () => {
      const session = await this.#loadSession();
      await loadAll(version.program, work);
      const { values: inputs } = await inputsOf(version.program);
      const run = { version, node, inputs, seed: SEED };
      if (names.length === 1) return interpretedValue(run);
      const backends = [await loaded(names[0]!), await loaded(names[1]!)] as const;
      return comparedValue(session, run, backends, work);
    });
  }

  /** Returns what the calls of an item cost; undefined for items that the version does not have. */
  async cost(id: number, key: string, work: LongWorkOptions): Promise<CostView | undefined> {
    const version = this.#versions.get(id);
    const item = version.item(key);
    if (item === undefined) return undefined;
    const [session, { Costs }] = await Promise.all([this.#loadSession(), import("./costs.js")]);
    this.#costs ??= new Costs(session);
    return await this.#costs.of(version, item, work);
  }

  /** Returns what each rule says of a node: that it fires there, or why it does not. */
  async explain(id: number, key: string): Promise<readonly AttemptRow[]> {
    const version = this.#versions.get(id);
    const item = version.item(key);
    if (item?.node === undefined) return [];
    const path = nodePath(item);
    const session = await this.#loadSession();
    return session
      .explain(version.program)
      .filter(({ graph = "", node }) => `${graph}/${node}` === path)
      .map(({ rule, reason }) => ({ rule, fires: reason === undefined, reason }));
  }

  #loadSession(): Promise<Sconce> {
    this.#session ??= newSession().catch((error: unknown) => {
      // What could not be fetched is asked for again.
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }
}

async function newSession(): Promise<Sconce> {
  const { createSconce } = await import("@sconce/session");
  const session = createSconce();
  await session.prepare();
  return session;
}

const loaded = async (name: string): Promise<Backend> => {
  const { loadBackend } = await import("@sconce/session/backends");
  return loadBackend(name);
};

/** Reads the weights, which passes and runs need. */
async function loadAll(program: ExportedProgram, work: LongWorkOptions): Promise<void> {
  const { loadValues } = await import("@sconce/session");
  await loadValues(program, work);
}

interface RunInputs {
  readonly values: readonly Value[];
  readonly inputs: InputsOf;
}

async function inputsOf(program: ExportedProgram): Promise<RunInputs> {
  const { exampleInputs, randomInputs } = await import("@sconce/session");
  const values = exampleInputs(program);
  if (values !== undefined) return { values, inputs: "export" };
  return { values: randomInputs(program, { seed: SEED }), inputs: "random" };
}

function stepInfo(ran: RanPass, before: Version, after: Version): StepInfo {
  const nodes = before === after ? [] : before.differenceTo(after).nodes;
  const count = (...kinds: readonly Mark[]): number =>
    nodes.filter(({ kind }) => kinds.includes(kind)).length;
  return {
    ...ran,
    before: before.id,
    version: after.id,
    added: count("added"),
    removed: count("removed"),
    edited: count("changed", "moved"),
  };
}

function differenceView(before: Version, after: Version): DifferenceView {
  const { nodes, removed, added } = before.differenceTo(after);
  return {
    nodes: nodes.map((node) => ({
      key: (node.kind === "removed" ? before : after).keyOf(node.graph, node.node),
      mark: node.kind,
      before: node.before,
      after: node.after,
    })),
    removed,
    added,
  };
}
