"""Writes random-names.jsonl: random dynamic programs as PyTorch saves them (hexadecimal), and the texts that it gives
when it loads and lowers them. `../programs` hold other operators.

A program applies an operator, or a chain of operators and writes in place, to an input with dynamic sizes. Its output
shows the numbers of sums, products and comparisons, which count what was asked before.

Usage (with PyTorch): python3 random_names.py FOLDER; then node backend_numbers/pack.mjs FOLDER ../fixtures/decompositions
"""
import io
import json
import logging
import os
import random
import sys
import warnings

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim, export, load, save

from program_texts import comparable

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
D = Dim.DYNAMIC


def split(text):
    return " ".join(text.split()).split(" | ")


POINTWISE = split("""
x.relu() | x.sigmoid() | x.tanh() | x.exp() | F.gelu(x) | F.silu(x) | F.elu(x) | F.leaky_relu(x) |
F.hardswish(x) | F.softplus(x) | F.mish(x) | x.abs() | x*2 | x+1 | x.square() | x.clamp(-1,1) | x.clamp_min(0.1)
| torch.where(x>0,x,-x) | x.pow(3) | x.neg() | x.rsqrt() | x.log1p() | F.hardtanh(x) | F.selu(x) | F.celu(x) |
F.softsign(x) | F.logsigmoid(x) | F.hardsigmoid(x) | F.relu6(x) | x.lerp(x*2,0.5) | x.round() | x.sign() |
x.frac() | x.masked_fill(x>1,0.) | x.nan_to_num() | torch.addcmul(x,x,x) | x.fmod(2) | x.remainder(2) |
torch.atan2(x,x+1) | x/(x+3) | x.hypot(x) | F.threshold(x,0.1,2.)
""")
IN_PLACE = split("""
sigmoid_() | tanh_() | relu_() | exp_() | neg_() | abs_() | sqrt_() | square_() | mul_(2) | add_(1) | sub_(0.5)
| div_(2) | clamp_(-1,1) | zero_() | fill_(2.) | log1p_() | sin_() | cos_() | erf_() | floor_() | ceil_() |
round_() | sign_() | pow_(2) | masked_fill_(y>1,0.) | clamp_min_(0.) | rsqrt_() | reciprocal_() | trunc_() |
expm1_() | atan_() | sinh_() | add_(x) | mul_(x) | sub_(x) | div_(x+3) | copy_(x*3) | addcmul_(x,x) |
addcdiv_(x,x+3) | lerp_(x,0.5) | fmod_(2) | remainder_(2) | logit_(0.1) | xlogy_(x) | atan2_(x) | exp2_() |
frac_() | lgamma_() | digamma_() | nan_to_num_() | clamp_max_(1) | asinh_() | tan_() | log_() | log2_()
""")
IMAGES = split("""
F.max_pool2d(x,2) | F.avg_pool2d(x,2) | F.adaptive_avg_pool2d(x,1) | F.adaptive_avg_pool2d(x,(2,3)) |
F.adaptive_max_pool2d(x,2) | F.max_pool2d(x,3,2,1) | F.avg_pool2d(x,3,1,1) | F.interpolate(x,scale_factor=2) |
F.interpolate(x,scale_factor=2,mode='bilinear') | F.interpolate(x,size=(5,7),mode='bicubic') |
F.interpolate(x,size=(16,16)) | F.interpolate(x,scale_factor=0.5,mode='area') | F.pad(x,(1,1,2,2)) |
F.pad(x,(1,1,1,1),mode='reflect') | F.pad(x,(1,2,1,1),mode='replicate') | F.pad(x,(1,1,1,1),mode='circular') |
self.conv(x) | self.dw(x) | self.ct(x) | self.bn(self.conv(x)) | F.pixel_unshuffle(x,2) |
F.pixel_shuffle(torch.cat([x,x,x,x],1),2) | F.channel_shuffle(torch.cat([x,x],1),2) | x.flip(2) | x.roll(1,2) |
F.unfold(x,2) | F.group_norm(x,3) | F.instance_norm(x) | F.local_response_norm(x,2) | F.lp_pool2d(x,2.0,2) |
x.mean((2,3),keepdim=True) | x.amax((2,3)) | x.std(1) | x.permute(0,2,3,1).contiguous() |
x.flatten(2).transpose(1,2) | torch.einsum('bchw,bdhw->bcd',x,x) | x.softmax(1) |
F.grid_sample(x,F.affine_grid(self.theta.expand(x.shape[0],2,3),(x.shape[0],3,4,4))) | F.dropout2d(x,0.5,False)
| F.prelu(x,self.w1) | F.cosine_similarity(x,x*2,1) | x.unfold(2,2,2) | F.glu(torch.cat([x,x],1),1) |
x.chunk(3,1)[1] | x.split([1,2],1)[1] | x.narrow(1,0,2) | x.select(1,0) | x.view(x.shape[0],-1) |
x.reshape(x.shape[0],3,-1)
""")
SEQUENCES = split("""
F.scaled_dot_product_attention(x,x,x) | F.scaled_dot_product_attention(x,x,x,is_causal=True) |
self.mha(x,x,x,need_weights=False)[0] | self.mha(x,x,x)[0] | self.gru(x)[0] | self.lstm(x)[0] | self.rnn(x)[0] |
self.enc(x) | self.lin(x) | self.ln(x) | x@x.transpose(1,2) | torch.bmm(x,x.transpose(1,2)) |
torch.einsum('bld,bmd->blm',x,x) | torch.einsum('bld,de->ble',x,self.w8) | torch.einsum('bld->bdl',x) |
torch.einsum('bld,bld->b',x,x) | x.cumsum(1) | x.cumprod(2) | F.normalize(x,dim=-1) | x.softmax(-1) |
F.log_softmax(x,1) | x.topk(2,-1)[0] | x.sort(-1)[0] | x.argmax(-1) | x.gather(1,x.argmax(1,keepdim=True)) |
x.scatter(1,x.argmax(1,keepdim=True),1.) | x.scatter_add(1,x.argmax(1,keepdim=True),x) |
torch.zeros_like(x).scatter_reduce(1,x.argmax(1,keepdim=True).expand(x.shape[0],5,8),x,'sum') |
torch.cat([x,x*2],0) | torch.cat([x,x*2],-1) | torch.stack([x,x+1],1) | torch.stack([x,x],-1) | x.chunk(2,-1)[0]
| x.split(3,-1)[2] | x.split(3,1)[0] | x.unbind(-1)[1] | x.unbind(1)[0] | x.tensor_split(3,-1)[0] |
x.repeat(1,2,1) | x.repeat_interleave(2,1) | x.expand(3,*x.shape) | x.tril() | x.triu(1) | x.diagonal(0,1,2) |
x.flip(1) | x.roll(1,0) | x.unfold(1,2,1) | x.movedim(1,0) | x.unflatten(-1,(2,4)) | x.flatten() |
x.flatten(0,1) | x.reshape(-1,4) | x.view(x.shape[0],x.shape[1],2,4) | x.index_select(1,self.idx) |
x[:,self.idx] | x[:,1:] | x[:,::2] | x[:,-1] | x[:,:-1]+x[:,1:] | x.var(1) | x.norm(dim=1) | torch.cdist(x,x) |
F.mse_loss(x,x*2) | F.smooth_l1_loss(x,x*2) | F.pad(x,(1,1)) | F.conv1d(x.transpose(1,2),self.w1d) |
F.max_pool1d(x,2) | F.avg_pool1d(x,2) | F.adaptive_avg_pool1d(x,3) |
F.interpolate(x,scale_factor=2,mode='linear') | self.cell(x[:,0]) | self.lcell(x[:,0])[0] | x.logsumexp(1) |
x.prod(1) | x.median(1)[0] | x.kthvalue(2,1)[0] | torch.meshgrid(x[:,0,0],x[0,:,0],indexing='ij')[0] |
torch.outer(x[:,0,0],x[0,:,0]) | torch.arange(x.shape[1])+x[0,:,0] | x+torch.arange(x.shape[1])[None,:,None] |
torch.ones(x.shape[0],1)*x[:,:,0] | x.new_zeros(x.shape[0],3)+1 | torch.full((x.shape[1],),2.)+x[0,:,0] |
F.one_hot(x.argmax(-1),8).float() | x.bool().any(1) | x.count_nonzero(1) |
x.masked_fill(torch.ones(x.shape[1],x.shape[1]).tril()[None,:,:1]==0,0.) |
torch.baddbmm(x@x.transpose(1,2),x,x.transpose(1,2)) | x.logcumsumexp(1) | x.cummax(1)[0] | x.diff(dim=1) |
x.trapz(dim=1) | torch.tensordot(x,self.w8,1) | x.swapaxes(0,1) | torch.kron(x[0],self.w8) |
torch.block_diag(x[0],x[1]) | x.squeeze(0) | x.unsqueeze(1) | x.aminmax(dim=1)[0] | x.renorm(2,0,1.) | x.clone()
| x.to(torch.float64) | x.type_as(self.idx) | x.half().float() | F.embedding(x.argmax(-1),self.w8) |
x.new_ones(x.shape) | torch.rand_like(x)*0 | x.sum() | x.mean(0) | F.layer_norm(x,(8,),None,None) |
F.rms_norm(x,(8,)) | torch.linalg.vector_norm(x,dim=1) | x.contiguous() | x.transpose(0,1).contiguous() |
x.as_strided((2,2),(1,1))
""")
MATRICES = split("""
x@self.m6 | F.linear(x,self.m6,self.b6) | x.mm(self.m6) | torch.addmm(self.b6,x,self.m6) | x.mv(self.b6) |
x.t()@x | x.cumsum(0) | x.index_add(0,self.i2,x[:2]) | x.index_copy(0,self.i2,x[:2]) |
x.index_fill(0,self.i2,1.) | x.index_put((self.i2,),self.b6) | x.masked_fill(x>0,1.) |
x.scatter(1,(x>0).long(),2.) | x.take_along_dim((x>0).long(),1) | F.cross_entropy(x,x.argmax(1)) |
F.nll_loss(x.log_softmax(1),x.argmax(1)) | F.binary_cross_entropy_with_logits(x,x.sigmoid()) |
F.kl_div(x.log_softmax(1),x.softmax(1)) | F.cosine_embedding_loss(x,x*2,x.sum(1).sign()) |
F.pairwise_distance(x,x*2) | F.bilinear(x,x,self.bl) | x.repeat(2,1) | x.tile(2,3) | torch.hstack([x,x]) |
torch.vstack([x,x]) | torch.dstack([x,x]) | torch.column_stack([x,x]) | x.narrow(0,1,2) | x.narrow_copy(0,1,2) |
x[1:3] | x[0] | x[-1] | x[::2] | x.split(2)[0] | x.chunk(2)[1] | x.hsplit(2)[0] | x.rot90() | x.fliplr() |
torch.bucketize(x,self.b6.sort()[0]) | torch.searchsorted(self.b6.sort()[0],x) | x.isnan().any() | x.argsort(1)
| x.unsqueeze(0).expand(2,-1,-1).reshape(-1,6) | torch.broadcast_to(x,(2,*x.shape)) | x.view(-1) | x.ravel() |
x.reshape(x.shape[0]*2,3) | x.unflatten(0,(2,-1)) | torch.linspace(0,1,x.shape[0])[:,None]*x |
torch.eye(x.shape[0])@x | torch.zeros(x.shape[0],dtype=torch.long)+x.argmax(1) |
torch.arange(x.shape[0]*2).view(x.shape[0],2).float() | torch.tril(torch.ones(x.shape[0],x.shape[0])) |
x.sum(1).unsqueeze(1)*x | (x>0).sum(0) | x.quantile(0.5,dim=1) | x.msort() | x.clone().fill_diagonal_(0.) |
x.clone().index_add_(0,self.i2,x[:2]) | x.clone().scatter_(1,(x>0).long(),2.) | x.clone().masked_fill_(x>0,1.) |
x.clone().zero_() | x.clone().t_() | x.clone().unsqueeze_(0) | F.relu(x.clone(),inplace=True) |
F.dropout(x,0.5,True)*0 | torch.einsum('ij,ik->jk',x,x) | torch.einsum('ij,kj->ik',x,self.m6) |
torch.chain_matmul(x,self.m6,self.m6) | torch.linalg.multi_dot([x,self.m6,self.m6]) | x.matmul(self.m6[0]) |
x.dist(x*2) | x.inner(self.m6) | x.logaddexp(x) | x.cosh() | x.diag_embed() | F.gumbel_softmax(x)*0 |
F.soft_margin_loss(x,x.sign()) | F.multi_margin_loss(x,x.argmax(1)) | F.triplet_margin_loss(x,x*2,x*3) |
F.hinge_embedding_loss(x,x.sign()) | F.poisson_nll_loss(x,x.abs()) | F.gaussian_nll_loss(x,x*2,x.abs()+1) |
F.huber_loss(x,x*2)
""")

