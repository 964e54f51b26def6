"""Programs that call operators of other libraries: unknown ones (mylib, opaque in Sconce), torchvision, transformers.

They go to fixtures/custom-operators: make_programs.py --modules custom_operators --out FOLDER, then deflate_programs.py FOLDER
"""

from typing import List, Optional, Tuple

import torch
import torchvision
from torch import nn
from torch.export import Dim

from corpus import Call, Case, program, settle

SOURCE = "custom operators"


# ---------------------------------------------------------------- operators that no table knows


@torch.library.custom_op("mylib::scale", mutates_args=())
def scale(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    return x * factor


@scale.register_fake
def _(x, factor=2.0):
    return torch.empty_like(x)


@torch.library.custom_op("mylib::halves", mutates_args=())
def halves(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    n = x.shape[0]
    return x.clone(), x.sum(1).clone()


@halves.register_fake
def _(x):
    return torch.empty_like(x), x.new_empty(x.shape[0])


@torch.library.custom_op("mylib::parts", mutates_args=())
def parts(xs: List[torch.Tensor], bias: Optional[torch.Tensor] = None) -> List[torch.Tensor]:
    return [x + 1 if bias is None else x + bias for x in xs]


@parts.register_fake
def _(xs, bias=None):
    return [torch.empty_like(x) for x in xs]


@torch.library.custom_op("mylib::count", mutates_args=())
def count(x: torch.Tensor) -> int:
    return int((x > 0).sum())


@count.register_fake
def _(x):
    return torch.library.get_ctx().new_dynamic_size()


@torch.library.custom_op("mylib::chosen", mutates_args=())
def chosen(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0].clone()


@chosen.register_fake
def _(x):
    return x.new_empty(torch.library.get_ctx().new_dynamic_size())


@torch.library.custom_op("mylib::accumulate", mutates_args=("into",))
def accumulate(into: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    into.add_(x)
    return into.sum()


@accumulate.register_fake
def _(into, x):
    return into.new_empty(())


@torch.library.custom_op("mylib::log", mutates_args=())
def log(x: torch.Tensor) -> None:
    pass


@log.register_fake
def _(x):
    return None


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 3)

    def forward(self, x):
        y = torch.ops.mylib.scale(self.lin(x), 3.0)
        return torch.nn.functional.hardtanh(y) + torch.ops.mylib.scale(y)


@program("opaque_scale", "an unknown operator between known ones", SOURCE)
def _():
    return Case(Scale(), (torch.randn(2, 4),))


@program("opaque_dynamic", "an unknown operator on a dynamic size", SOURCE)
def _():
    return Case(Scale(), (torch.randn(2, 4),), dynamic_shapes={"x": {0: Dim("n")}}, more=[Call((torch.randn(5, 4),))])


class Several(nn.Module):
    def forward(self, x):
        a, b = torch.ops.mylib.halves(x)
        c, d = torch.ops.mylib.parts([a, x], b[0])
        return c.relu_(), d + b.unsqueeze(1)


@program("opaque_several", "unknown operators with several results and with a list of them", SOURCE)
def _():
    return Case(Several(), (torch.randn(3, 4),), dynamic_shapes={"x": {0: Dim("n")}})


class Count(nn.Module):
    def forward(self, x):
        n = torch.ops.mylib.count(x)
        return torch.ones(n) * 2, n + 1


@program("opaque_count", "an unknown operator whose result is a symbolic integer", SOURCE)
def _():
    return Case(Count(), (torch.tensor([1.0, -1.0, 2.0, 4.0]),))


class Chosen(nn.Module):
    def forward(self, x):
        y = torch.ops.mylib.chosen(x)
        return torch.nn.functional.silu(y) + y.shape[0], torch.ops.mylib.chosen(y.sin())


@program("opaque_chosen", "unknown operators whose results have unbacked sizes", SOURCE)
def _():
    return Case(Chosen(), (torch.tensor([1.0, -1.0, 2.0, 4.0]),))


class Accumulate(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x):
        s = torch.ops.mylib.accumulate(self.total, x)
        return self.total * s


def functional(case):
    return torch.export.export(case.model, case.args).run_decompositions({})


@program("opaque_accumulate", "an unknown operator that writes to a buffer, in auto_functionalized_v2", SOURCE)
def _():
    return Case(Accumulate(), (torch.randn(4),), export=functional)


class Branches(nn.Module):
    def forward(self, p, x):
        def yes(x):
            return torch.ops.mylib.scale(x, 2.0).tan()

        def no(x):
            return torch.nn.functional.silu(torch.ops.mylib.scale(x.cos()))

        return torch.cond(p, yes, no, (x,))


@program("opaque_cond", "unknown operators in the branches of cond", SOURCE)
def _():
    return Case(Branches(), (torch.tensor(True), torch.randn(3)))


class Repeated(nn.Module):
    def forward(self, x):
        return torch.ops.mylib.scale(x) + torch.ops.mylib.scale(x)


@program("opaque_repeated", "two equal calls of an unknown operator", SOURCE)
def _():
    return Case(Repeated(), (torch.randn(3),))


class Logged(nn.Module):
    def forward(self, x):
        torch.ops.mylib.log(x)
        return torch.ops.mylib.scale(x)


@program("opaque_log", "an unknown operator without results", SOURCE)
def _():
    return Case(Logged(), (torch.randn(3),))


# ---------------------------------------------------------------- torchvision


class Detector(nn.Module):
    """A head in the manner of Faster R-CNN: pooled regions, class scores, boxes, suppression for each class."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1, stride=2)
        self.cls = nn.Linear(4 * 3 * 3, 3)
        self.box = nn.Linear(4 * 3 * 3, 4)

    def forward(self, image, proposals):
        features = self.conv(image).relu()
        rois = torch.cat([torch.zeros_like(proposals[:, :1]), proposals], 1)
        pooled = torchvision.ops.roi_align(features, rois, 3, 0.5, 2, True).flatten(1)
        scores = self.cls(pooled).softmax(-1)
        boxes = torchvision.ops.clip_boxes_to_image(proposals + self.box(pooled), (16, 16))
        best, label = scores[:, 1:].max(1)
        keep = torchvision.ops.nms(boxes, best, 0.4)
        return boxes[keep], best[keep], label[keep]


def proposals(n):
    corner = torch.rand(n, 2) * 10
    return torch.cat([corner, corner + torch.rand(n, 2) * 6 + 0.5], 1)


@program("vision_detector_dynamic", "roi_align, boxes and nms with its data-dependent size, on a dynamic number of proposals", SOURCE)
def _():
    return Case(
        Detector().eval(),
        (torch.randn(1, 3, 16, 16), proposals(8)),
        dynamic_shapes={"image": {}, "proposals": {0: Dim("n", min=2, max=64)}},
        more=[Call((torch.randn(1, 3, 16, 16), proposals(13)))],
    )


class Suppress(nn.Module):
    def forward(self, boxes, scores, idxs):
        return torchvision.ops.batched_nms(boxes, scores, idxs, 0.5)


@program("vision_batched_nms", "batched_nms", SOURCE)
def _():
    return Case(Suppress(), (proposals(12), torch.rand(12), torch.randint(0, 3, (12,))))


class Pools(nn.Module):
    def forward(self, x, rois):
        a = torchvision.ops.roi_pool(x, rois, (2, 3), 0.5)
        b = torchvision.ops.ps_roi_align(x, rois, (2, 2), 0.5, 2)
        c = torchvision.ops.ps_roi_pool(x, rois, (2, 2), 0.5)
        return a, b, c


@program("vision_pools", "roi_pool, ps_roi_align, ps_roi_pool, with a dynamic number of regions", SOURCE)
def _():
    rois = torch.cat([torch.randint(0, 2, (5, 1)).float(), proposals(5)], 1)
    more = torch.cat([torch.randint(0, 2, (3, 1)).float(), proposals(3)], 1)
    x = torch.randn(2, 8, 8, 8)
    return Case(Pools(), (x, rois), dynamic_shapes={"x": {}, "rois": {0: Dim("k")}}, more=[Call((x, more))])


class Deform(nn.Module):
    def __init__(self):
        super().__init__()
        self.offset = nn.Conv2d(4, 2 * 2 * 9, 3, padding=1, stride=2)
        self.mask = nn.Conv2d(4, 2 * 9, 3, padding=1, stride=2)
        self.conv = torchvision.ops.DeformConv2d(4, 6, 3, stride=2, padding=1, groups=2)

    def forward(self, x):
        return self.conv(x, self.offset(x), self.mask(x).sigmoid()).relu()


@program("vision_deform", "a deformable convolution layer with masks, groups and offset groups, dynamic batch", SOURCE)
def _():
    return Case(
        Deform().eval(), (torch.randn(2, 4, 7, 8),), dynamic_shapes={"x": {0: Dim("n")}}, more=[Call((torch.randn(3, 4, 7, 8),))]
    )


class MultiScale(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = torchvision.ops.MultiScaleRoIAlign(["0", "1"], 2, 2)

    def forward(self, a, b, boxes):
        return self.pool({"0": a, "1": b}, [boxes], [(64, 64)])


@program("vision_multi_scale", "MultiScaleRoIAlign over two feature maps", SOURCE)
def _():
    boxes = torch.tensor([[0.0, 0.0, 30.0, 30.0], [5.0, 8.0, 60.0, 64.0], [3.0, 3.0, 9.0, 7.0], [0.0, 0.0, 64.0, 64.0]])
    return Case(MultiScale(), (torch.randn(1, 2, 16, 16), torch.randn(1, 2, 8, 8), boxes))


# ---------------------------------------------------------------- transformers


def mixtral(**more):
    from transformers import MixtralConfig, MixtralForCausalLM

    config = MixtralConfig(
        vocab_size=32,
        hidden_size=16,
        intermediate_size=24,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        num_local_experts=4,
        num_experts_per_tok=2,
        max_position_embeddings=32,
        **more,
    )
    config._experts_implementation = "grouped_mm"
    return MixtralForCausalLM(config).eval()


class Logits(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids):
        return self.model(ids, use_cache=False).logits


def settled(model):
    return settle(Logits(model))


@program("moe_mixtral_dynamic", "a mixture of experts of transformers with a dynamic length: grouped_mm_fallback", SOURCE)
def _():
    return Case(
        settled(mixtral()),
        (torch.randint(0, 32, (1, 6)),),
        dynamic_shapes={"ids": {1: Dim("length", min=2, max=16)}},
        more=[Call((torch.randint(0, 32, (1, 9)),))],
        rtol=1e-3,
        atol=1e-4,
    )


@program("moe_qwen3", "Qwen3-MoE: grouped_mm_fallback with normalized routing", SOURCE)
def _():
    from transformers import Qwen3MoeConfig, Qwen3MoeForCausalLM

    config = Qwen3MoeConfig(
        vocab_size=32,
        hidden_size=16,
        intermediate_size=24,
        moe_intermediate_size=12,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
        num_experts=4,
        num_experts_per_tok=2,
        max_position_embeddings=32,
        decoder_sparse_step=1,
    )
    config._experts_implementation = "grouped_mm"
    return Case(settled(Qwen3MoeForCausalLM(config).eval()), (torch.randint(0, 32, (1, 6)),), rtol=1e-3, atol=1e-4)
