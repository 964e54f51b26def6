/** @file The evaluation of the expression of one nest: what several readers share, and its size. */
import type { Index } from "../../ir/index-expr.js";
import type { Scalar } from "../../ir/scalar.js";

/** Elements of tensors that one expression may be made of. */
const MOST_ELEMENTS = 1024;
/** Characters of the coordinates of an element. */
const LONGEST = 4096;
/** A value that is read at so many places, or at places of so many characters, is better read. */
const MANY_PLACES = 16;
const LONG = 512;

/** Thrown where an expression grows beyond all use: one of its values has to get memory. */
export class TooLarge extends Error {}

/** The elements of one tensor in the expression. */
interface Elements {
  /** By the text of the coordinates. An axis has one name in a nest. */
  readonly byPlace: Map<string, Scalar>;
  /** Characters of the longest coordinates. */
  longest: number;
}

/** The elements of the tensors that a nest computes, each made once. */
export class Evaluation<Tensor extends object> {
  readonly #tensors = new Map<Tensor, Elements>();
  readonly #isLimited: boolean;
  #left = MOST_ELEMENTS;

  constructor(isLimited: boolean) {
    this.#isLimited = isLimited;
  }

  /** @throws TooLarge */
  element(tensor: Tensor, coordinates: readonly Index[], make: () => Scalar): Scalar {
    const place = coordinates.map(({ text }) => text).join();
    let elements = this.#tensors.get(tensor);
    if (elements === undefined) {
      elements = { byPlace: new Map(), longest: 0 };
      this.#tensors.set(tensor, elements);
    }
    const known = elements.byPlace.get(place);
    if (known !== undefined) return known;
    elements.longest = Math.max(elements.longest, place.length);
    this.#left -= 1;
    if (this.#isLimited && (this.#left < 0 || place.length > LONGEST)) throw new TooLarge();
    const made = make();
    elements.byPlace.set(place, made);
    return made;
  }

  /**
   * Returns the tensor that is to get memory, of those below the one that became too large, nearest
   * first: the first that is read at many places, or else one in the middle.
   */
  split(below: readonly Tensor[]): Tensor {
    const isMany = (tensor: Tensor): boolean => {
      const elements = this.#tensors.get(tensor);
      return elements !== undefined && (elements.byPlace.size >= MANY_PLACES || elements.longest >= LONG);
    };
    return below.find(isMany) ?? below[below.length >> 1]!;
  }
}
