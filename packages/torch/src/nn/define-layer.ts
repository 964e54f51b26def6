/** @file Layers without parameters, each defined by a table of settings and one call. */

import type { FloatLiteral } from "@sconce/ir";
import { type AnyFunction, fieldsOf, takeParametersOf } from "@sconce/source-check";
import type { Tensor } from "@sconce/tensor";
import { missingSetting } from "./errors.js";
import { Module } from "./module.js";
import { isFloat, type Settings, settingsOf, settingsText, snakeCase } from "./settings.js";

/** A layer whose `forward` is one call. */
export abstract class SettingLayer<Args extends readonly unknown[], Result> extends Module {
  /** Computes the layer's result. */
  abstract override forward(...args: Args): Result;
}

/** The definition of a layer without parameters. */
export interface LayerDefinition<Values extends object, Args extends readonly unknown[], Result> {
  /** The name of the class. */
  readonly name: string;
  /** The module of PyTorch that has it: `activation`. */
  readonly module: string;
  /**
   * Settings in PyTorch's order; those without a default are `REQUIRED`. A default that is a float
   * in Python (`float(1)`) is one for `forward` and `text` as well, a number for users.
   */
  readonly defaults: { readonly [K in keyof Values]: Values[K] | FloatLiteral | typeof REQUIRED };
  /** Settings that are tensors: buffers of the module, whose names are those of Python. */
  readonly buffers?: readonly (keyof Values & string)[];
  /** Refuses settings that contradict each other. */
  readonly check?: (settings: Values) => void;
  /** Computes the result. */
  readonly forward: (settings: Values & { readonly training: boolean }, ...args: Args) => Result;
  /** The text of the settings; every setting by its Python name when left out. */
  readonly text?: (settings: Values) => string;
}

/** A setting that has to be given. */
export const REQUIRED: unique symbol = Symbol("a setting that has to be given");

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
  const { name, module, defaults, forward, text, buffers = [], check } = definition;
  const isBuffer = (key: string): boolean => (buffers as readonly string[]).includes(key);
  class Layer extends SettingLayer<Args, Result> {
    static override readonly torchClass: string = `torch.nn.modules.${module}.${name}`;

    /** The settings as they were given, floats of Python as such. */
    private readonly given: object;

    constructor(...args: unknown[]) {
      super();
      const settings = settingsOf(name, args, defaults);
      this.given = settings;
      const plain = Object.entries(settings).map(([key, value]): [string, unknown] => {
        if (value === REQUIRED) throw missingSetting(name, key);
        return [key, isFloat(value) ? value.value : value];
      });
      check?.(Object.fromEntries(plain) as Values);
      for (const [key, value] of plain) {
        if (isBuffer(key)) this.registerBuffer(snakeCase(key), value as Tensor | null);
        else Object.assign(this, { [key]: value });
      }
    }

    /** Returns the settings with which Python would call. */
    private values(): Values {
      const own = fieldsOf(this);
      const values: Record<string, unknown> = { training: this.training };
      for (const [key, initial] of Object.entries(this.given)) {
        const value = own[isBuffer(key) ? snakeCase(key) : key];
        values[key] = isFloat(initial) && value === initial.value ? initial : value;
      }
      return values as Values;
    }

    override forward(...args: Args): Result {
      return forward(this.values() as Values & { training: boolean }, ...args);
    }

    override extraRepr(): string {
      const settings = this.values();
      return text === undefined ? settingsText(Object.keys(defaults), settings) : text(settings);
    }
  }
  takeParametersOf(Layer.prototype.forward as AnyFunction, forward as AnyFunction);
  Object.defineProperty(Layer, "name", { value: name });
  return Layer as unknown as LayerClass<Given, Positions, Values, Args, Result>;
}
