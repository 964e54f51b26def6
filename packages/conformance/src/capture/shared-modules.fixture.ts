/**
 * @file Models whose modules, parameters and buffers have several names, beside what PyTorch makes
 * of them (`oracle/shared_modules.py`).
 */
import { exportProgram, nn, torch, type UnflattenedModule, unflatten } from "@sconce/capture";
import { isSconceError } from "@sconce/errors";
import { type ExportedProgram, moduleCallRepr } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { fixtureJson } from "../fixtures.js";
import { comparable } from "./retraced.fixture.js";
import { graphsText, namesText } from "./unflattened.fixture.js";

/** What PyTorch makes of a model. */
export interface SharedRecord {
  readonly model: string;
  readonly strict: boolean;
  /** The paths whose signatures are preserved. */
  readonly preserve?: readonly string[];
  readonly program?: string;
  /** Nodes with their module stacks. */
  readonly stacks?: unknown;
  readonly state?: readonly string[];
  readonly calls?: readonly string[];
  readonly names?: string;
  readonly graphs?: string;
  /** Whether the unflattened module gives the numbers of the model. */
  readonly runs?: boolean;
  readonly error?: string;
}

/** PyTorch's results. */
export const SHARED = fixtureJson("capture/shared-modules.json.gz") as readonly SharedRecord[];

class TwoNames extends nn.Module {
  readonly b = new nn.Linear(2, 2);
  readonly c = this.b;
}

class BThenC extends TwoNames {
  override forward(x: Tensor): Tensor {
    return this.c(this.b(x).relu());
  }
}

class CThenB extends TwoNames {
  override forward(x: Tensor): Tensor {
    return this.b(this.c(x).relu());
  }
}

class OnlyB extends TwoNames {
  override forward(x: Tensor): Tensor {
    return this.b(x);
  }
}

class OnlyC extends TwoNames {
  override forward(x: Tensor): Tensor {
    return this.c(x);
  }
}

class BTwiceC extends TwoNames {
  override forward(x: Tensor): Tensor {
    return this.b(this.c(this.b(x).relu()).relu());
  }
}

class ReadFirst extends TwoNames {
  override forward(x: Tensor): Tensor {
    const { b, c } = this;
    return b(c(x).relu());
  }
}

class Captured extends TwoNames {
  readonly others = [this.c];

  override forward(x: Tensor): Tensor {
    return this.c(this.others[0]!(x).relu());
  }
}

class Block extends nn.Module {
  readonly fc: nn.Linear;

  constructor(inner = new nn.Linear(2, 2)) {
    super();
    this.fc = inner;
  }

  override forward(x: Tensor): Tensor {
    return this.fc(x).relu();
  }
}

class NestedShare extends nn.Module {
  readonly first = new Block();
  readonly second = this.first;

  override forward(x: Tensor): Tensor {
    return this.second(this.first(x)).add(this.second.fc(x));
  }
}

class TwoParents extends nn.Module {
  readonly left = new Block();
  readonly right = new Block(this.left.fc);

  override forward(x: Tensor): Tensor {
    return this.right(x).add(this.left(x));
  }
}

class ParentAndRoot extends nn.Module {
  readonly block = new Block();
  readonly fc = this.block.fc;

  override forward(x: Tensor): Tensor {
    return this.fc(this.block(x));
  }
}

type Layer = nn.Linear | InstanceType<typeof nn.ReLU>;

class RepeatedList extends nn.Module {
  readonly layers: nn.ModuleList<Layer>;

  constructor() {
    super();
    const fc = new nn.Linear(2, 2);
    this.layers = new nn.ModuleList<Layer>([fc, new nn.ReLU(), fc]);
  }

  override forward(x: Tensor): Tensor {
    let y = x;
    for (const layer of this.layers) y = layer(y);
    return y;
  }
}

class RepeatedSequence extends nn.Module {
  readonly layers: nn.Sequential;

  constructor() {
    super();
    const [fc, act] = [new nn.Linear(2, 2), new nn.ReLU()];
    this.layers = new nn.Sequential(fc, act, fc, act);
  }

  override forward(x: Tensor): Tensor {
    return this.layers(x);
  }
}

class IndexedList extends nn.Module {
  readonly layers: nn.ModuleList<Block>;

  constructor() {
    super();
    const block = new Block();
    this.layers = new nn.ModuleList([block, new Block(), block]);
  }

  override forward(x: Tensor): Tensor {
    return this.layers.at(0)(this.layers.at(1)(this.layers.at(2)(x)));
  }
}

class RepeatedDict extends nn.Module {
  readonly layers: nn.ModuleDict<nn.Linear>;

  constructor() {
    super();
    const fc = new nn.Linear(2, 2);
    this.layers = new nn.ModuleDict({ a: fc, b: fc });
  }

  override forward(x: Tensor): Tensor {
    return this.layers.get("b")!(this.layers.get("a")!(x));
  }
}

class TiedWeights extends nn.Module {
  readonly a = new nn.Linear(2, 2);
  readonly b = new nn.Linear(2, 2);

  constructor() {
    super();
    this.b.weight = this.a.weight;
  }

  override forward(x: Tensor): Tensor {
    return this.b(this.a(x));
  }
}

class TiedEmbedding extends nn.Module {
  readonly embed = new nn.Embedding(4, 2);
  readonly head = new nn.Linear(2, 4, { bias: false });

  constructor() {
    super();
    this.head.weight = this.embed.weight;
  }

  override forward(x: Tensor): Tensor {
    return this.head(this.embed(x.long().clamp(0, 3)));
  }
}

class Scaled extends nn.Module {
  declare readonly table: Tensor;

  constructor(table: Tensor) {
    super();
    this.registerBuffer("table", table);
  }

