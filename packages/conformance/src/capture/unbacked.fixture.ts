/** @file Values and sizes that depend on data, written in TypeScript. */
import { callOperator, check, checkIsSize, guard, nn, type SymInt, sym, torch, tuple } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import type { CorpusModels } from "./harness.fixture.js";

class ItemFloat extends nn.Module {
  override forward(x: Tensor, s: Tensor): unknown {
    const v = s.item();
    return tuple(x.mul(v), x.add(sym.mul(v, 2)), torch.full([2], v));
  }
}

class ItemBool extends nn.Module {
  override forward(x: Tensor, flag: Tensor): Tensor {
    const i = flag.to("int64").item();
    check(sym.ge(i, 0));
    check(sym.le(i, 1));
    return x.mul(i);
  }
}

class MaskedSelect extends nn.Module {
  override forward(x: Tensor, lengths: Tensor): unknown {
    const picked = torch.maskedSelect(x, x.gt(0));
    const total = lengths.sum().item();
    check(sym.ge(total, 1));
    check(sym.le(total, 100));
    const repeated = torch.repeatInterleave(torch.arange(3), lengths);
    return tuple(picked.mul(2), picked.sum(), repeated.add(1), torch.zeros(total, 2));
  }
}

class ToList extends nn.Module {
  override forward(x: Tensor, sizes: Tensor): unknown {
    const [a, b] = sizes.tolist() as [SymInt, SymInt];
    check(sym.ge(a, 0));
    check(sym.ge(b, 0));
    check(sym.eq(sym.add(a, b), x.size(0)));
    const [left, right] = torch.split(x, [a, b]) as [Tensor, Tensor];
    return tuple(left.sum(), right.mean());
  }
}

class NonzeroCheck extends nn.Module {
  override forward(x: Tensor): Tensor {
    const nz = x.nonzero();
    check(sym.gt(nz.size(0), 0));
    if (guard(sym.gt(nz.size(0), 0))) return x.sin();
    return x.cos();
  }
}

class NonzeroUsed extends nn.Module {
  override forward(x: Tensor): unknown {
    const nz = x.nonzero();
    return tuple(nz, nz.size(0), x.at(x.gt(0)).sum());
  }
}

class ConstrainAsSize extends nn.Module {
  override forward(x: Tensor): Tensor {
    const n = x.max().item();
    checkIsSize(n);
    check(sym.le(n, 8));
    return torch.ones(n, 2).mul(n);
  }
}

class ConstrainAsValue extends nn.Module {
  override forward(x: Tensor, y: Tensor): unknown {
    const a = y.item();
    check(sym.ge(a, 2));
    check(sym.le(a, 5));
    return tuple(x.add(a), x.sum().mul(a));
  }
}

class DataDependentSlice extends nn.Module {
  override forward(x: Tensor, n: Tensor): unknown {
    const k = n.item();
    check(sym.ge(k, 0));
    check(sym.le(k, x.size(0)));
    return tuple(torch.narrow(x, 0, 0, k).sum(), torch.arange(k));
  }
}

class Checks extends nn.Module {
  override forward(x: Tensor, n: Tensor): Tensor {
    check(sym.eq(x.size(0), 3), "three rows");
    callOperator("aten._assert_async.msg", [x.gt(-100).all(), "values above -100"]);
    const k = n.item();
    check(sym.gt(k, 0), () => "k must be positive");
    check(sym.lt(k, 10));
    return x.mul(k);
  }
}

/** Models with values that are read from tensors. */
export const UNBACKED_MODELS: CorpusModels = {
  unbacked_float: () => ({ model: new ItemFloat() }),
  unbacked_int: () => ({ model: new ItemBool() }),
  unbacked_select: () => ({ model: new MaskedSelect() }),
  unbacked_split: () => ({ model: new ToList() }),
  pm_nonzero_check: () => ({ model: new NonzeroCheck() }),
  pm_unbacked_sizes: () => ({ model: new NonzeroUsed() }),
  old_constrain_as_size: () => ({ model: new ConstrainAsSize() }),
  old_constrain_as_value: () => ({ model: new ConstrainAsValue() }),
  old_data_dependent_slice: () => ({ model: new DataDependentSlice() }),
  flow_asserts: () => ({ model: new Checks() }),
};
