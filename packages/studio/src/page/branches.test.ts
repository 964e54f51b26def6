import { expect, test } from "vitest";
import { BranchList } from "./branch-list.js";
import { branch, step, version } from "./branches.fixture.js";
import { type Branch, fileLabels, linkedPipeline, partsUpTo, type TreeNode, treeOf } from "./branches.js";

const FIRST = [step("decompose", 0, 1), step("cse", 1, 2), step("dce", 2, 2)];
const RUN = { pipeline: "decompose,cse,dce", steps: 3 };

/** A list with a program and one run. */
function listWithRun(): { readonly list: BranchList; readonly main: Branch } {
  const list = new BranchList();
  list.open(version(0), "a.pt2", "a");
  list.add(list.shown.value!.id, 0, RUN, FIRST);
  return { list, main: list.shown.value! };
}

const shape = ({ title, branches, children }: TreeNode): unknown => [
  title,
  branches.map(({ name }) => name),
  children.map(shape),
];

test("passes behind the end make a branch longer; others behind a step make another branch", () => {
  const { list, main } = listWithRun();
  list.add(main.id, 3, { pipeline: "fold", steps: 1 }, [step("fold", 2, 3)]);
  expect(list.all.value).toHaveLength(1);
  expect(list.shown.value?.steps).toHaveLength(4);
  list.add(main.id, 1, { pipeline: "dce", steps: 1 }, [step("dce", 1, 4)]);
  expect(list.all.value.map(({ name }) => name)).toEqual(["main", "branch 2"]);
  expect(list.shown.value?.parts).toEqual([
    { pipeline: "decompose", steps: 1 },
    { pipeline: "dce", steps: 1 },
  ]);
  expect(treeOf(list.all.value).map(shape)).toEqual([
    [
      "a.pt2",
      [],
      [
        [
          "decompose",
          [],
          [
            ["cse", [], [["fold", ["main"], []]]],
            ["dce", ["branch 2"], []],
          ],
        ],
      ],
    ],
  ]);
});

test("passes that a branch has already lead to that branch", () => {
  const { list, main } = listWithRun();
  list.add(main.id, 0, { pipeline: "dce", steps: 1 }, [step("dce", 0, 5)]);
  expect(list.shown.value?.name).toBe("branch 2");
  list.add(list.shown.value!.id, 0, RUN, FIRST);
  expect(list.shown.value?.id).toBe(main.id);
  expect(list.all.value).toHaveLength(2);
});

test("other passes with the same result make another branch: a link names what ran", () => {
  const list = new BranchList();
  list.open(version(0), "a.pt2", "a");
  const { id } = list.shown.value!;
  const steps = (second: string) => [step("decompose", 0, 1), step(second, 1, 1)];
  list.add(id, 0, { pipeline: "decompose,cse", steps: 2 }, steps("cse"));
  list.add(id, 0, { pipeline: "decompose,dce", steps: 2 }, steps("dce"));
  expect(linkedPipeline(list.shown.value!).pipeline).toBe("decompose,dce");
  expect(treeOf(list.all.value).map(shape)).toEqual([
    ["a.pt2", [], [["decompose", ["main", "branch 2"], []]]],
  ]);
});

test("branches are named and taken away; the last one stays", () => {
  const { list, main } = listWithRun();
  list.rename(main.id, "  fast ");
  list.rename(main.id, " ");
  expect(list.shown.value?.name).toBe("fast");
  list.open(version(7), "b.pt2", "");
  expect(treeOf(list.all.value).map(({ title }) => title)).toEqual(["a.pt2", "b.pt2"]);
  expect(list.showFile("a")).toBe(true);
  expect(list.showFile("")).toBe(false);
  list.remove(main.id);
  expect(list.shown.value?.fileName).toBe("b.pt2");
  list.remove(list.shown.value!.id);
  expect(list.all.value).toHaveLength(1);
});

test("a link has the passes up to the first text of the playground", () => {
  const parts = [
    RUN,
    { pipeline: "mine", own: { name: "clamp", source: "export {}" }, steps: 2 },
    { pipeline: "cse", steps: 1 },
  ];
  expect(linkedPipeline(branch({ parts }))).toEqual({ pipeline: "decompose,cse,dce", steps: 3 });
  expect(partsUpTo(branch({ steps: FIRST, parts }), 2)).toEqual([{ pipeline: "decompose,cse", steps: 2 }]);
});

test("a closed program takes its branches with it, and another one is shown", () => {
  const { list } = listWithRun();
  list.add(list.shown.value!.id, 1, { pipeline: "dce", steps: 1 }, [step("dce", 1, 4)]);
  list.close(0);
  expect(list.all.value).toHaveLength(2);
  list.open(version(5), "b.pt2", "b");
  list.open(version(6), "c.pt2", "c");
  list.close(5);
  expect(list.shown.value?.fileName).toBe("c.pt2");
  list.close(6);
  expect(list.shown.value?.fileName).toBe("a.pt2");
  list.remove(list.shown.value!.id);
  expect(list.all.value.map(({ fileName }) => fileName)).toEqual(["a.pt2"]);
});

test("opened files of one name have a folder or a number", () => {
  const opened = (id: number, fileName: string, file: string): Branch =>
    branch({ id, root: version(id), fileName, file });
  const labels = (...branches: Branch[]): string[] => [...fileLabels(branches).values()];
  expect(labels(opened(1, "a.pt2", ""), opened(2, "b.pt2", ""))).toEqual(["a.pt2", "b.pt2"]);
  expect(labels(opened(1, "a.pt2", ""), opened(2, "a.pt2", ""), opened(3, "a.pt2", "x/a.pt2"))).toEqual([
    "a.pt2",
    "a.pt2 (2)",
    "a.pt2 (3)",
  ]);
  const places = ["https://example.org/mlp/a.pt2", "https://example.org/my%20gpt/a.pt2"];
  expect(labels(...places.map((place, i) => opened(i, "a.pt2", place)))).toEqual([
    "mlp/a.pt2",
    "my gpt/a.pt2",
  ]);
  // Branches of one program are one file.
  expect(labels(opened(1, "a.pt2", ""), { ...opened(1, "a.pt2", ""), id: 2 })).toEqual(["a.pt2"]);
});
