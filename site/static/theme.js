/* Before anything is painted: the reader's stored choice of light or dark, and that there are scripts. */
"use strict";
(() => {
  const page = document.documentElement;
  const read = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const keep = (name) => { try { localStorage.setItem("theme", name); } catch { /* a private window */ } };
  const dark = () => (page.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  page.classList.add("js");
  if (["light", "dark"].includes(read())) page.dataset.theme = read();
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("Theme");
    if (!button) return;
    const show = () => { button.textContent = dark() ? button.dataset.light : button.dataset.dark; };
    button.hidden = false;
    button.addEventListener("click", () => { page.dataset.theme = dark() ? "light" : "dark"; keep(page.dataset.theme); show(); });
    show();
  });
  addEventListener("click", ({ target }) => {
    if (!target.matches?.(".copy")) return;
    navigator.clipboard.writeText(target.previousElementSibling.textContent).then(() => { target.textContent = target.dataset.done; }, () => getSelection().selectAllChildren(target.previousElementSibling));
  });
})();
