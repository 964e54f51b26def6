/** @file Symbolic shapes: the `shape_` programs of `language_programs.py` in TypeScript. */
import {
  Dim,
  type DynamicShapes,
  exportProgram,
  float,
  nn,
  refineDynamicShapesFromSuggestedFixes,
  ShapesCollection,
  type Size,
  type SymInt,
  slice,
  sym,
  torch,
  tuple,
} from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import type { CorpusModels } from "./harness.fixture.js";

const F = nn.functional;

class Reshapes extends nn.Module {
  override forward(x: Tensor): unknown {
    const [b, t, c] = x.size() as [SymInt, SymInt, SymInt];
    const flat = x.reshape(sym.mul(b, t), c);
    const heads = x.view(b, t, 2, sym.floorDiv(c, 2)).transpose(1, 2);
    const back = heads.transpose(1, 2).reshape(b, t, -1);
    return tuple(flat.sum(1), heads.contiguous(), back.flatten(1), x.permute(2, 0, 1).unsqueeze(1));
  }
}

class Factories extends nn.Module {
  override forward(x: Tensor): unknown {
    const [n, m] = x.size() as [SymInt, SymInt];
    const pos = torch.arange(n, { dtype: "float32" });
    const grid = torch.arange(0, sym.mul(m, 2), 2);
    const mask = torch.ones(n, m).tril();
    const eye = torch.eye(n);
    const fill = torch.full([n, 2], -Infinity);
    return tuple(
      pos.div(n),
      grid,
      x.mul(mask),
      eye,
      fill,
      torch.zeros(sym.add(m, 1)),
      torch.linspace(0, 1, 5),
      x.newFull([m], n),
      x.size(0),
    );
  }
}

class Slices extends nn.Module {
  override forward(x: Tensor, k: number): unknown {
    const n = x.size(0);
    const half = sym.floorDiv(n, 2);
    return tuple(
      x.at(slice(half)),
      x.at(slice(half, null)),
      x.at(-1),
      x.at("1:-1:2"),
      x.at(slice(sym.sub(n, 1))).sub(x.at("1:")),
      x.at("...", "::2"),
      x.at(null, ":", 0),
      x.narrow(0, 1, k),
    );
  }
}

class ConvSizes extends nn.Module {
  readonly conv = new nn.Conv2d(1, 2, 3, { stride: 2, padding: 1 });
  readonly pool = new nn.AvgPool2d(2);

  override forward(x: Tensor): unknown {
    const y = this.conv(x);
    const z = this.pool(y);
    const up = F.interpolate(z, { scaleFactor: 2, mode: "nearest" });
    return tuple(y.size(2), z, up, F.pad(x, [0, sym.mod(x.size(3), 4)]));
  }
}

class SymbolicNumbers extends nn.Module {
  override forward(x: Tensor): unknown {
    const n = x.size(0);
    const scale = sym.trueDiv(float(1), sym.sqrt(n));
    const capped = sym.min<Size>(n, 6);
    const grown = sym.max<Size>(n, 4);
    return tuple(
      x.mul(scale),
      x.newOnes(capped),
      x.newZeros(grown),
      x.mul(sym.float(n)),
      x.mul(sym.pow(n, 2)),
      x.div(n),
      sym.add(sym.mul(n, 2), 1),
    );
  }
}

class BoolOutput extends nn.Module {
  override forward(x: Tensor): unknown {
    return tuple(x.add(1), sym.gt(x.size(0), 2));
  }
}

class DynamicInts extends nn.Module {
  override forward(x: Tensor, n: SymInt, f: number): unknown {
    return tuple(x.mul(n), x.repeat(n, 1), torch.zeros(sym.add(n, 1)), x.mul(f));
  }
}

class AutoDims extends nn.Module {
  override forward(x: Tensor, y: Tensor, z: Tensor): unknown {
    return tuple(x.matmul(y), z.add(1));
  }
}

class StaticDim extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x.sum(0);
  }
}

class Broadcast extends nn.Module {
  override forward(x: Tensor, y: Tensor): unknown {
    return tuple(x.add(y.unsqueeze(0)), torch.maximum(x, y.expand(x.size(0), -1)));
  }
}

class SplitChunks extends nn.Module {
  override forward(x: Tensor): unknown {
    const [a, b] = x.split(sym.floorDiv(x.size(0), 2)) as [Tensor, Tensor];
    const [q, k, v] = x.chunk(3, { dim: 1 }) as [Tensor, Tensor, Tensor];
    const parts = torch.split(x, [1, 2, 3], { dim: 1 });
    const stacked = torch.stack([q, k, v]);
    const [first, ...rest] = x.unbind(1);
    return tuple(
      a.mul(b),
      q.matmul(k.t()).matmul(v),
      parts[1],
      stacked,
      first,
      rest.at(-1),
      torch.cat([...parts].reverse(), 1),
    );
  }
}

class DerivedDim extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    return x.add(y.at("1:"));
  }
}

