/** @file The editor of the playground. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { typescriptLanguage } from "@codemirror/lang-javascript";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  LanguageSupport,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Text } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { effect } from "@preact/signals";
import type { CodeProblem } from "../playground/messages.js";
import { completeName, describeName } from "./completion.js";
import type { PlaygroundState } from "./playground-state.js";

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.comment], color: "var(--muted)" },
  { tag: [tags.typeName, tags.className], color: "var(--code-type)" },
]);

const look = EditorView.theme({
  "&": { fontSize: "12px", border: "1px solid var(--border)", borderRadius: "6px" },
  ".cm-content": { fontFamily: "ui-monospace, Menlo, Consolas, monospace", caretColor: "var(--text)" },
  ".cm-gutters": { background: "var(--raised)", color: "var(--muted)", border: "0" },
  ".cm-activeLine": { background: "transparent" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-tooltip": { background: "var(--background)", border: "1px solid var(--border)", maxWidth: "60ch" },
  ".cm-tooltip code": { whiteSpace: "pre-wrap" },
  ".cm-completionInfo": { whiteSpace: "pre-wrap" },
});

/** The editor in the page; its text is that of the playground. */
export class Editor {
  readonly #view: EditorView;
  readonly #ends: (() => void)[] = [];

  constructor(parent: HTMLElement, playground: PlaygroundState) {
    const run = (): boolean => {
      void playground.run();
      return true;
    };
    const taken = EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) playground.write(state.doc.toString());
    });
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        doc: playground.source.peek(),
        extensions: [
          keymap.of([{ key: "Mod-Enter", run }]),
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          indentUnit.of("  "),
          bracketMatching(),
          closeBrackets(),
          highlightActiveLine(),
          new LanguageSupport(typescriptLanguage),
          syntaxHighlighting(colors),
          autocompletion({ override: [completeName] }),
          hoverTooltip(describeName),
          lintGutter(),
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
          EditorView.contentAttributes.of({ "aria-label": "Text of the playground" }),
          EditorView.lineWrapping,
          look,
          taken,
        ],
      }),
    });
    this.#ends.push(effect(() => this.#setText(playground.source.value)));
    this.#ends.push(effect(() => this.#mark(playground.problem.value)));
  }

  end(): void {
    for (const end of this.#ends) end();
    this.#view.destroy();
  }

  /** Takes a text that does not come from here. */
  #setText(text: string): void {
    const { doc } = this.#view.state;
    if (doc.toString() !== text) this.#view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
  }

  #mark(problem: CodeProblem | undefined): void {
    const { state } = this.#view;
    const marks = problem === undefined ? [] : diagnosticsOf(state.doc, problem);
    this.#view.dispatch(setDiagnostics(state, marks));
    const first = marks[0];
    if (first !== undefined)
      this.#view.dispatch({ effects: EditorView.scrollIntoView(first.from, { y: "center" }) });
  }
}

/** Returns the place of a problem in the text: from its column on, or the whole line. */
function diagnosticsOf(doc: Text, { line, column, message, title }: CodeProblem): Diagnostic[] {
  if (line === undefined || line < 1 || line > doc.lines) return [];
  const { from, to, text } = doc.line(line);
  const start = column === undefined ? from + text.search(/\S|$/) : Math.min(from + column - 1, to);
  return [{ from: Math.min(start, to), to, severity: "error", message: `${title}: ${message}` }];
}
