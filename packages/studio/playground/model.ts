import { nn, type Tensor, torch } from "sconce";

// A text with `model` and `args` is exported, and opened as a new program.
class Net extends nn.Module {
  readonly first = new nn.Linear(8, 16);
  readonly second = new nn.Linear(16, 4);

  override forward(x: Tensor): Tensor {
    return this.second(this.first(x).relu()).softmax(-1);
  }
}

export const model = new Net();
export const args = [torch.randn(2, 8)];