SHOWN = "(y + 1) * 2 - (y == 2) * (y >= 0)"
GROUPS = [
    ((2, 3, 8, 8), IMAGES, [{0: D}, {0: D, 2: D, 3: D}]),
    ((2, 5, 8), SEQUENCES, [{0: D}, {1: D}, {0: D, 1: D}]),
    ((4, 6), MATRICES, [{0: D}, {0: D, 1: D}]),
]
# What functions read of `self`.
PARTS = {
    "conv": lambda: nn.Conv2d(3, 4, 3, padding=1), "dw": lambda: nn.Conv2d(3, 6, 3, groups=3, stride=2),
    "ct": lambda: nn.ConvTranspose2d(3, 2, 2, 2), "bn": lambda: nn.BatchNorm2d(4), "theta": lambda: torch.ones(2, 3),
    "w1": lambda: torch.ones(3), "mha": lambda: nn.MultiheadAttention(8, 2, batch_first=True),
    "gru": lambda: nn.GRU(8, 4, batch_first=True), "lstm": lambda: nn.LSTM(8, 4, batch_first=True),
    "rnn": lambda: nn.RNN(8, 4, batch_first=True), "enc": lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True),
    "lin": lambda: nn.Linear(8, 8), "ln": lambda: nn.LayerNorm(8), "w8": lambda: torch.ones(8, 8),
    "idx": lambda: torch.tensor([0, 2]), "w1d": lambda: torch.ones(4, 8, 2), "cell": lambda: nn.GRUCell(8, 4),
    "lcell": lambda: nn.LSTMCell(8, 4), "m6": lambda: torch.ones(6, 6), "b6": lambda: torch.ones(6),
    "i2": lambda: torch.tensor([0, 1]), "bl": lambda: torch.ones(2, 6, 6),
}


