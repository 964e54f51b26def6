import { definePass, edit, type Plugin } from "sconce";

// A pass is a function from a program to a program.
const reluToClamp = definePass({
  name: "relu-to-clamp",
  doc: "relu(x) becomes clamp_min(x, 0).",
  run: (program) =>
    program.with({
      graph: edit(program.graph, (e) => {
        for (const { name, target, args } of program.graph.nodes()) {
          if (target !== "aten.relu.default") continue;
          e.replaceNode(name, { target: "aten.clamp_min.default", args: [args[0]!, 0] });
          console.log("changed", name);
        }
      }),
    }),
});

export default { name: "mine", passes: [reluToClamp] } satisfies Plugin;
