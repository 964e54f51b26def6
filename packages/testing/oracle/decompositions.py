"""Writes fixtures/decompositions/neural.json: single calls, and the operators that the default table makes of them.

    python3 decompositions.py ../fixtures/decompositions/neural.json
"""

import json
import math
import sys

import torch
import torch.nn.functional as F
from torch.export import export

r = torch.randn
t = torch.tensor
cases = []


def b(*shape):
    return torch.randn(*shape, dtype=torch.bfloat16)


def cl(*shape, dt=torch.float32):
    layout = torch.channels_last if len(shape) == 4 else torch.channels_last_3d
    return torch.randn(*shape, dtype=dt).to(memory_format=layout)


def encode(value, inputs):
    if isinstance(value, torch.fx.Node):
        return {"input": inputs[value.name]}
    if isinstance(value, (list, tuple)):
        return {"list": [encode(item, inputs) for item in value]}
    if value is None:
        return {"none": True}
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": value}
    if isinstance(value, float):
        return {"float": value if math.isfinite(value) else str(value)}
    if isinstance(value, str):
        return {"str": value}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value)[6:]}
    raise TypeError(repr(value))


def geometry(node):
    tensor = node.meta["val"]
    found = {"dtype": str(tensor.dtype)[6:], "shape": list(tensor.shape)}
    if not tensor.is_contiguous():
        found["strides"] = list(tensor.stride())
    return found


def is_call(node):
    return node.op == "call_function" and "getitem" not in str(node.target)


def case(name, fn, *args):
    """Keeps a call that is a single operator before decomposition."""

    class Module(torch.nn.Module):
        def forward(self, *inputs):
            return fn(*inputs)

    program = export(Module(), args)
    calls = [node for node in program.graph.nodes if is_call(node)]
    if len(calls) != 1 or any(node.op != "placeholder" for node in calls[0].all_input_nodes):
        return
    call = calls[0]
    placeholders = [node for node in program.graph.nodes if node.op == "placeholder"]
    inputs = {node.name: i for i, node in enumerate(placeholders)}
    lowered = program.run_decompositions()
    cases.append(
        {
            "name": name,
            "target": str(call.target),
            "inputs": [geometry(node) for node in placeholders],
            "args": [encode(arg, inputs) for arg in call.args],
            "kwargs": {key: encode(arg, inputs) for key, arg in call.kwargs.items()},
            "becomes": [str(node.target) for node in lowered.graph.nodes if is_call(node)],
        }
    )


