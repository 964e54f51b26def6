/** The theme: that of VitePress, with the colors and the live example of Sconce. */
import TwoslashFloatingVue from "@shikijs/vitepress-twoslash/client";
import "@shikijs/vitepress-twoslash/style.css";
import { useRoute, withBase } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { h, nextTick, onMounted, watch } from "vue";
import "./style.css";

/** The live example. Its script is loaded with the page that shows it. */
const LiveExample = {
  setup() {
    onMounted(() => import(/* @vite-ignore */ withBase("/live/digits.js")));
    return () => h("sconce-digits", { class: "live" }, "The example needs JavaScript and WebAssembly.");
  },
};

/** The first page of VitePress has no main part for readers of screens: its content becomes it. */
function markMainPart() {
  const content = document.querySelector("#VPContent");
  if (content?.querySelector("main") === null) content.setAttribute("role", "main");
  else content?.removeAttribute("role");
}

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute();
    onMounted(markMainPart);
    watch(
      () => route.path,
      () => nextTick(markMainPart),
    );
  },
  enhanceApp({ app }) {
    // The plugin patches `app.component` for an older menu, fails, and logs that as an error.
    TwoslashFloatingVue.install({ use: (...plugin) => app.use(...plugin), component() {} });
    app.component("LiveExample", LiveExample);
  },
};