  override forward(x: Tensor): Tensor {
    return x.mul(this.table);
  }
}

class SharedBuffer extends nn.Module {
  readonly left = new Scaled(torch.ones([2]));
  readonly right = new Scaled(this.left.table);

  override forward(x: Tensor): Tensor {
    return this.right(this.left(x));
  }
}

class Counter extends nn.Module {
  readonly count = new nn.Buffer(torch.zeros([2]));

  override forward(x: Tensor): Tensor {
    this.count.add_(1);
    return x.add(this.count);
  }
}

class SharedCounter extends nn.Module {
  readonly a = new Counter();
  readonly b = this.a;

  override forward(x: Tensor): Tensor {
    return this.b(this.a(x));
  }
}

class Assigns extends nn.Module {
  count: Tensor = new nn.Buffer(torch.zeros([2]));

  override forward(x: Tensor): Tensor {
    this.count = this.count.add(1);
    return x.add(this.count);
  }
}

class SharedAssignment extends nn.Module {
  readonly a = new Assigns();
  readonly b = this.a;

  override forward(x: Tensor): Tensor {
    return this.b(this.a(x));
  }
}

/** Private fields are those of the module itself. */
class WithHelper extends nn.Module {
  readonly fc = new nn.Linear(2, 2);
  readonly #isNegated = true;

  helped(x: Tensor): Tensor {
    const y = this.fc(x);
    return this.#isNegated ? y.neg() : y;
  }

  override forward(x: Tensor): Tensor {
    return this.helped(x);
  }
}

class Helper extends nn.Module {
  readonly first = new WithHelper();
  readonly second = this.first;

  override forward(x: Tensor): Tensor {
    return this.second.helped(this.first(x));
  }
}

class Unused extends nn.Module {
  readonly a = new Block();
  readonly b = this.a;
  readonly other = new Block();

  override forward(x: Tensor): Tensor {
    return this.other(this.a(this.a(x)));
  }
}

class Applies extends nn.Module {
  override forward(module: nn.Linear, x: Tensor): Tensor {
    return module(x).relu();
  }
}

class GivenModule extends TwoNames {
  readonly apply_it = new Applies();

  override forward(x: Tensor): Tensor {
    return this.apply_it(this.c, this.apply_it(this.b, x));
  }
}

class Children extends TwoNames {
  readonly d = new nn.ReLU();

  override forward(x: Tensor): Tensor {
    let y = x;
    for (const [, child] of this.namedChildren()) y = (child as Layer)(y);
    return y;
  }
}

class TwoFields extends nn.Module {
  readonly u = new nn.Linear(2, 2);
  readonly v = this.u;

  override forward(x: Tensor): Tensor {
    return this.v(this.u(x));
  }
}

class ThreeDeep extends nn.Module {
  readonly p: nn.Sequential;
  readonly q: nn.Sequential;

  constructor() {
    super();
    const block = new TwoFields();
    this.p = new nn.Sequential(block, new nn.ReLU());
    this.q = new nn.Sequential(new nn.ReLU(), block);
  }

  override forward(x: Tensor): Tensor {
    return this.q(this.p(x));
  }
}

class Switch extends nn.Module {
  readonly fc = new nn.Linear(2, 2);

  override forward(x: Tensor, n: number): Tensor {
    const y = this.fc(x);
    return n === 1 ? y.relu() : y.neg();
  }
}

class DifferentCalls extends nn.Module {
  readonly a = new Switch();
  readonly b = this.a;

  override forward(x: Tensor): Tensor {
    return this.b(this.a(x, 1), 2).add(this.a(x, 2));
  }
}

/** The models by their names. */
export const SHARED_MODELS: Readonly<Record<string, new () => nn.Module>> = {
  BThenC,
  CThenB,
  OnlyB,
  OnlyC,
  BTwiceC,
  ReadFirst,
  Captured,
  NestedShare,
  TwoParents,
  ParentAndRoot,
  RepeatedList,
  RepeatedSequence,
  IndexedList,
  RepeatedDict,
  TiedWeights,
  TiedEmbedding,
  SharedBuffer,
  SharedCounter,
  SharedAssignment,
  Helper,
  Unused,
  GivenModule,
  Children,
  ThreeDeep,
  DifferentCalls,
};

/** Returns what Sconce makes of a model, as PyTorch's results are recorded. */
export function recordOf({ model, strict, preserve = [] }: SharedRecord): Partial<SharedRecord> {
  const net = new SHARED_MODELS[model]!();
  let found: Partial<SharedRecord> = {};
  try {
    const program = exportProgram(net, [input()], { strict, preserveModuleCallSignature: preserve });
    found = programParts(program);
    const module = unflatten(program);
    return { ...found, names: namesText(module), graphs: graphsText(module), runs: runsAlike(net, module) };
  } catch (error) {
    if (!isSconceError(error)) throw error;
    return { ...found, error: error.code };
  }
}

const input = (): Tensor => torch.ones([2, 2]);

function programParts(program: ExportedProgram): Partial<SharedRecord> {
  return {
    program: comparable(String(program)),
    stacks: [...program.graph.nodes()].flatMap(({ name, meta: { nnModuleStack } }) =>
      nnModuleStack === undefined ? [] : [[name, ...nnModuleStack]],
    ),
    state: [...program.stateDict.keys()],
    calls: program.moduleCallGraph.slice(1).map(moduleCallRepr),
  };
}

const runsAlike = (net: nn.Module, module: UnflattenedModule): boolean =>
  torch.equal(
    (net as unknown as (x: Tensor) => Tensor)(input()),
    (module as unknown as (x: Tensor) => Tensor)(input()),
  );