class EvenAndDouble extends nn.Module {
  override forward(x: Tensor, y: Tensor, z: Tensor): unknown {
    const a = x.view(-1, 2).sum(1);
    return tuple(a.add(y), z.at(slice(sym.mul(y.size(0), 3))));
  }
}

class SmallBranches extends nn.Module {
  readonly branch1 = new nn.Sequential(new nn.Linear(8, 4), new nn.ReLU());
  readonly branch2 = new nn.Sequential(new nn.Linear(12, 8), new nn.ReLU());
  readonly buffer = torch.ones(4);

  override forward(x1: Tensor, x2: Tensor): unknown {
    return tuple(this.branch1(x1).add(this.buffer), this.branch2(x2));
  }
}

class TwoUsers extends nn.Module {
  override forward(x: Tensor, others: readonly [Tensor, Tensor]): unknown {
    const [y, z] = others;
    return tuple(x.sum().add(z), y.repeat(2));
  }
}

class ReshapeToFour extends nn.Module {
  override forward(x: Tensor, y: Tensor): unknown {
    return tuple(x.reshape(4, sym.floorDiv(x.size(0), 4)).sum(0), y.at("2:").add(x));
  }
}

const { AUTO, DYNAMIC, STATIC } = Dim;

/** Models with symbolic shapes. */
export const SHAPE_MODELS: CorpusModels = {
  shape_reshapes: () => ({
    model: new Reshapes(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("b"), 1: Dim("t") } } }),
  }),
  shape_factories: () => ({
    model: new Factories(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("n"), 1: Dim("m") } } }),
  }),
  shape_slices: () => ({
    model: new Slices(),
    options: () => ({ dynamicShapes: { x: { 0: AUTO }, k: null } }),
  }),
  shape_conv_sizes: () => ({
    model: new ConvSizes(),
    options: () => ({
      dynamicShapes: { x: { 2: Dim("h", { min: 8, max: 64 }), 3: Dim("w", { min: 8, max: 64 }) } },
    }),
  }),
  shape_numbers: () => ({
    model: new SymbolicNumbers(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("n", { min: 3, max: 100 }) } } }),
  }),
  shape_bool_output: () => ({
    model: new BoolOutput(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("n") } } }),
  }),
  shape_int_input: () => ({
    model: new DynamicInts(),
    options: () => ({ dynamicShapes: { x: null, n: DYNAMIC, f: null } }),
  }),
  shape_auto: () => ({
    model: new AutoDims(),
    options: () => ({
      dynamicShapes: [
        [AUTO, AUTO],
        [AUTO, AUTO],
        [AUTO, AUTO],
      ],
    }),
  }),
  shape_dim_static: () => ({
    model: new StaticDim(),
    options: () => ({ dynamicShapes: { x: { 0: DYNAMIC, 1: STATIC, 2: 4, 3: null } } }),
  }),
  shape_broadcast: () => {
    const [b, c] = [Dim("b"), Dim("c")];
    return { model: new Broadcast(), options: () => ({ dynamicShapes: [{ 0: b, 1: c }, { 0: c }] }) };
  },
  shape_split: () => ({
    model: new SplitChunks(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("h", { min: 1, max: 50 }).mul(2) } } }),
  }),
  api_derived_dim: () => {
    const dimx = Dim("dimx", { min: 3, max: 6 });
    return { model: new DerivedDim(), options: () => ({ dynamicShapes: [{ 0: dimx }, { 0: dimx.add(1) }] }) };
  },
  api_derived_multiples: () => {
    const d = Dim("d", { min: 2, max: 64 });
    return {
      model: new EvenAndDouble(),
      options: () => ({ dynamicShapes: [{ 0: d.mul(2) }, { 0: d }, { 0: d.mul(3).add(1) }] }),
    };
  },
  old_dynamic_dim_equality: () => {
    const batch = Dim("batch", { min: 2 });
    return { model: new SmallBranches(), options: () => ({ dynamicShapes: [{ 0: batch }, { 0: batch }] }) };
  },
  api_shapes_collection: () => ({
    model: new TwoUsers(),
    args: ([x, y, z]) => [x, [y, z]],
    options: ([x, y]) => {
      const dim = Dim("dim", { min: 2, max: 100 });
      const shapes = new ShapesCollection();
      shapes.set(x, [dim, dim.add(1), 8]);
      shapes.set(y, { 0: dim.mul(2) });
      return { dynamicShapes: shapes };
    },
  }),
  api_refine_dynamic_shapes: () => ({
    model: new ReshapeToFour(),
    options: ([x, y]) => {
      const dynamicShapes = { x: [Dim("dx")], y: [Dim("dy")] };
      return { dynamicShapes: refined(new ReshapeToFour(), [x, y], dynamicShapes) };
    },
  }),
};

/** Returns the specification that the error of an export suggests. */
function refined(model: nn.Module, args: readonly unknown[], dynamicShapes: DynamicShapes): DynamicShapes {
  try {
    exportProgram(model, args, { dynamicShapes });
  } catch (error) {
    return refineDynamicShapesFromSuggestedFixes(String((error as Error).message), dynamicShapes);
  }
  return dynamicShapes;
}
