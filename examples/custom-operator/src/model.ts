/** @file A model that calls custom operators. */
import { nn, type Tensor, torch } from "sconce";
import { decode, record } from "./operators.js";

/** Expands runs, scales the values, and keeps totals over all calls. */
export class RunDecoder extends nn.Module {
  readonly totals = new nn.Buffer(torch.zeros(2));

  override forward(values: Tensor, counts: Tensor): Tensor {
    const decoded = decode(values, counts);
    record(this.totals, decoded);
    return decoded.mul(2);
  }
}
