/** @file Layers without state: a table of settings and one call. */
import { missingSetting } from "./errors.js";
import { Module } from "./module.js";
import { pythonText, type Settings, settingsOf } from "./settings.js";

/** A layer whose `forward` is one call. */
abstract class SettingLayer<Args extends readonly unknown[], Result> extends Module {
  /** Computes the layer's result. */
  abstract override forward(...args: Args): Result;
}

/** What a layer without state is. */
export interface LayerDefinition<Values extends object, Args extends readonly unknown[], Result> {
  /** The name of the class. */
  readonly name: string;
  /** The module of PyTorch that has it: `activation`. */
  readonly module: string;
  /** Settings in PyTorch's order; those without a default are `REQUIRED`. */
  readonly defaults: { readonly [K in keyof Values]: Values[K] | typeof REQUIRED };
  /** Computes the result. */
  readonly forward: (settings: Values & { readonly training: boolean }, ...args: Args) => Result;
  /** The text of the settings; every setting by its Python name when left out. */
  readonly text?: (settings: Values) => string;
}

/** A setting that has to be given. */
const REQUIRED: unique symbol = Symbol("a setting that has to be given");

/** The class of a layer without state. */
export interface LayerClass<
  Given extends readonly unknown[],
  Positions extends readonly unknown[],
  Values extends object,
  Args extends readonly unknown[],
  Result,
> {
  new (
    ...args: [...Given, ...Settings<Positions, Partial<Values>>]
  ): SettingLayer<Args, Result> & Readonly<Values>;
  readonly torchClass: string | undefined;
}

/** Makes the class of a layer without state. */
export function defineLayer<
  Given extends readonly unknown[],
  Positions extends readonly unknown[],
  Values extends object,
  Args extends readonly unknown[],
  Result,
>(definition: LayerDefinition<Values, Args, Result>): LayerClass<Given, Positions, Values, Args, Result> {
  const { name, module, defaults, forward, text } = definition;
  class Layer extends SettingLayer<Args, Result> {
    static override readonly torchClass: string = `torch.nn.modules.${module}.${name}`;

    constructor(...args: unknown[]) {
      super();
      const settings = settingsOf(name, args, defaults);
      for (const [key, value] of Object.entries(settings)) {
        if (value === REQUIRED) throw missingSetting(name, key);
      }
      Object.assign(this, settings);
    }

    override forward(...args: Args): Result {
      return forward(this as unknown as Values & { training: boolean }, ...args);
    }

    override extraRepr(): string {
      const settings = this as unknown as Values;
      return text === undefined ? settingsText(Object.keys(defaults), settings) : text(settings);
    }
  }
  Object.defineProperty(Layer, "name", { value: name });
  return Layer as unknown as LayerClass<Given, Positions, Values, Args, Result>;
}

function settingsText(names: readonly string[], settings: object): string {
  const values = settings as Readonly<Record<string, unknown>>;
  return names.map((name) => `${snakeCase(name)}=${pythonText(values[name])}`).join(", ");
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
