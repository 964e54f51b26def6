/** @file Many executables in one page, and a WebGL context that is lost under one of them. */
import { compareTensors, type Executable, isSconceError, type Sconce, type Tensor, type Value } from "sconce";

export interface ContextReport {
  /** WebGL contexts that were made for all executables. */
  readonly contexts: number;
  /** Runs that did not give what the first one gave, while all executables were there. */
  readonly wrong: number;
  /**
   * How a run ended after the context was lost, and how one of a program that was compiled then.
   */
  readonly afterLoss: string;
  readonly compiledAgain: string;
}

/** Compiles the digit classifier so many times, runs all twice, then takes the context away. */
export async function runContexts(sconce: Sconce, count: number): Promise<ContextReport> {
  const response = await fetch("digits.pt2");
  const program = await sconce.load(new Uint8Array(await response.arrayBuffer()));
  const inputs = program.exampleInputs!.leaves as readonly Value[];
  const resultOf = async (executable: Executable): Promise<Tensor> =>
    (await executable.run(inputs))[0] as Tensor;
  const watched = watchContexts();
  const executables: Executable[] = [];
  for (let i = 0; i < count; i++) executables.push(await sconce.compile(program, "gpujs"));
  const first = await resultOf(executables[0]!);
  const compared = (got: Tensor): string => compareTensors(got, first, { rtol: 0, atol: 0 }) ?? "the same";
  let wrong = 0;
  for (const executable of [...executables, ...executables])
    if (compared(await resultOf(executable)) !== "the same") wrong++;
  const contexts = watched.size;
  for (const gl of watched) gl.getExtension("WEBGL_lose_context")?.loseContext();
  const afterLoss = await resultOf(executables[0]!).then(compared, codeOf);
  using again = await sconce.compile(program, "gpujs");
  const compiledAgain = await resultOf(again).then(compared, codeOf);
  for (const executable of executables) executable.dispose();
  return { contexts, wrong, afterLoss, compiledAgain };
}
const codeOf = (error: unknown): string => (isSconceError(error) ? error.code : String(error));

/** All WebGL contexts that are made from now on. */
function watchContexts(): ReadonlySet<WebGL2RenderingContext> {
  const made = new Set<WebGL2RenderingContext>();
  const { getContext } = OffscreenCanvas.prototype;
  OffscreenCanvas.prototype.getContext = function (
    this: OffscreenCanvas,
    ...args: Parameters<typeof getContext>
  ) {
    const context = getContext.apply(this, args);
    if (context instanceof WebGL2RenderingContext) made.add(context);
    return context;
  } as typeof getContext;
  return made;
}