class Model(nn.Module):
    def __init__(self, body):
        super().__init__()
        for name, make in PARTS.items():
            if f"self.{name})" in body or f"self.{name}(" in body or f"self.{name}[" in body or f"self.{name}." in body \
                    or f"self.{name}," in body or f"self.{name}]" in body:
                part = make()
                if isinstance(part, nn.Module): setattr(self, name, part)
                else: self.register_buffer(name, part)
        scope = {"torch": torch, "F": F}
        exec("def run(self, x):\n" + "\n".join("    " + line for line in body.split("\n")), scope)
        self.run = (scope["run"],)

    def forward(self, x):
        return self.run[0](self, x)


def chain(choices, sizes, dims, name):
    lines, results = [], []
    for at in range(choices.randint(2, 4)):
        lines.append(f"a{at} = {choices.choice(dict((shape, group) for shape, group, _ in GROUPS)[sizes])}")
        results.append(f"a{at}")
        if choices.random() < 0.5: lines.append(f"x = {choices.choice(POINTWISE)}")
        else: lines += ["y = x.clone()", f"y.{choices.choice(IN_PLACE)}", "x = y"]
    return name, "\n".join([*lines, "y = x", f"return ({SHOWN}, {', '.join(results)})"]), sizes, dims


def programs():
    for call in IN_PLACE:
        yield call, f"y = x * 2\ny.{call}\nreturn {SHOWN}", (4, 6), {0: D}
    for sizes, group, dims in GROUPS:
        for at, call in enumerate(group):
            # Half of the long lists.
            if len(group) < 60 or at % 2 == 0: yield call, f"y = {call}\nreturn {SHOWN}", sizes, dims[at % len(dims)]
    choices = random.Random(2)
    for at in range(48):
        sizes, _, dims = choices.choice(GROUPS)
        yield chain(choices, sizes, choices.choice(dims), f"chain {at}")


def bare(program):
    """A program without what names do not depend on, which makes files small."""
    for module in program.graph_module.modules():
        for node in module.graph.nodes if isinstance(module, torch.fx.GraphModule) else ():
            for key in ("stack_trace", "torch_fn", "source_fn_stack", "nn_module_stack"):
                node.meta.pop(key, None)
    return program


def record(body, sizes, dims):
    torch.manual_seed(0)
    program = export(Model(body).eval(), (torch.rand(*sizes) + 0.1,), dynamic_shapes=(dims,))
    buffer = io.BytesIO()
    save(bare(program), buffer)
    return buffer.getvalue(), comparable(str(load(io.BytesIO(buffer.getvalue())).run_decompositions()))


def main(folder):
    with open(os.path.join(folder, "random-names.jsonl"), "w") as out:
        for name, body, sizes, dims in programs():
            try:
                data, text = record(body, sizes, dims)
            except Exception:
                # The sizes are no free ones, or PyTorch does not lower the program.
                continue
            print(json.dumps({"name": name, "body": body, "file": data.hex(), "text": text}), file=out, flush=True)


main(*sys.argv[1:])
