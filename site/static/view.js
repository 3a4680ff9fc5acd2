/* The viewer without this script is whole; with it, j and k walk the sentences, a citation opens its
   document beside the report, and the words that document and sentence share are marked. */
"use strict";
(() => {
  const report = document.getElementById("report");
  const lines = [...(report?.querySelectorAll("[id^=s]") ?? [])], common = /^(?:[a-z]{1,2}|and|are|but|for|from|had|has|have|her|his|its|les|des|not|that|the|their|they|this|une|was|were|which|who|will|with)$/;
  const words = (text) => new Set((text.toLowerCase().match(/\d+(?:[.,:]\d+)*|\p{L}+(?:['’-]\p{L}+)*/gu) || []).filter((w) => !common.test(w)));
  let at = lines.findIndex((line) => `#${line.id}` === location.hash), marked;
  const pick = (n, scroll = true) => {
    lines[at]?.classList.remove("at");
    at = Math.max(0, Math.min(lines.length - 1, n));
    const line = lines[at];
    if (!line) return;
    line.classList.add("at");
    line.tabIndex = -1;
    line.focus({ preventScroll: true });
    if (scroll) line.scrollIntoView({ block: "center" });
  };
  const clear = () => { if (marked) { marked.textContent = marked.dataset.text; for (const link of marked.keep) marked.append(link); marked = null; } };
  const open = (doc, line) => {
    clear();
    doc.open = true;
    const box = doc.querySelector(".text"), keep = [...box.children], text = keep.length ? box.firstChild.data : box.textContent;
    const wanted = words([...line.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join(" ")), out = document.createDocumentFragment();
    let from = 0, first;
    for (const hit of text.matchAll(/\d+(?:[.,:]\d+)*|\p{L}+(?:['’-]\p{L}+)*/gu)) {
      if (!wanted.has(hit[0].toLowerCase())) continue;
      const mark = document.createElement("mark");
      mark.textContent = hit[0];
      out.append(text.slice(from, hit.index), mark);
      first ??= mark;
      from = hit.index + hit[0].length;
    }
    out.append(text.slice(from));
    box.dataset.text = text;
    box.replaceChildren(out, ...keep);
    marked = Object.assign(box, { keep });
    (first || doc).scrollIntoView({ block: "center" });
  };
  // A citation stands behind its sentence, after others of it.
  const cites = (link) => { let one = link; while (one && !/^s\d/.test(one.id)) one = one.previousElementSibling; return one; };
  const cited = (line) => line?.querySelector("a.c") || (line?.nextElementSibling?.matches("a.c") ? line.nextElementSibling : null);
  report?.addEventListener("click", (event) => {
    const link = event.target.closest("a.c"), line = event.target.closest("[id^=s]") || cites(link);
    if (line) pick(lines.indexOf(line), false);
    const doc = link && link.hash && document.getElementById(link.hash.slice(1));
    if (line && doc && link.getAttribute("href")[0] === "#") { event.preventDefault(); history.pushState(null, "", link.hash); open(doc, line); }
  });
  const go = (rel) => document.querySelector(`a[rel=${rel}]`)?.click();
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input,select,textarea")) return;
    const act = { j: () => pick(at + 1), k: () => pick(at - 1), n: () => go("next"), p: () => go("prev"), c: () => cited(lines[at])?.click(), d: () => { const more = lines[at]?.querySelector("details"); if (more) more.open = !more.open; else lines[at]?.querySelector("a.sn")?.click(); } }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  const keys = document.getElementById("keys");
  if (keys) keys.hidden = false;
})();