def main(path):
    case('conv2d cl input',lambda x,w:F.conv2d(x,w),cl(2,3,8,8),r(4,3,3,3))
    case('conv2d cl weight',lambda x,w:F.conv2d(x,w),r(2,3,8,8),cl(4,3,3,3))
    case('conv2d cl f64',lambda x,w:F.conv2d(x,w),cl(2,3,8,8,dt=torch.float64),r(4,3,3,3,dtype=torch.float64))
    case('conv2d cl bf16',lambda x,w:F.conv2d(x,w),cl(2,3,8,8,dt=torch.bfloat16),r(4,3,3,3,dtype=torch.bfloat16))
    case('conv2d cl groups',lambda x,w:F.conv2d(x,w,groups=2),cl(2,4,8,8),r(4,2,3,3))
    case('conv2d cl depthwise',lambda x,w:F.conv2d(x,w,groups=4,padding=1),cl(2,4,8,8),r(4,1,3,3))
    case('conv2d cl dil',lambda x,w:F.conv2d(x,w,dilation=2),cl(2,4,8,8),r(4,4,3,3))
    case('conv2d cl dil batch1 big',lambda x,w:F.conv2d(x,w,dilation=2),cl(1,64,64,64),r(64,64,3,3))
    case('convT2d cl',lambda x,w:F.conv_transpose2d(x,w),cl(2,4,8,8),r(4,4,3,3))
    case('convT2d cl f64',lambda x,w:F.conv_transpose2d(x,w),cl(2,4,8,8,dt=torch.float64),r(4,4,3,3,dtype=torch.float64))
    case('convT2d cl groups f64',lambda x,w:F.conv_transpose2d(x,w,groups=2),cl(2,4,8,8,dt=torch.float64),r(4,2,3,3,dtype=torch.float64))
    case('conv3d cl',lambda x,w:F.conv3d(x,w),cl(2,3,5,5,5),r(4,3,3,3,3))
    case('conv3d cl f64',lambda x,w:F.conv3d(x,w),cl(2,3,5,5,5,dt=torch.float64),r(4,3,3,3,3,dtype=torch.float64))
    case('conv3d clweight',lambda x,w:F.conv3d(x,w),r(2,3,5,5,5),cl(4,3,3,3,3))
    case('convT3d cl',lambda x,w:F.conv_transpose3d(x,w),cl(2,3,5,5,5),r(3,4,3,3,3))
    case('conv2d valid',lambda x,w:F.conv2d(x,w,padding='valid'),r(2,3,8,8),r(4,3,3,3))
    case('conv2d same even',lambda x,w,b:F.conv2d(x,w,b,padding='same',dilation=(1,2)),r(2,3,8,8),r(4,3,2,4),r(4))
    case('conv1d valid unb',lambda x,w:F.conv1d(x,w,padding='valid'),r(3,8),r(4,3,3))
    case('conv2d empty batch',lambda x,w:F.conv2d(x,w),r(0,3,8,8),r(4,3,3,3))
    case('conv2d int',lambda x,w:F.conv2d(x,w),torch.ones(2,3,8,8,dtype=torch.int64),torch.ones(4,3,3,3,dtype=torch.int64))
    case('conv2d int cl',lambda x,w:F.conv2d(x,w),torch.ones(2,3,8,8,dtype=torch.int64).to(memory_format=torch.channels_last),torch.ones(4,3,3,3,dtype=torch.int64))
    case('conv2d complex',lambda x,w:F.conv2d(x,w),r(2,3,8,8,dtype=torch.complex64),r(4,3,3,3,dtype=torch.complex64))
    case('vector_norm bf16',lambda x:torch.linalg.vector_norm(x),b(2,3))
    case('vector_norm f64dtype',lambda x:torch.linalg.vector_norm(x,3,dtype=torch.float64),r(2,3))
    case('vector_norm ord0',lambda x:torch.linalg.vector_norm(x,0),r(2,3))
    case('vector_norm -inf',lambda x:torch.linalg.vector_norm(x,float('-inf'),1),r(2,3))
    case('vector_norm size1',lambda x:torch.linalg.vector_norm(x,2,1),r(2,1))
    case('vector_norm size1 all',lambda x:torch.linalg.vector_norm(x),r(1,1))
    case('addr bf16',lambda x,y,z:torch.addr(x,y,z),b(2,3),b(2),b(3))
    case('dot bf16',lambda x,y:torch.dot(x,y),b(3),b(3))
    case('rms bf16',lambda x,w:F.rms_norm(x,[3],w),b(2,3),b(3))
    case('rms 2d',lambda x:F.rms_norm(x,[3,4]),r(2,3,4))
    case('rms f64',lambda x:F.rms_norm(x,[4]),r(2,3,4,dtype=torch.float64))
    case('cos sim bcast',lambda x,y:F.cosine_similarity(x,y,dim=-1),r(2,3,4),r(3,4))
    case('cos sim int',lambda x,y:F.cosine_similarity(x,y,dim=-1),torch.ones(2,3,dtype=torch.float64),r(2,3))
    case('weight_norm dim1 of 3',lambda v,g:torch._weight_norm(v,g,1),r(2,3,4),r(1,3,1))
    case('weight_norm dim0',lambda v,g:torch._weight_norm(v,g,0),r(2,3,4),r(2,1,1))
    case('weight_norm dim-1',lambda v,g:torch._weight_norm(v,g,-1),r(2,3,4),r(1))
    case('cdist big',lambda x,y:torch.cdist(x,y),r(30,3),r(4,3))
    case('cdist big batch',lambda x,y:torch.cdist(x,y),r(2,30,3),r(4,3))
    case('cdist donot',lambda x,y:torch.cdist(x,y,compute_mode='donot_use_mm_for_euclid_dist'),r(30,3),r(4,3))
    case('pairwise',lambda x,y:F.pairwise_distance(x,y,p=3.,keepdim=True),r(2,3),r(3))
    case('sdpa 2d',lambda q,k,v:F.scaled_dot_product_attention(q,k,v),r(4,8),r(5,8),r(5,8))
    case('sdpa 3d mask2',lambda q,k,v,m:F.scaled_dot_product_attention(q,k,v,m),r(2,4,8),r(2,5,8),r(2,5,8),r(4,5))
    case('sdpa 3d mask3',lambda q,k,v,m:F.scaled_dot_product_attention(q,k,v,m),r(2,4,8),r(2,5,8),r(2,5,8),r(2,4,5))
    case('sdpa 5d',lambda q,k,v:F.scaled_dot_product_attention(q,k,v),r(2,2,2,4,8),r(2,2,2,5,8),r(2,2,2,5,8))
    case('sdpa vdim',lambda q,k,v:F.scaled_dot_product_attention(q,k,v),r(2,2,4,8),r(2,2,5,8),r(2,2,5,6))
    case('sdpa bf16',lambda q,k,v:F.scaled_dot_product_attention(q,k,v),b(2,2,4,8),b(2,2,5,8),b(2,2,5,8))
    case('sdpa causal bool+drop',lambda q,k,v:F.scaled_dot_product_attention(q,k,v,is_causal=True,dropout_p=.5),r(2,2,4,8),r(2,2,4,8),r(2,2,4,8))
    case('sdpa mask4 bcast',lambda q,k,v,m:F.scaled_dot_product_attention(q,k,v,m),r(2,2,4,8),r(2,2,5,8),r(2,2,5,8),r(1,1,4,5)>0)
    case('sdpa bcast batch',lambda q,k,v:F.scaled_dot_product_attention(q,k,v),r(2,2,4,8),r(1,2,5,8),r(1,2,5,8))
    case('sdpa requires grad',lambda q,k,v:F.scaled_dot_product_attention(q.requires_grad_(),k,v),r(2,2,4,8),r(2,2,5,8),r(2,2,5,8))
    case('kl log_target',lambda x,y:F.kl_div(x,y,log_target=True),r(2,3),r(2,3))
    case('poisson full',lambda x,y:F.poisson_nll_loss(x,y,full=True),r(2,3),r(2,3))
    case('poisson nolog',lambda x,y:F.poisson_nll_loss(x,y,log_input=False),r(2,3),r(2,3))
    case('ce soft weight',lambda x,y,w:F.cross_entropy(x,y,w),r(2,3),r(2,3),r(3))
    case('ce soft smooth',lambda x,y:F.cross_entropy(x,y,label_smoothing=.1),r(2,3),r(2,3))
    case('ce soft none',lambda x,y:F.cross_entropy(x,y,reduction='none'),r(2,3),r(2,3))
    case('ce smooth weight',lambda x,y,w:F.cross_entropy(x,y,w,label_smoothing=.1),r(2,3),t([0,1]),r(3))
    case('ce smooth none',lambda x,y:F.cross_entropy(x,y,label_smoothing=.1,reduction='none'),r(2,3),t([0,1]))
    case('ce 1d',lambda x,y:F.cross_entropy(x,y),r(3),t(1))
    case('ce 3d',lambda x,y:F.cross_entropy(x,y),r(2,3,4),torch.ones(2,4,dtype=torch.int64))
    case('ce 5d none',lambda x,y:F.cross_entropy(x,y,reduction='none'),r(2,3,4,2,2),torch.ones(2,4,2,2,dtype=torch.int64))
    case('ce bf16',lambda x,y:F.cross_entropy(x,y),b(2,3),t([0,1]))
    case('nll 2d weight sum',lambda x,y,w:F.nll_loss(x,y,w,reduction='sum'),r(2,3,4,4),torch.ones(2,4,4,dtype=torch.int64),r(3))
    case('bcewl posweight weight',lambda x,y,w,p:F.binary_cross_entropy_with_logits(x,y,w,pos_weight=p),r(2,3),r(2,3),r(3),r(3))
    case('triplet swap',lambda x,y,w:F.triplet_margin_loss(x,y,w,swap=True),r(2,3),r(2,3),r(2,3))
    case('margin rank',lambda x,y,w:F.margin_ranking_loss(x,y,w,margin=.5),r(2),r(2),r(2))
    case('cosemb none',lambda x,y,w:F.cosine_embedding_loss(x,y,w,margin=.5,reduction='none'),r(2,3),r(2,3),r(2))
    case('mse bcast none',lambda x,y:torch.ops.aten.mse_loss(x,y,0),r(2,3),r(3))
    case('emb bag sum',lambda i,w,o:F.embedding_bag(i,w,o,mode='sum'),t([0,1,2]),r(4,3),t([0,2]))
    case('matrix_power 0',lambda x:torch.linalg.matrix_power(x,0),r(3,3))
    case('matrix_power 1',lambda x:torch.linalg.matrix_power(x,1),r(3,3))
    case('matrix_power 6',lambda x:torch.linalg.matrix_power(x,6),r(3,3))
    case('matrix_norm 1',lambda x:torch.linalg.matrix_norm(x,1),r(3,3))
    case('matrix_norm inf keep',lambda x:torch.linalg.matrix_norm(x,float('inf'),keepdim=True),r(3,3))
    case('multi_dot 4',lambda a,b,c,d:torch.linalg.multi_dot([a,b,c,d]),r(2),r(2,5),r(5,3),r(3))
    case('multi_dot 2',lambda a,b:torch.linalg.multi_dot([a,b]),r(2,3),r(3,4))
    case('vecdot1d',lambda a,b:torch.linalg.vecdot(a,b),r(3),r(3))
    case('cross bcast',lambda a,b:torch.linalg.cross(a,b),r(2,3),r(1,3))
    case('det',lambda a:torch.linalg.det(a),r(3,3))
    case('inv_ex',lambda a:torch.linalg.inv_ex(a),r(2,3,3))
    case('solve_tri',lambda a,b:torch.linalg.solve_triangular(a,b,upper=True),r(2,3,3),r(2,3,2))
    case('chain',lambda a,b,c:torch.chain_matmul(a,b,c),r(2,3),r(3,4),r(4,5))
    case('renorm',lambda a:torch.renorm(a,3,1,.5),r(3,3))
    case('addr bool',lambda a,b,c:torch.addr(a,b,c),r(2,3)>0,r(2)>0,r(3)>0)
    case('vdot complex',lambda a,b:torch.vdot(a,b),r(3,dtype=torch.complex64),r(3,dtype=torch.complex64))
    case('fft n pad',lambda a:torch.fft.rfft(a,8,norm='ortho'),r(2,5))
    case('fft n trim',lambda a:torch.fft.rfft(a,3,dim=0),r(5,2))
    case('fft real',lambda a:torch.fft.fft(a,norm='forward'),r(2,5))
    case('ifft',lambda a:torch.fft.ifft(a,n=7),r(2,5,dtype=torch.complex64))
    case('irfft',lambda a:torch.fft.irfft(a),r(2,5,dtype=torch.complex64))
    case('irfft n',lambda a:torch.fft.irfft(a,12),r(2,5,dtype=torch.complex64))
    case('ihfft',lambda a:torch.fft.ihfft(a),r(2,5))
    case('fft2',lambda a:torch.fft.fft2(a,s=(4,8)),r(3,4,5))
    case('fftn',lambda a:torch.fft.fftn(a),r(3,4,5))
    case('rfftn',lambda a:torch.fft.rfftn(a),r(3,4,5))
    case('rfft2 s',lambda a:torch.fft.rfft2(a,s=(4,8),norm='ortho'),r(3,4,5))
    case('irfftn',lambda a:torch.fft.irfftn(a),r(3,4,5,dtype=torch.complex64))
    case('irfft2',lambda a:torch.fft.irfft2(a),r(3,4,5,dtype=torch.complex64))
    case('ifft2',lambda a:torch.fft.ifft2(a),r(3,4,5,dtype=torch.complex64))
    case('fftshift',lambda a:torch.fft.fftshift(a),r(3,4))
    case('ifftshift',lambda a:torch.fft.ifftshift(a,1),r(3,4))
    case('rfft f64',lambda a:torch.fft.rfft(a),r(3,4,dtype=torch.float64))
    case('rfft int',lambda a:torch.fft.rfft(a),torch.ones(3,4,dtype=torch.int64))
    case('rfft dim0 of 3',lambda a:torch.fft.rfft(a,dim=-3),r(3,4,5))
    case('bn cl',lambda x,m,v:F.batch_norm(x,m,v),cl(2,3,4,4),r(3),r(3))
    case('gn cl',lambda x:F.group_norm(x,2),cl(2,4,3,3))
    case('maxpool cl',lambda x:F.max_pool2d(x,2),cl(2,3,4,4))
    case('adaptive 1x1 cl',lambda x:F.adaptive_avg_pool2d(x,1),cl(2,3,4,4))
    case('adaptive 2 cl',lambda x:F.adaptive_avg_pool2d(x,2),cl(2,3,4,4))
    case('maxpool3d cl',lambda x:F.max_pool3d(x,2),cl(2,3,4,4,4))
    case('avgpool3d cl',lambda x:F.avg_pool3d(x,2),cl(2,3,4,4,4))
    case('interp cl',lambda x:F.interpolate(x,scale_factor=2.),cl(2,3,4,4))
    case('interp bilinear cl',lambda x:F.interpolate(x,scale_factor=1.5,mode='bilinear'),cl(2,3,4,4))
    case('interp bilinear recompute',lambda x:F.interpolate(x,scale_factor=1.5,mode='linear',recompute_scale_factor=True),r(2,3,5))
    case('interp bicubic align',lambda x:F.interpolate(x,size=(5,1),mode='bicubic',align_corners=True),r(1,1,3,3))
    case('interp linear align 1',lambda x:F.interpolate(x,size=1,mode='linear',align_corners=True),r(1,1,3))
    case('interp uint8',lambda x:F.interpolate(x,scale_factor=2.,mode='nearest-exact'),torch.ones(1,1,3,3,dtype=torch.uint8))
    case('interp aa bicubic',lambda x:F.interpolate(x,size=(2,2),mode='bicubic',antialias=True),r(1,1,3,3))
    case('grid cl',lambda x,g:F.grid_sample(x,g,align_corners=False),cl(2,3,4,4),r(2,3,3,2))
    case('grid 5d',lambda x,g:F.grid_sample(x,g,align_corners=False),r(2,3,4,4,4),r(2,3,3,3,3))
    case('affine 5d align',lambda t:F.affine_grid(t,[1,2,2,3,4],align_corners=True),r(1,3,4))
    case('emb 0d',lambda i,w:F.embedding(i,w),torch.tensor(1),r(3,4))
    case('unpool cl',lambda x,i:F.max_unpool2d(x,i,2),cl(1,2,2,2),torch.zeros(1,2,2,2,dtype=torch.int64))
    case('bilinear 3d',lambda a,b,w:F.bilinear(a,b,w),r(2,3,4),r(2,3,5),r(6,4,5))
    case('rnncell',lambda x,h,a,b:torch.ops.aten.rnn_tanh_cell(x,h,a,b),r(2,3),r(2,4),r(4,3),r(4,4))
    case('matmul 3d2d',lambda a,b:a@b,r(2,5,3),r(3,4))
    case('matmul 2d3d',lambda a,b:a@b,r(5,3),r(2,3,4))
    case('matmul 3d1d',lambda a,b:a@b,r(2,5,3),r(3))
    case('matmul 1d3d',lambda a,b:a@b,r(3),r(2,3,4))
    case('matmul bcast 4d',lambda a,b:a@b,r(2,1,5,3),r(4,3,4))
    case('linear 3d bias',F.linear,r(2,5,3),r(4,3),r(4))
    case('linear 1d',F.linear,r(3),r(4,3),r(4))
    case('linear no bias',F.linear,r(2,5,3),r(4,3))
    case('sdpa',F.scaled_dot_product_attention,r(2,2,4,8),r(2,2,5,8),r(2,2,5,8))
    case('sdpa gqa',lambda q,k,v:F.scaled_dot_product_attention(q,k,v,enable_gqa=True),r(2,4,4,8),r(2,2,5,8),r(2,2,5,8))
    case('lstm',lambda x,h,c,a,b,d,e:torch.lstm(x,(h,c),[a,b,d,e],True,1,0.,False,False,False),r(2,1,3),r(1,1,4),r(1,1,4),r(16,3),r(16,4),r(16),r(16))
    case('gru bi',lambda x,h,a,b,c,d:torch.gru(x,h,[a,b,c,d],False,1,0.,False,True,True),r(1,2,3),r(2,1,4),r(12,3),r(12,4),r(12,3),r(12,4))
    case('trilinear up',lambda x:F.interpolate(x,scale_factor=2.,mode='trilinear'),r(1,1,2,2,2))
    case('embedding_bag mean',lambda i,w,o:F.embedding_bag(i,w,o,mode='mean',padding_idx=-1),t([0,1,2]),r(4,3),t([0,2]))
    case('max pool 1d',lambda x:F.max_pool1d(x,2),r(2,3,8))
    case('avg pool 1d',lambda x:F.avg_pool1d(x,2,padding=1),r(2,3,8))
    case('linear strided huge',lambda x,w:F.linear(x,w),r(2,3),r(4,3))

    with open(path, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(one, separators=(",", ":")) for one in cases) + "\n]\n")


if __name__ == "__main__":
    main(sys.argv[1])
