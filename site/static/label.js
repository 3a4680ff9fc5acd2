/* One judge request at a time, answered by keyboard; answers stay in this browser until they are saved as a file. */
"use strict";
(() => {
  const box = document.getElementById("labels"), requests = JSON.parse(document.getElementById("requests").textContent), kinds = JSON.parse(document.getElementById("kinds").textContent);
  const make = (tag, text, props) => Object.assign(document.createElement(tag), { textContent: text ?? "" }, props);
  const seen = (text) => String(text).replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, (c) => `⟨U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
  const place = `${box.dataset.name} ${location.pathname} ${requests.length}`, text = box.dataset, names = JSON.parse(text.fields);
  let answers = {}, at = 0;
  try { answers = JSON.parse(localStorage.getItem(place)) || {}; } catch { /* a private window */ }
  const keep = () => { try { localStorage.setItem(place, JSON.stringify(answers)); } catch { /* a private window */ } };
  const status = make("p", "", { className: "status" });
  status.setAttribute("aria-live", "polite");
  const keysOf = (verdicts) => { const heads = verdicts.map((v) => v[0].toLowerCase()); return new Set(heads).size === heads.length ? heads : verdicts.map((_, i) => String(i + 1)); };
  const fields = (request) => Object.entries(request).filter(([name]) => name !== "kind").flatMap(([name, value]) => {
    const all = Array.isArray(value) ? value : [value], dd = all.map((v) => make("dd", seen(v && typeof v === "object" ? v.text : v)));
    return [make("dt", names[name] || name), ...dd];
  });
  const save = () => {
    const lines = requests.map((row, i) => [row, answers[i]]).filter(([, v]) => v !== undefined).map(([row, verdict]) => JSON.stringify({ question: row.question, ask: row.ask, verdict }));
    const a = make("a", "", { href: URL.createObjectURL(new Blob([lines.map((l) => `${l}\n`).join("")])), download: `${text.name}.jsonl` });
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 1000);
    status.textContent = text.saved.replace("{n}", lines.length);
  };
  const answer = (verdict) => { answers[at] = verdict; keep(); move(1); };
  const move = (by) => { at = Math.max(0, Math.min(requests.length, at + by)); show(); };
  const show = () => {
    const row = requests[at], n = Object.keys(answers).length, acts = make("div", "", { className: "acts" });
    const button = (label, key, act) => { const b = make("button", label, { type: "button", onclick: act }); b.append(" ", make("kbd", key)); acts.append(b); return b; };
    const parts = [make("p", text.of.replace("{n}", Math.min(at + 1, requests.length)).replace("{all}", requests.length).replace("{done}", n), { className: "quiet" }), make("progress", "", { max: requests.length, value: n })];
    parts[1].setAttribute("aria-label", text.done);
    if (row) {
      const list = make("dl"), keys = keysOf(row.verdicts);
      list.append(...fields(row.ask));
      parts.push(make("h2", kinds[row.ask.kind]), list);
      row.verdicts.forEach((v, i) => button(v, keys[i], () => answer(v)).setAttribute("aria-pressed", String(answers[at] === v)));
      button(text.skip, "s", () => move(1));
    } else parts.push(make("h2", text.full));
    button(text.back, "b", () => move(-1));
    button(text.save, "w", save);
    box.replaceChildren(...parts, acts, status);
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = requests[at], key = event.key.toLowerCase(), i = row ? keysOf(row.verdicts).indexOf(key) : -1;
    if (i >= 0) answer(row.verdicts[i]);
    else if (key === "s") move(1);
    else if (key === "b") move(-1);
    else if (key === "w") save();
    else return;
    event.preventDefault();
  });
  box.hidden = false;
  at = Math.max(0, requests.findIndex((_, i) => answers[i] === undefined));
  show();
})();
