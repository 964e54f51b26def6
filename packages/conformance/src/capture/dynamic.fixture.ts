/** @file Models of the documents whose sizes are dynamic: `seed_programs.py` in TypeScript. */
import { Dim, guard, nn, sym, torch } from "@sconce/capture";
import { pythonTuple } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import type { CorpusModels } from "./harness.fixture.js";

class TwoBranches extends nn.Module {
  readonly branch1 = new nn.Sequential(new nn.Linear(64, 32), new nn.ReLU());
  readonly branch2 = new nn.Sequential(new nn.Linear(128, 64), new nn.ReLU());
  readonly buffer = torch.ones(32);

  override forward(x1: Tensor, x2: Tensor): unknown {
    const out1 = this.branch1(x1);
    const out2 = this.branch2(x2);
    return pythonTuple(out1.add(this.buffer), out2);
  }
}

class ShapeIf extends nn.Module {
  override forward(x: Tensor): Tensor {
    if (guard(sym.gt(x.size(0), 5))) return x.add(1);
    return x.sub(1);
  }
}

class IndexSelect extends nn.Module {
  override forward(x: Tensor, index: Tensor): Tensor {
    return torch.indexSelect(x, 0, index);
  }
}

class CatShapes extends nn.Module {
  override forward(x: Tensor, y: Tensor): unknown {
    const z = torch.cat([x, y], 0);
    return pythonTuple(z.reshape(-1).mul(z.size(0)), z.newZeros(sym.mul(z.size(0), 2), x.size(1)));
  }
}

class MultiOutputAndSize extends nn.Module {
  override forward(x: Tensor): unknown {
    const [values, indices] = nn.functional.maxPool2d(x, 2, { returnIndices: true }) as unknown as Tensor[];
    return pythonTuple(values, indices, x.size(0));
  }
}

/** Models with dynamic sizes. */
export const DYNAMIC_MODELS: CorpusModels = {
  api_dynamic_branches: () => {
    const batch = Dim("batch");
    return {
      model: new TwoBranches(),
      options: () => ({ dynamicShapes: { x1: { 0: batch }, x2: { 0: batch } } }),
    };
  },
  pm_shape_guard_auto: () => ({
    model: new ShapeIf(),
    options: () => ({ dynamicShapes: { x: { 0: Dim.AUTO } } }),
  }),
  pm_shape_guard_range: () => ({
    model: new ShapeIf(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("dim0_x", { min: 6 }) } } }),
  }),
  pm_index_select: () => ({
    model: new IndexSelect(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("n") }, index: { 0: Dim("k") } } }),
  }),
  pm_cat_shapes: () => {
    const [a, b, c] = [Dim("a"), Dim("b"), Dim("c")];
    return {
      model: new CatShapes(),
      options: () => ({ dynamicShapes: { x: { 0: a, 1: c }, y: { 0: b, 1: c } } }),
    };
  },
  ir_meta_values: () => ({
    model: new MultiOutputAndSize(),
    options: () => ({ dynamicShapes: { x: { 0: Dim("batch") } } }),
  }),
};
