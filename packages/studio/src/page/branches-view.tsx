/** @file The tree of versions: branches can be shown, named, compared and taken away. */
import { type Branch, type TreeNode, tipOf, treeOf, versionAt } from "./branches.js";
import type { StudioState } from "./state.js";

/** The opened programs: one is shown, others can be shown, compared with it, and closed. */
export function Files({ state }: { readonly state: StudioState }) {
  const branches = state.branches.all.value;
  const roots = new Map(branches.map((branch) => [branch.root.id, branch]));
  if (roots.size < 2) return null;
  return (
    <section>
      <h2>Open files</h2>
      <ul class="tree">
        {[...roots.values()].map((branch) => (
          <FileRow key={branch.root.id} state={state} branch={branch} />
        ))}
      </ul>
    </section>
  );
}

function FileRow({ state, branch }: { readonly state: StudioState; readonly branch: Branch }) {
  const { root } = branch;
  const fileName = state.branches.label(branch);
  const shown = state.branches.shown.value!;
  const isShown = shown.root.id === root.id;
  const tip = tipOf(branch);
  return (
    <li class="branch">
      <button
        type="button"
        class="version"
        aria-pressed={isShown}
        aria-label={`Show ${fileName}`}
        onClick={() => isShown || void state.showBranch(branch.id)}
      >
        {fileName}
      </button>
      {!isShown && (
        <button
          type="button"
          aria-label={`Compare with ${fileName}`}
          onClick={() => void state.showVersion(state.version.value!, tip)}
        >
          Compare
        </button>
      )}
      <button type="button" aria-label={`Close ${fileName}`} onClick={() => void closeFile(state, root.id)}>
        ✕
      </button>
    </li>
  );
}

/** Closes a program. What is compared with it is no longer compared. */
async function closeFile(state: StudioState, root: number): Promise<void> {
  state.branches.close(root);
  await state.showStep(Math.min(state.step.value, state.steps.value.length));
}

/** The branches of the shown program. */
export function Branches({ state }: { readonly state: StudioState }) {
  const root = state.branches.shown.value?.root.id;
  const branches = state.branches.all.value.filter((branch) => branch.root.id === root);
  if (branches.length < 2 && state.steps.value.length === 0) return null;
  return (
    <details open={branches.length > 1}>
      <summary>
        Branches <span class="muted">{branches.length}</span>
      </summary>
      <div class="row">
        <button type="button" title="Ctrl+Z" onClick={() => void state.moveBy(-1)}>
          Undo
        </button>
        <button type="button" title="Ctrl+Shift+Z" onClick={() => void state.moveBy(1)}>
          Redo
        </button>
      </div>
      <ul class="tree">
        {treeOf(branches).map((node) => (
          <Versions key={node.version} state={state} node={node} isOnly={branches.length < 2} />
        ))}
      </ul>
    </details>
  );
}

/** A version, the branches that end there, and the versions that were made from it. */
function Versions(props: { readonly state: StudioState; readonly node: TreeNode; readonly isOnly: boolean }) {
  const { state, node, isOnly } = props;
  // A row of versions without a choice stays one list.
  const row: TreeNode[] = [node];
  for (let last = node; last.branches.length === 0 && last.children.length === 1; ) {
    last = last.children[0]!;
    row.push(last);
  }
  const end = row.at(-1)!;
  return (
    <li>
      {row.map((one) => (
        <button
          key={one.version}
          type="button"
          class="version"
          aria-pressed={state.version.value === one.version}
          onClick={() => void showVersion(state, one.version)}
        >
          {one.title}
        </button>
      ))}
      {end.branches.map((branch) => (
        <BranchRow key={branch.id} state={state} branch={branch} isOnly={isOnly} />
      ))}
      {end.children.length > 0 && (
        <ul>
          {end.children.map((child) => (
            <Versions key={child.version} state={state} node={child} isOnly={isOnly} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** Shows a version on the shown branch, or on the first one that has it. */
function showVersion(state: StudioState, version: number): Promise<void> {
  const shown = state.branches.shown.value!;
  for (const branch of [shown, ...state.branches.all.value]) {
    if (branch.root.id === version) return state.showBranch(branch.id, 0);
    const step = branch.steps.findIndex((one) => one.version === version && one.changed);
    if (step >= 0) return state.showBranch(branch.id, step + 1);
  }
  return Promise.resolve();
}

function BranchRow(props: {
  readonly state: StudioState;
  readonly branch: Branch;
  readonly isOnly: boolean;
}) {
  const { state, branch, isOnly } = props;
  const fileName = state.branches.label(branch);
  const isShown = state.branches.shown.value?.id === branch.id;
  const tip = tipOf(branch);
  return (
    <div class="branch">
      <input
        aria-label={`Name of ${branch.name}`}
        value={branch.name}
        size={12}
        onChange={(event) => state.branches.rename(branch.id, event.currentTarget.value)}
      />
      <button
        type="button"
        aria-pressed={isShown}
        aria-label={`Show ${branch.name} of ${fileName}`}
        onClick={() => void state.showBranch(branch.id)}
      >
        Show
      </button>
      {!isShown && tip !== state.version.value && (
        <button
          type="button"
          aria-label={`Compare with ${branch.name} of ${fileName}`}
          onClick={() => void state.showVersion(state.version.value!, tip)}
        >
          Compare
        </button>
      )}
      {!isOnly && (
        <button
          type="button"
          aria-label={`Remove ${branch.name} of ${fileName}`}
          onClick={() => void removeBranch(state, branch)}
        >
          ✕
        </button>
      )}
    </div>
  );
}

async function removeBranch(state: StudioState, branch: Branch): Promise<void> {
  const wasShown = state.branches.shown.value?.id === branch.id;
  state.branches.remove(branch.id);
  if (wasShown) await state.showStep(state.steps.value.length);
}

/** Returns what the shown version is compared with; undefined for nothing, and for the step before it. */
export function comparedWith(state: StudioState): string | undefined {
  const other = state.compareWith.value;
  const branch = state.branches.shown.value;
  const step = state.step.value;
  if (other === undefined || branch === undefined || state.rewrites.value !== undefined) return undefined;
  if (step > 0 && versionAt(branch, step - 1) === other) return undefined;
  const last = state.branches.all.value.find((one) => tipOf(one) === other);
  if (last === undefined) return state.versions.value.find(({ id }) => id === other)?.title;
  const fileName = state.branches.label(last);
  return last.steps.length === 0 ? fileName : `${last.name} of ${fileName}`;
}
