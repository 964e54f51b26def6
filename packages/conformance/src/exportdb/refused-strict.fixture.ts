/** @file Constructs that strict mode refuses, one each, and how to write them. */
import { exportProgram, nn, torch } from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";

/* biome-ignore-start lint: the examples are about such code */

// refused: strict_outer_write STRICT_MODE outer-write
// The program does not change variables, lists or objects outside of the model.
let calls = 0;

export const strictOuterWrite = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) => {
      calls += 1;
      return x.sin();
    },
    [torch.randn(3)],
    { strict: true },
  );

// rewrite
class Counted extends nn.Module {
  calls = new nn.Buffer(torch.zeros(1));

  override forward(x: Tensor): Tensor {
    this.calls.add_(1);
    return x.sin();
  }
}

export const strictOuterWriteRewrite = (): ExportedProgram =>
  exportProgram(new Counted(), [torch.randn(3)], { strict: true });

// refused: strict_outer_read STRICT_MODE outer-read
// A variable that other code changes has one value in the program: that of the export.
let scale = 1;
export const setScale = (value: number): void => {
  scale = value;
};

export const strictOuterRead = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.mul(scale), [torch.randn(3)], { strict: true });

// rewrite
export const strictOuterReadRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor, scale: Tensor) => x.mul(scale), [torch.randn(3), torch.ones(1)], {
    strict: true,
  });

// refused: strict_iterated_mutation STRICT_MODE iterated-mutation
// A loop does not change the container that it iterates over.
export const strictIteratedMutation = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) => {
      const parts = [x];
      for (const part of parts) if (parts.length < 3) parts.push(part.sin());
      return torch.cat(parts);
    },
    [torch.randn(3)],
    { strict: true },
  );

// rewrite
export const strictIteratedMutationRewrite = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) => {
      const parts = [x];
      while (parts.length < 3) parts.push(parts.at(-1)!.sin());
      return torch.cat(parts);
    },
    [torch.randn(3)],
    { strict: true },
  );

// refused: strict_host_read STRICT_MODE host-read
// What JavaScript does with the values of a tensor is not in the program.
const table = torch.ones(3);

export const strictHostRead = (): ExportedProgram =>
  exportProgram((x: Tensor) => (table.toArray()[0] === 1 ? x.sin() : x.cos()), [torch.randn(3)], {
    strict: true,
  });

// rewrite
export const strictHostReadRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => torch.where(table.at(0).eq(1), x.sin(), x.cos()), [torch.randn(3)], {
    strict: true,
  });

// refused: strict_random STRICT_MODE random
// `Math.random()` draws one number, during the export.
export const strictRandom = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.mul(Math.random()), [torch.randn(3)], { strict: true });

// rewrite
export const strictRandomRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.mul(torch.rand(1)), [torch.randn(3)], { strict: true });

// refused: strict_clock STRICT_MODE clock
// The time is that of the export.
export const strictClock = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.mul(Date.now()), [torch.randn(3)], { strict: true });

// rewrite
export const strictClockRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor, now: Tensor) => x.mul(now), [torch.randn(3), torch.tensor([Date.now()])], {
    strict: true,
  });

// refused: strict_host STRICT_MODE host
// The program does not print, read files or set seeds.
export const strictHost = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) => {
      torch.manualSeed(7);
      return x.add(torch.rand(3));
    },
    [torch.randn(3)],
    { strict: true },
  );

// rewrite
export const strictHostRewrite = (): ExportedProgram => {
  torch.manualSeed(7);
  return exportProgram((x: Tensor) => x.add(torch.rand(3)), [torch.randn(3)], { strict: true });
};

// refused: strict_try STRICT_MODE try
// The program has no `catch`. Check the condition first.
export const strictTry = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) => {
      try {
        return x.reshape([2, 2]);
      } catch {
        return x;
      }
    },
    [torch.randn(4)],
    { strict: true },
  );

// rewrite
export const strictTryRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => (x.numel === 4 ? x.reshape([2, 2]) : x), [torch.randn(4)], {
    strict: true,
  });

// refused: strict_using STRICT_MODE using
// The program has no context managers: `using mode = disabled();` and what compilers make of it.
const __addDisposableResource = (all: unknown[], value: unknown): unknown => (all.push(value), value);
const __disposeResources = (_all: unknown[]): void => undefined;

export const strictUsing = (): ExportedProgram =>
  exportProgram(
    (x: Tensor) => {
      const all: unknown[] = [];
      try {
        const mode = __addDisposableResource(all, {});
        return mode === undefined ? x : x.sin();
      } catch {
        return x;
      } finally {
        __disposeResources(all);
      }
    },
    [torch.randn(3)],
    { strict: true },
  );

// rewrite
export const strictUsingRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => torch.noGrad(() => x.sin()), [torch.randn(3)], { strict: true });

// refused: strict_generator STRICT_MODE generator
// A generator runs between the steps of its caller.
function* powers(x: Tensor): Generator<Tensor> {
  yield x;
  yield x.mul(x);
}

export const strictGenerator = (): ExportedProgram =>
  exportProgram((x: Tensor) => torch.cat([...powers(x)]), [torch.randn(3)], { strict: true });

// rewrite
const powerList = (x: Tensor): Tensor[] => [x, x.mul(x)];

export const strictGeneratorRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => torch.cat(powerList(x)), [torch.randn(3)], { strict: true });

// refused: strict_async STRICT_MODE async
// A trace does not wait.
export const strictAsync = (): ExportedProgram =>
  exportProgram(async (x: Tensor) => x.mul(await Promise.resolve(2)), [torch.randn(3)], { strict: true });

// rewrite
export const strictAsyncRewrite = async (): Promise<ExportedProgram> => {
  const scale = await Promise.resolve(2);
  return exportProgram((x: Tensor) => x.mul(scale), [torch.randn(3)], { strict: true });
};

// refused: strict_eval STRICT_MODE eval
// Code of a text cannot be analyzed.
export const strictEval = (): ExportedProgram =>
  exportProgram((x: Tensor) => new Function("x", "return x.sin()")(x) as Tensor, [torch.randn(3)], {
    strict: true,
  });

// rewrite
const sine = (x: Tensor): Tensor => x.sin();

export const strictEvalRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => sine(x), [torch.randn(3)], { strict: true });

// refused: strict_with STRICT_MODE with
// Names in `with` depend on an object. Modules of JavaScript do not have it, but older scripts do.
const withNames = new Function("x", "with ({ factor: 2 }) { return x.mul(factor); }") as (
  x: Tensor,
) => Tensor;

export const strictWith = (): ExportedProgram => exportProgram(withNames, [torch.randn(3)], { strict: true });

// rewrite
const options = { factor: 2 };

export const strictWithRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor) => x.mul(options.factor), [torch.randn(3)], { strict: true });

// refused: strict_arguments STRICT_MODE arguments
// `arguments` hides the parameters of the program.
export const strictArguments = (): ExportedProgram =>
  exportProgram(
    function (x: Tensor): Tensor {
      return x.add(arguments.length);
    },
    [torch.randn(3)],
    { strict: true },
  );

// rewrite
export const strictArgumentsRewrite = (): ExportedProgram =>
  exportProgram((x: Tensor, ...rest: Tensor[]) => x.add(1 + rest.length), [torch.randn(3)], {
    strict: true,
  });

// end
/* biome-ignore-end lint: the examples are about such code */
