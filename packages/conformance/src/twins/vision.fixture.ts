import { Dim, nn, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { floats, type Twins, twin } from "./twin.fixture.js";

const F = nn.functional;
const batched = { dynamicShapes: { x: { 0: Dim("batch") } } };
const image =
  (channels = 3, size = 8) =>
  () => [floats(2, channels, size, size)];

class Unpooled extends nn.Module {
  readonly pool = new nn.MaxPool2d(2, { returnIndices: true });
  readonly unpool = new nn.MaxUnpool2d(2);
  readonly conv = new nn.Conv2d(3, 4, 3, { padding: 1 });
  override forward(x: Tensor): Tensor {
    const [pooled, index] = this.pool(this.conv(x));
    return this.unpool(pooled.relu(), index);
  }
}

class Branches extends nn.Module {
  readonly one = new nn.Conv2d(3, 4, 1);
  readonly three = new nn.Sequential(
    new nn.Conv2d(3, 4, 1),
    new nn.ReLU(),
    new nn.Conv2d(4, 4, 3, { padding: 1 }),
  );
  readonly pool: nn.MaxPool2d = new nn.MaxPool2d(3, { stride: 1, padding: 1 });
  override forward(x: Tensor): Tensor {
    return torch.cat([this.one(x), this.three(x), this.pool(x)], 1);
  }
}

class SqueezeExcite extends nn.Module {
  readonly down: nn.Linear;
  readonly up: nn.Linear;
  constructor(channels: number, reduced: number) {
    super();
    this.down = new nn.Linear(channels, reduced);
    this.up = new nn.Linear(reduced, channels);
  }
  override forward(x: Tensor): Tensor {
    const gate = this.up(this.down(x.mean([2, 3])).relu()).sigmoid();
    return x.mul(gate.at("...", null, null));
  }
}

class Unet extends nn.Module {
  readonly down = new nn.ModuleList([
    new nn.Conv2d(3, 4, 3, { padding: 1 }),
    new nn.Conv2d(4, 8, 3, { padding: 1 }),
  ]);
  readonly up = new nn.ConvTranspose2d(8, 4, 2, { stride: 2 });
  readonly head = new nn.Conv2d(8, 1, 1);
  override forward(x: Tensor): Tensor {
    const first = this.down[0](x).relu();
    const second = this.down[1](F.maxPool2d(first, 2)).relu();
    return this.head(torch.cat([first, this.up(second)], 1));
  }
}

class Features extends nn.Module {
  readonly features = new nn.Sequential(
    new nn.Conv2d(3, 6, 3, { groups: 3 }),
    new nn.BatchNorm2d(6),
    new nn.Hardswish(),
    new nn.AdaptiveAvgPool2d(2),
  );
  override forward(x: Tensor): Tensor {
    let y: Tensor = this.features[0](x);
    for (const layer of this.features.slice(1)) y = layer(y);
    return y.flatten(1);
  }
}

class Pyramid extends nn.Module {
  readonly lateral = new nn.ModuleList([4, 2].map((size) => new nn.AdaptiveAvgPool2d(size)));
  override forward(x: Tensor): Tensor {
    const [height, width] = x.shape.slice(2);
    const levels = this.lateral.map((pool) =>
      F.interpolate(pool(x), { size: [height ?? 1, width ?? 1], mode: "nearest" }),
    );
    return torch.cat([x, ...levels], 1);
  }
}

class SuperResolution extends nn.Module {
  readonly conv = new nn.Conv2d(3, 12, 3, { padding: "same" });
  readonly shuffle: nn.PixelShuffle = new nn.PixelShuffle(2);
  override forward(x: Tensor): Tensor {
    return this.shuffle(this.conv(x)).clamp(0, 1);
  }
}

class Folded extends nn.Module {
  override forward(x: Tensor): Tensor {
    const columns = F.unfold(x, { kernelSize: 2, stride: 2 });
    return F.fold(columns.mul(0.5), { outputSize: 8, kernelSize: 2, stride: 2 });
  }
}

class Chain extends nn.Module {
  readonly conv = new nn.Conv2d(4, 4, 3, { padding: 1 });
  readonly norm = new nn.GroupNorm(2, 4);
  readonly act: nn.SiLU = new nn.SiLU();
  override forward(x: Tensor): Tensor {
    let y = x;
    for (const child of this.children()) y = child(y);
    return x.add(y);
  }
}

class Named extends nn.Module {
  readonly first = new nn.Conv2d(3, 4, 1);
  readonly second = new nn.Conv2d(4, 3, 1);
  override forward(x: Tensor): Tensor {
    return this.namedChildren().reduce(
      (y, [name, child]) => (name === "first" ? child(y).relu() : child(y)),
      x,
    );
  }
}

class Grid extends nn.Module {
  readonly theta = new nn.Parameter(
    torch.tensor(
      [
        [
          [1, 0, 0.5],
          [0, 1, 0],
        ],
      ],
      { dtype: torch.float32 },
    ),
  );
  override forward(x: Tensor): Tensor {
    const grid = F.affineGrid(this.theta, [1, 3, 4, 4], { alignCorners: false });
    return F.gridSample(x, grid, { alignCorners: false, paddingMode: "border" });
  }
}

class Half extends nn.Module {
  readonly conv = new nn.Conv2d(3, 4, 1);
  readonly scale = new nn.Buffer(torch.ones(4, 1, 1));
  override forward(x: Tensor): Tensor {
    return this.conv(x.to(torch.float16)).mul(this.scale).to(torch.float32);
  }
}

class Downsample extends nn.Module {
  readonly filter = new nn.Buffer(torch.tensor([1, 2, 1]).float().div(4), { persistent: false });
  override forward(x: Tensor): Tensor {
    const kernel = torch.outer(this.filter, this.filter).expand(x.shape[1], 1, 3, 3);
    return F.conv2d(F.pad(x, [1, 1, 1, 1], { mode: "reflect" }), kernel, { stride: 2, groups: x.shape[1] });
  }
}

export const VISION: Twins = {
  unpooled: twin(() => new Unpooled(), image(), batched),
  branches: twin(() => new Branches(), image(), batched),
  squeeze_excite: twin(() => new SqueezeExcite(4, 2), image(4), batched),
  unet: twin(() => new Unet(), image(), batched),
  features: twin(() => new Features().eval(), image(), batched),
  pyramid: twin(() => new Pyramid(), image(), batched),
  super_resolution: twin(() => new SuperResolution(), image(), batched),
  folded: twin(() => new Folded(), image(), batched),
  chain: twin(() => new Chain(), image(4), batched),
  named: twin(() => new Named(), image(), batched),
  grid: twin(
    () => new Grid(),
    () => [floats(1, 3, 8, 8)],
  ),
  half: twin(() => new Half().half(), image()),
  downsample: twin(() => new Downsample(), image(), batched),
};
