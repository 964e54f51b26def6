/** @file Completion and descriptions of names in the editor. */

import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { EditorView, Tooltip } from "@codemirror/view";
import { fittingNames, nameAt } from "../playground/names.js";
import { api } from "./sconce-api.js";

/** Returns the names that fit where the user writes. */
export function completeName({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const found = fittingNames(api, syntaxTree(state), state.doc.toString(), pos);
  if (found === undefined || (found.from === pos && !explicit && state.sliceDoc(pos - 1, pos) !== "."))
    return null;
  return {
    from: found.from,
    validFor: /^[\w$]*$/,
    options: found.names.map(({ name, kind, text, doc }) => ({
      label: name,
      type: kind,
      info: [text, doc].filter(Boolean).join("\n\n"),
    })),
  };
}

/** Returns the declaration of the name under the pointer. */
export function describeName({ state }: EditorView, pos: number): Tooltip | null {
  const found = nameAt(api, syntaxTree(state), state.doc.toString(), pos);
  if (found === undefined) return null;
  return {
    pos: found.from,
    end: found.to,
    above: true,
    create() {
      const dom = document.createElement("div");
      const code = document.createElement("code");
      code.textContent = found.text;
      dom.append(code);
      if (found.doc !== undefined) {
        const doc = document.createElement("p");
        doc.textContent = found.doc;
        dom.append(doc);
      }
      return { dom };
    },
  };
}
