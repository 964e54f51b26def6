/** @file A backend of one's own, as small as one can be: another runs the program, this one writes down what it does. */
import type { Backend, Executable } from "@sconce/ir";

/** Delegates to a backend and logs each call. */
export function loggingBackend(inner: Backend, log: (line: string) => void): Backend {
  return {
    name: "logging",
    supports: (node, graph) => inner.supports(node, graph),
    async compile(program, options) {
      log(`compiles ${program.graph.size} nodes`);
      return logging(await inner.compile(program, options), log);
    },
  };
}

const logging = (inner: Executable, log: (line: string) => void): Executable => ({
  run: (inputs, options = {}) =>
    inner.run(inputs, {
      ...options,
      onProgress: (done, total, node) => {
        log(`${done}/${total} %${node.name} = ${node.target}`);
        options.onProgress?.(done, total, node);
      },
    }),
  get state() {
    return inner.state;
  },
  dispose: () => inner.dispose(),
  [Symbol.dispose]: () => inner.dispose(),
});
