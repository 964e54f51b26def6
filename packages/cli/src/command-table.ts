/** @file The commands, with what the help shows of them. A command is loaded when it is called. */
import type { CommandEntry } from "./command-entry.js";

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "info",
    description: "Show a summary of a program: kind, versions, sizes, signature, operators.",
    examples: ["sconce info model.pt2", "sconce info model.pt2 --security", "sconce info - < model.pt2"],
    load: async () => (await import("./commands/info.js")).infoCommand,
  },
  {
    name: "print",
    description:
      "Print a program as PyTorch prints it, as IR text, as TypeScript, as JSON, as a diagram or as loop nests.",
    examples: [
      "sconce print model.pt2",
      "sconce print model.pt2 --format ir --passes decompose,cse,dce",
      "sconce print model.pt2 --format ts > model.ts",
      "sconce print model.pt2 --passes decompose,dce --print-after changed",
    ],
    load: async () => (await import("./commands/print.js")).printCommand,
  },
  {
    name: "view",
    description: "Show a program in a browser: its graph, passes, values and times.",
    examples: [
      "sconce view model.pt2",
      "sconce view model.pt2 --passes decompose,cse,dce",
      "sconce view model.pt2 -o page.html",
    ],
    load: async () => (await import("./commands/view.js")).viewCommand,
  },
  {
    name: "report",
    description: "Write a page about a program: checks, passes, backends, times, the graph.",
    examples: [
      "sconce report model.pt2 -o report.html",
      "sconce report model.pt2 -o report.html --passes decompose,cse,dce --backend cpu,wasm",
    ],
    load: async () => (await import("./commands/report.js")).reportCommand,
  },
  {
    name: "lower",
    description: "Lower a program and write it for PyTorch (.pt2), or as IR text with its tensors beside it.",
    examples: [
      "sconce lower model.pt2 -o lowered.pt2",
      "sconce lower model.pt2 -o lowered.sir",
      "sconce lower model.pt2 -o lowered.sir --passes decompose,fold-constants,cse,dce --timing",
      "sconce lower model.pt2 -o - | sconce info -",
    ],
    load: async () => (await import("./commands/lower.js")).lowerCommand,
  },
  {
    name: "export",
    description:
      "Export a model that is written in JavaScript or TypeScript, and write the program as .pt2 or IR text.",
    examples: [
      "sconce export model.mjs -o program.sir",
      "sconce export model.mjs -o - | sconce print -",
      "sconce export model.mjs --draft",
    ],
    load: async () => (await import("./commands/export.js")).exportCommand,
  },
  {
    name: "convert",
    description: "Write a program in another format: .pt2 or IR text.",
    examples: ["sconce convert model.sir model.pt2", "sconce convert model.pt2 model.sir"],
    load: async () => (await import("./commands/convert.js")).convertCommand,
  },
  {
    name: "pack",
    description: "Write several programs as one .pt2 file; weights with equal values are stored once.",
    examples: [
      "sconce pack prefill=prefill.pt2 decode=decode.sir -o model.pt2",
      "sconce pack model.pt2 extra=other.pt2 -o all.pt2",
    ],
    load: async () => (await import("./commands/pack.js")).packCommand,
  },
  {
    name: "ir",
    description: "Write a program as JSON IR: a graph, the names of its weights, its constants.",
    examples: [
      "sconce ir model.pt2 -o model.json --weights-output weights.safetensors",
      "sconce run model.json --weights weights.safetensors --inputs inputs.safetensors",
    ],
    load: async () => (await import("./commands/ir.js")).irCommand,
  },
  {
    name: "placement",
    description: "Show where each call would run on several backends, and what it costs; nothing is run.",
    examples: [
      "sconce placement model.pt2",
      "sconce placement model.pt2 --backends wasm,gpujs,cpu",
      "sconce placement model.pt2 --by operator",
    ],
    load: async () => (await import("./commands/placement-table.js")).placementCommand,
  },
  {
    name: "build",
    description: "Write a program as an ES module with its own WebAssembly kernels, for pages and workers.",
    examples: [
      "sconce build model.pt2 -o dist",
      "sconce build model.pt2 -o dist --inline --packed",
      "sconce build model.pt2 -o dist --name digits --json",
    ],
    load: async () => (await import("./commands/build.js")).buildCommand,
  },
  {
    name: "quantize",
    description: "Store the weights of a program in fewer bits, and report what it costs, layer by layer.",
    examples: [
      "sconce quantize model.pt2 --bits 4 --group 64 -o small.pt2",
      "sconce quantize model.pt2 --bits 4 --calibrate samples -o small.pt2 --report report.html",
      "sconce quantize model.pt2 --bits 4 --max-error 0.01 -o small.pt2",
    ],
    load: async () => (await import("./commands/quantize.js")).quantizeCommand,
  },
  {
    name: "batch",
    description:
      "Score shards of rows with a program, in threads of this machine, or on machines through a queue.",
    examples: [
      "sconce batch model.pt2 --inputs 'shards/*.safetensors' --output out",
      "sconce batch model.pt2 --inputs 'rows/*.parquet' --output out --format csv --keep id",
      "sconce batch model.pt2 --inputs 'shards/*' --output out --queue redis://localhost:6379",
    ],
    load: async () => (await import("./commands/batch.js")).batchCommand,
  },
  {
    name: "batch-worker",
    description: "Score shards that `sconce batch --queue` adds to a queue on Redis.",
    examples: [
      "sconce batch-worker --queue redis://localhost:6379",
      "sconce batch-worker --queue redis://localhost:6379 --root /mnt/data --idle 60000",
    ],
    load: async () => (await import("./commands/batch-worker.js")).batchWorkerCommand,
  },
  {
    name: "serve",
    description:
      "Offer programs over HTTP in the Open Inference Protocol, with workers, batches and metrics.",
    examples: [
      "sconce serve model.pt2",
      "sconce serve digits@2=new.pt2 digits@1=old.pt2 --port 9000",
      "sconce serve model.pt2 --workers 2 --max-batch 32 --batch-delay 2 --json",
    ],
    load: async () => (await import("./commands/serve.js")).serveCommand,
  },
  {
    name: "types",
    description:
      "Write the types of a program's calls, with dtypes and fixed sizes, as a declaration file for TypeScript.",
    examples: ["sconce types model.pt2 -o model.d.ts", "sconce types model.pt2"],
    load: async () => (await import("./commands/types.js")).typesCommand,
  },
  {
    name: "run",
    description: "Run a program and print its results. Inputs are named x or i0 (the position).",
    examples: [
      "sconce run model.pt2 --random 0 --head 5",
      "sconce run model.pt2 --inputs inputs.safetensors --outputs outputs.safetensors",
      "sconce run model.pt2 --inputs inputs.safetensors --backend gpujs --placement",
      "sconce run model.pt2 --samples --compare cpu,gpujs",
    ],
    load: async () => (await import("./commands/run.js")).runCommand,
  },
  {
    name: "bench",
    description: "Measure a program on several backends, which run alternately: CPU time and time of a run.",
    examples: [
      "sconce bench model.pt2 --random 0",
      "sconce bench model.pt2 --samples --backend cpu,wasm,gpujs --json",
      "sconce bench model.pt2 --random 0 --size s0=16 --backend wasm --rounds 20",
    ],
    load: async () => (await import("./commands/bench.js")).benchCommand,
  },
  {
    name: "strip",
    description: "Write a program without stack traces, source paths, class names and example inputs.",
    examples: ["sconce strip model.pt2 -o public.pt2", "sconce strip model.pt2 -o shape.sir --drop-weights"],
    load: async () => (await import("./commands/strip.js")).stripCommand,
  },
  {
    name: "verify",
    description: "Check a file and its program, and list every problem (exit code 2 when there are any).",
    examples: ["sconce verify model.pt2", "sconce verify model.sir --json"],
    load: async () => (await import("./commands/verify.js")).verifyCommand,
  },
  {
    name: "diff",
    description:
      "Show the differences of two programs: nodes, types, metadata, signature, state (exit code 1).",
    examples: ["sconce diff before.sir after.sir", "sconce diff before.pt2 after.pt2 --ignore-names"],
    load: async () => (await import("./commands/diff.js")).diffCommand,
  },
  {
    name: "bisect",
    description:
      "Find the first pass that breaks a program, its first wrong rewrite, and a small program that reproduces it.",
    examples: [
      "sconce bisect model.pt2 --passes decompose,my-pass --plugin ./my-pass.js",
      "sconce bisect reproducer.sir",
    ],
    load: async () => (await import("./commands/bisect.js")).bisectCommand,
  },
  {
    name: "history",
    description: "Show what each pass of a pipeline changes, or where a node of the result comes from.",
    examples: [
      "sconce history model.pt2 --passes decompose,cse,dce",
      "sconce history model.pt2 --passes decompose --node addmm_1",
    ],
    load: async () => (await import("./commands/history.js")).historyCommand,
  },
  {
    name: "ops",
    description: "List the operators: how each is lowered, and which backends support it.",
    examples: ["sconce ops --name aten.silu", "sconce ops --core --schema"],
    load: async () => (await import("./commands/ops.js")).opsCommand,
  },
  {
    name: "passes",
    description: "List the passes and their options.",
    examples: ["sconce passes", "sconce passes --json", 'sconce passes --complete "decompose{k"'],
    load: async () => (await import("./commands/passes.js")).passesCommand,
  },
  {
    name: "explain",
    description:
      "Explain an error code, or why rewrite rules fire in a program, are refused or nearly match.",
    examples: ["sconce explain NO_VALUES", "sconce explain model.pt2 --pattern 'aten.add.Tensor($x, 0)'"],
    load: async () => (await import("./commands/explain.js")).explainCommand,
  },
  {
    name: "doctor",
    description: "List versions, backends and their modes, and what is missing.",
    examples: ["sconce doctor", "sconce doctor --json"],
    load: async () => (await import("./commands/doctor.js")).doctorCommand,
  },
  {
    name: "completion",
    description: "Print a script that completes the command in bash, zsh or fish.",
    examples: ["source <(sconce completion bash)", "sconce completion fish | source"],
    load: async () => (await import("./commands/completion.js")).completionCommand,
  },
];

/** The names of all commands, that of the help included. */
export const COMMAND_NAMES: readonly string[] = [...COMMANDS.map(({ name }) => name), "help"];
