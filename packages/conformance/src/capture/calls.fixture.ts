/** @file Models whose inputs are containers and numbers: `call_programs.py` in TypeScript. */
import {
  attributeKey,
  check,
  float,
  nn,
  registerDataclass,
  registerNamedTuple,
  registerPytreeNode,
  type SymInt,
  sym,
  torch,
  tuple,
} from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import type { CorpusModels } from "./harness.fixture.js";

class Options {
  constructor(
    readonly x: Tensor,
    readonly scale: Tensor,
    readonly bias: Tensor | null = null,
  ) {}
}
registerDataclass(Options, {
  fields: ["x", "scale", "bias"],
  serializedTypeName: "call_programs.Options",
});

class Point {
  constructor(
    readonly px: Readonly<Record<string, Tensor>>,
    readonly py: Tensor,
  ) {}
}
registerNamedTuple(Point, { fields: ["px", "py"], serializedTypeName: "call_programs.Point" });

class Pair {
  constructor(
    readonly first: Tensor,
    readonly second: Tensor,
  ) {}
}
registerPytreeNode(Pair, {
  flatten: ({ first, second }) => [[first, second], "pair"],
  flattenWithKeys: ({ first, second }) => [
    [
      [attributeKey("first"), first],
      [attributeKey("second"), second],
    ],
    "pair",
  ],
  unflatten: (children) => new Pair(...(children as [Tensor, Tensor])),
  serializedTypeName: "call_programs.Pair",
  toDumpableContext: (context) => context as string,
  fromDumpableContext: (text) => text,
});

class OnOptions extends nn.Module {
  override forward(options: Options): Tensor {
    const y = options.x.mul(options.scale);
    return options.bias === null ? y : y.add(options.bias);
  }
}

class Nested extends nn.Module {
  override forward(items: readonly Options[], table: { readonly o: Options }): Tensor {
    const { x, scale, bias } = table.o;
    return items.length === 1 ? x.mul(scale).add(bias!) : x;
  }
}

class OnKeys extends nn.Module {
  override forward(d: ReadonlyMap<string, Tensor>): Tensor {
    return d.get("a")!.sub(d.get("b")!.mul(2));
  }
}

class OnPair extends nn.Module {
  override forward(pair: Pair): Tensor {
    return pair.first.sub(pair.second.mul(2));
  }
}

class OnPoint extends nn.Module {
  override forward(point: Point): Tensor {
    return point.px["v"]!.sub(point.py.mul(2));
  }
}

class Statics extends nn.Module {
  override forward(x: Tensor, i: number, f: number, b: boolean, s: string, n: null): Tensor {
    if (n !== null) throw new Error("n is not null");
    return x
      .mul(i)
      .add(f)
      .add(b ? 1 : 2)
      .add(s.length);
  }
}

class ItemFloatEnds extends nn.Module {
  override forward(t: Tensor, x: Tensor): unknown {
    const f = t.item();
    return tuple(torch.linspace(0, f, 4), torch.full([3], f).add(x), x.mul(sym.mul(f, float(2))));
  }
}

class ItemRangeStep extends nn.Module {
  override forward(n: Tensor, x: Tensor): unknown {
    const [a, b] = n.tolist() as [SymInt, SymInt];
    check(sym.ge(a, 0));
    check(sym.ge(b, a));
    return tuple(torch.arange(a, b), torch.arange(a, b, 2), x);
  }
}

/** Models of calling conventions, and of numbers that are read from tensors. */
export const CALL_MODELS: CorpusModels = {
  call_dataclass_absent: () => ({
    model: new OnOptions(),
    args: ([x, scale]) => [new Options(x, scale)],
  }),
  call_dataclass_full: () => ({
    model: new OnOptions(),
    args: ([x, scale, bias]) => [new Options(x, scale, bias)],
  }),
  call_dataclass_nested: () => ({
    model: new Nested(),
    args: ([a, b, x, scale, bias]) => [[new Options(a, b)], { o: new Options(x, scale, bias) }],
  }),
  call_ordered_dict: () => ({
    model: new OnKeys(),
    args: ([a, b]) => [
      new Map([
        ["a", a],
        ["b", b],
      ]),
    ],
  }),
  call_registered_class: () => ({ model: new OnPair(), args: ([a, b]) => [new Pair(a, b)] }),
  call_namedtuple: () => ({ model: new OnPoint(), args: ([v, py]) => [new Point({ v }, py)] }),
  call_static_numbers: () => ({ model: new Statics() }),
  lower_item_float_ends: () => ({ model: new ItemFloatEnds() }),
  lower_item_range_step: () => ({ model: new ItemRangeStep() }),
};
