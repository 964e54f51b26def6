/** Draws a digit, and shows what the built module says that it is. */
import { load } from "./digits.mjs";

/** One image of the test set: 8 lines of 8 pixels, from 0 to 16. */
const IMAGE = [
  [0, 0, 0, 16, 7, 0, 0, 0],
  [0, 0, 6, 16, 4, 0, 0, 0],
  [0, 0, 11, 15, 0, 0, 0, 0],
  [0, 0, 12, 12, 0, 0, 0, 0],
  [0, 0, 15, 16, 16, 8, 0, 0],
  [0, 0, 12, 16, 13, 15, 8, 0],
  [0, 0, 12, 16, 7, 13, 15, 0],
  [0, 0, 1, 11, 16, 15, 9, 0],
].flat();

const context = document.querySelector("#image").getContext("2d");
IMAGE.forEach((value, at) => {
  const gray = 255 - value * 15;
  context.fillStyle = `rgb(${gray} ${gray} ${gray})`;
  context.fillRect(at % 8, Math.floor(at / 8), 1, 1);
});

const digit = document.querySelector("#digit");
try {
  const model = await load();
  const scores = await model.run({ image: { data: new Float32Array(IMAGE), shape: [1, 1, 8, 8] } });
  digit.textContent = `this is a ${scores.data.indexOf(Math.max(...scores.data))}`;
  model.dispose();
} catch (error) {
  digit.textContent = String(error);
}
document.documentElement.dataset.state = "done";
