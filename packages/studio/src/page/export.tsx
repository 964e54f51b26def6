/** @file The shown version as files, and the way to it as a link, commands and a script. */
import { useState } from "preact/hooks";
import type { SaveFormat } from "../engine/protocol.js";
import { isLinkable } from "./branch-link.js";
import { type Branch, linkSteps, partsUpTo } from "./branches.js";
import { Code } from "./code.js";
import { saveFile } from "./save-file.js";
import { sessionText } from "./session-text.js";
import type { StudioState } from "./state.js";
import { TEXTS_TOO_LONG } from "./texts.js";

const FORMATS: readonly (readonly [SaveFormat, string])[] = [
  ["pt2", ".pt2 for PyTorch"],
  ["sir", "IR text with tensors"],
  ["json", "JSON IR"],
];

/** What can be taken along from the page. */
export function Export({ state }: { readonly state: StudioState }) {
  const branch = state.branches.shown.value;
  if (branch === undefined) return null;
  const { commands, script, files } = sessionText(branch, partsUpTo(branch, state.step.value));
  const stem = branch.fileName.replace(/\.\w+$/, "");
  const save = async (format: SaveFormat) => {
    const version = state.version.value;
    if (version === undefined) return;
    const file = await state.work(`Write ${stem}.${format}`, "save", [version, format, stem]);
    if (file !== undefined) saveFile(file, `${stem}.out.${format}`);
  };
  return (
    <details>
      <summary>Export</summary>
      <p>The shown version as a file:</p>
      <div class="row">
        {FORMATS.map(([format, title]) => (
          <button key={format} type="button" onClick={() => void save(format)}>
            {title}
          </button>
        ))}
      </div>
      <Link state={state} />
      <Copied title="As commands" text={commands} />
      <Copied title="As a script" text={script} />
      {files.map(({ name, source }) => (
        <p key={name}>
          They need{" "}
          <button type="button" class="link" onClick={() => saveFile(new Blob([source]), name)}>
            {name}
          </button>
          , a text of the playground.
        </p>
      ))}
    </details>
  );
}

/** The address of the view, or why there is none. */
function Link({ state }: { readonly state: StudioState }) {
  const branch = state.branches.shown.value;
  const link = isLinkable(branch) ? state.link() : undefined;
  const isTooLong = state.texts.isTooLong.value;
  if (!isLinkable(branch))
    return (
      <p class="muted">
        There is no link: the page cannot open files of this machine by itself. A page of “sconce view FILE”
        has links.
      </p>
    );
  return (
    <div>
      {link !== undefined && (
        <Copied
          title="As a link"
          text={new URL(link, location.href).href}
          copied={isTooLong ? "copied, without the code of the playground" : "copied"}
        />
      )}
      {isTooLong ? (
        <p class="warning">{TEXTS_TOO_LONG} Save them, and send the files.</p>
      ) : (
        <p class="muted">{linkedText(state, branch)}</p>
      )}
    </div>
  );
}

/** Returns what a link says of the playground. */
function linkedText({ texts }: StudioState, branch: Branch): string {
  const steps = linkSteps(branch);
  if (steps.length === 0 && texts.changed.value.size === 0) return "";
  const run = steps.length > 1 ? "“Run the steps of the link”" : "“Run the code”";
  return `The link has the code of the playground${steps.length > 1 ? ", and all steps behind the first one" : ""}. The page that opens it shows it, and runs it when the reader presses ${run}.`;
}

function Copied(props: { readonly title: string; readonly text: string; readonly copied?: string }) {
  const { title, text, copied = "copied" } = props;
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <section>
      <p>
        {title}{" "}
        {navigator.clipboard !== undefined && (
          <button type="button" class="link" aria-label={`Copy: ${title}`} onClick={copy}>
            {isCopied ? copied : "copy"}
          </button>
        )}
      </p>
      <Code text={text} />
    </section>
  );
}
