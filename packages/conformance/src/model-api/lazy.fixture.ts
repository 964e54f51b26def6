import { nn, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { floats, type Twins, twin } from "../twins/twin.fixture.js";

class LazyNet extends nn.Module {
  readonly conv = new nn.LazyConv2d(3, 3, { padding: 1 });
  readonly norm = new nn.LazyBatchNorm2d();
  readonly instance = new nn.LazyInstanceNorm2d({ affine: true });
  readonly up = new nn.LazyConvTranspose2d(2, 2, { stride: 2 });
  readonly fc = new nn.LazyLinear(5, { bias: false });
  override forward(x: Tensor): Tensor {
    return this.fc(this.up(this.instance(this.norm(this.conv(x)).relu())).flatten(1));
  }
}

class LazyLine extends nn.Module {
  readonly conv = new nn.LazyConv1d(3, 2);
  readonly norm = new nn.LazyBatchNorm1d();
  readonly up = new nn.LazyConvTranspose1d(2, 3);
  override forward(x: Tensor): Tensor {
    return this.up(this.norm(this.conv(x)));
  }
}

/** Calls a lazy model once. */
function begun(model: LazyNet | LazyLine, ...sizes: number[]): nn.Module {
  model(torch.ones(...sizes));
  return model.eval();
}

/** Models whose layers take their channels from the first input. */
export const LAZY: Twins = {
  lazy_net: twin(
    () => begun(new LazyNet(), 2, 2, 4, 4),
    () => [floats(2, 2, 4, 4)],
  ),
  lazy_line: twin(
    () => begun(new LazyLine(), 2, 4, 5),
    () => [floats(2, 4, 5)],
  ),
};
