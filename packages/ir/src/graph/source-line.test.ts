import { expect, test } from "vitest";
import { nodePlace, sourceLine, userFrame } from "./source-line.js";

const frame = (file: string, line: number, code = "x = f(x)"): string =>
  `  File "${file}", line ${line}, in forward\n    ${code}\n`;
const TORCH = "/usr/lib/python3/dist-packages/torch/nn/modules";
const VISION = "/usr/lib/python3/dist-packages/torchvision/models";

test.each<[string, string, string | undefined]>([
  ["the only frame", frame("/home/me/model.py", 3), "/home/me/model.py:3"],
  ["the frame outside of PyTorch", frame("model.py", 3) + frame(`${TORCH}/linear.py`, 134), "model.py:3"],
  [
    "the last of the user's frames",
    frame("model.py", 9) +
      frame(`${TORCH}/container.py`, 259) +
      frame("model.py", 3) +
      frame(`${TORCH}/conv.py`, 565),
    "model.py:3",
  ],
  [
    "the user's frame, though a package calls PyTorch",
    frame("train.py", 7) + frame(`${VISION}/resnet.py`, 97) + frame(`${TORCH}/conv.py`, 565),
    "train.py:7",
  ],
  [
    "the package's frame, where the user has none",
    frame(`${VISION}/resnet.py`, 275) + frame(`${VISION}/resnet.py`, 97) + frame(`${TORCH}/conv.py`, 565),
    `${VISION}/resnet.py:97`,
  ],
  [
    "generated code is not the user's",
    frame("model.py", 26) + frame("<eval_with_key>.29", 12),
    "model.py:26",
  ],
  [
    "nor are relative paths of PyTorch",
    frame("model.py", 5) + frame("torch/fx/passes/runtime_assert.py", 24),
    "model.py:5",
  ],
  ["PyTorch's frame where there is no other", frame(`${TORCH}/linear.py`, 134), `${TORCH}/linear.py:134`],
  [
    "a folder of the user's that is called torch",
    frame("/home/me/torch/model.py", 5),
    "/home/me/torch/model.py:5",
  ],
  [
    "paths of Windows",
    frame("C:\\me\\model.py", 5) + frame("C:\\py\\site-packages\\torch\\nn\\modules\\linear.py", 1),
    "C:\\me\\model.py:5",
  ],
  ["no frame", "something else", undefined],
  ["nothing", "", undefined],
])("%s", (_, stackTrace, line) => {
  expect(sourceLine({ meta: { stackTrace } })).toBe(line);
});

test("a frame has its function and code", () => {
  expect(userFrame(frame("model.py", 3, "return x + 1"))).toEqual({
    file: "model.py",
    line: 3,
    function: "forward",
    code: "return x + 1",
  });
  expect(userFrame('File "a.py", line 1, in f\nFile "b.py", line 2, in g')).toMatchObject({
    file: "b.py",
    code: "",
  });
});

test("places of nodes", () => {
  const node = { name: "mul", target: "aten.mul.Tensor", meta: {} };
  expect(nodePlace(node)).toBe('node "mul" (aten.mul.Tensor)');
  expect(nodePlace({ ...node, meta: { stackTrace: frame("model.py", 3) } })).toBe(
    'node "mul" (aten.mul.Tensor), model.py:3',
  );
});
