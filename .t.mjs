const {programOf,chain}=await import("/work/main/packages/bench/dist/graphs.js");
const {rewriteProgram,defineRule}=await import("/work/main/packages/passes/dist/index.js");
const {defaultOperators}=await import("/work/main/packages/ops/dist/index.js");
const rule=defineRule({name:"r",doc:"",match:"aten.relu.default($x)",replace:"aten.sigmoid.default($x)"});
const operators=defaultOperators();
const g0=chain(1000); console.log([...g0.nodes()].slice(0,8).map(n=>n.target+" "+JSON.stringify(n.args)).join("\n"));
for(const n of [1000,10000,10000,10000,10000,100000]){ const p=programOf(chain(n)); const t=performance.now(); const r=rewriteProgram(p,[rule],{operators}); console.log(n,(performance.now()-t).toFixed(1)); }
