import { Dim, nn, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { floats, integers, type Twins, twin } from "../twins/twin.fixture.js";

const { functional: F } = nn;
const META = { device: "meta" } as const;

class OnMeta extends nn.Module {
  readonly embed = new nn.Embedding(7, 4, META);
  readonly norm = new nn.LayerNorm(4, META);
  readonly fc = new nn.Linear(4, 2, META);
  readonly offset = torch.ones(2, META);
  readonly scale = new nn.Buffer(torch.tensor([1.5, 2.5], META));
  override forward(x: Tensor): readonly Tensor[] {
    const y = this.fc(this.norm(this.embed(x))).add(this.offset);
    return [y.mul(this.scale), y.newZeros([2]), torch.arange(x.size(0), META).add(x)];
  }
}

class MetaVision extends nn.Module {
  readonly conv = new nn.Conv2d(2, 3, 3, META);
  readonly bn = new nn.BatchNorm2d(3, META);
  override forward(x: Tensor): Tensor {
    return F.maxPool2d(this.bn(this.conv(x)).relu(), 2).to("float16");
  }
}

class TwoLayers extends nn.Module {
  readonly a = new nn.Linear(4, 5);
  readonly b = new nn.Linear(5, 3);
  override forward(x: Tensor): Tensor {
    return this.b(this.a(x).relu());
  }
}

const meta =
  (...sizes: number[]): (() => readonly unknown[]) =>
  () => [floats(...sizes).to("meta")];
const numbers = (): readonly unknown[] => [integers(7, 4).to("meta")];

/** Models on the `meta` device. */
export const ON_META: Twins = {
  meta_model: twin(() => new OnMeta(), numbers),
  meta_model_dynamic: twin(() => new OnMeta(), numbers, { dynamicShapes: { x: { 0: Dim("batch") } } }),
  meta_vision: twin(() => new MetaVision().eval(), meta(1, 2, 6, 6)),
  meta_vision_training: twin(() => new MetaVision(), meta(1, 2, 6, 6)),
  meta_lstm: twin(() => new nn.LSTM(4, 3, META), meta(2, 1, 4)),
  meta_gru_cell: twin(() => new nn.GRUCell(4, 3, META), meta(2, 4)),
  meta_encoder: twin(
    () => new nn.TransformerEncoderLayer(4, 2, 8, { ...META, batchFirst: true }).eval(),
    meta(1, 3, 4),
  ),
  meta_decoder: twin(
    () => new nn.TransformerDecoderLayer(4, 2, 8, META).eval(),
    () => [floats(3, 1, 4).to("meta"), floats(2, 1, 4).to("meta")],
  ),
  meta_moved: twin(() => new TwoLayers().to("meta"), meta(3, 4)),
  meta_half: twin(
    () => new TwoLayers().half().toEmpty(META),
    () => [floats(3, 4).half().to("meta")],
  ),
  meta_group_norm: twin(
    () => new nn.Sequential(new nn.GroupNorm(2, 4, META), new nn.PReLU(4, META)),
    meta(1, 4, 3),
  ),
  meta_bilinear: twin(
    () => new nn.Bilinear(4, 4, 2, META),
    () => [floats(3, 4).to("meta"), floats(3, 4).to("meta")],
  ),
  meta_bag: twin(
    () => new nn.EmbeddingBag(7, 4, META),
    () => [integers(7, 2, 3).to("meta")],
  ),
  meta_strict: twin(() => new TwoLayers().to("meta"), meta(3, 4), { strict: true }),
  meta_function: twin(() => (x: Tensor) => torch.cat([x, torch.zerosLike(x)]).sort(0), meta(3, 4)),
};
