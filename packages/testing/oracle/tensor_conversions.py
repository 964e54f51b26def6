"""Writes packages/testing/fixtures/tensor/conversions.json.gz (packed with gzip): dtype conversions and promotion as PyTorch does them."""
import torch, json, struct, random, math
random.seed(1)
F8="float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu".split()
def num(v): return v if math.isfinite(v) else str(v)
out={}
vals=[]
for _ in range(400): vals.append(struct.unpack('<f',struct.pack('<I',random.getrandbits(32)))[0])
for _ in range(600): vals.append(random.choice([1,-1])*2.0**random.randint(-30,20)*random.choice([1,1.25,1.5,1.125,1.0625,1.75,1.875,1+random.random(),1+1/2048,1+3/2048,1+1/256,1+3/256]))
vals+=[0.0,-0.0,65504.0,65519.0,65520.0,448.0,464.0,465.0,480.0,57344.0,61440.0,61439.0,240.0,248.0,247.0,5.9e-8,2.98e-8,2.9802322387695312e-08,2.99e-8,float('inf'),float('-inf')]
t=torch.tensor([v for v in vals if v==v],dtype=torch.float32)
out['inputs']=[num(v) for v in t.tolist()]
enc={}
for d in ["float16","bfloat16"]+F8:
    b=t.to(getattr(torch,d)); enc[d]=b.view(torch.uint8 if b.element_size()==1 else torch.uint16).tolist()
out['encoded']=enc
out['float8_values']={d:[num(v) for v in torch.arange(256,dtype=torch.uint8).view(getattr(torch,d)).to(torch.float32).tolist()] for d in F8}
D="float64 float32 float16 bfloat16 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex32 complex64 complex128".split()
def p(f):
    try:
        r=str(f())[6:]; return None if r=="bcomplex32" else r
    except Exception: return None
out['promote']=[[p(lambda:torch.promote_types(getattr(torch,a),getattr(torch,b))) for b in D] for a in D]
out['dtypes']=D
# result_type over three ranks
N={"bool":True,"int64":3,"float64":1.5,"complex128":1j}
rt=[]
mk=lambda d,r: torch.zeros([2] if r=="dimensioned" else [],dtype=getattr(torch,d))
D2=[d for d in D if not d.startswith("float8")]
for a in D2:
    for b in D2:
        for ra,rb in (("dimensioned","zeroDim"),("zeroDim","zeroDim"),("zeroDim","dimensioned"),("dimensioned","dimensioned")):
            rt.append([a,ra,b,rb,p(lambda:torch.result_type(mk(a,ra),mk(b,rb)))])
    for n,v in N.items():
        for ra in ("dimensioned","zeroDim"):
            rt.append([a,ra,n,"wrappedNumber",p(lambda:torch.result_type(mk(a,ra),v))])
for n,v in N.items():
    for m,w in N.items(): rt.append([n,"wrappedNumber",m,"wrappedNumber",p(lambda:torch.result_type(v,w))])
out['result_type']=rt
vs=[0.0,-0.0,1.9,-1.9,127.6,128.0,255.5,300.0,-1.0,-129.0,32768.0,65536.5,2147483647.0,2147483648.0,-2147483649.0,4294967296.0,3e9,-3e9,9.3e18,1.9e19,-9.3e18,1e30,float('inf'),-float('inf'),float('nan')]
iv=[0,1,-1,255,-129,65535,2**31,-2**31-1,2**53+1,2**63-1,-2**63]
out['cast_floats']=[num(v) for v in vs]; out['cast_ints']=[str(v) for v in iv]
def lst(x):
    x=x.reshape(-1)
    if x.dtype.is_complex:
        x=torch.view_as_real(x.to(torch.complex128)).reshape(-1)
    elif x.dtype.is_floating_point: x=x.to(torch.float64)
    return [num(v) if isinstance(v,float) else (str(v) if abs(v)>2**53 else v) for v in x.tolist()]
cf={}
for s in ("float64","float32","float16","bfloat16"):
    for d in D:
        if d=="uint32" : pass
        src=[torch.tensor([v],dtype=getattr(torch,s)) for v in vs]
        try: cf[s+">"+d]=sum([lst(x.to(getattr(torch,d))) for x in src],[])
        except Exception as e: print(s,d,e)
for d in D:
    try: cf["int64>"+d]=sum([lst(torch.tensor([v]).to(getattr(torch,d))) for v in iv],[])
    except Exception as e: print(d,e)
out['casts']=cf
json.dump(out,open("conversions.json","w"))
