/* Up to four systems side by side, in a tray that stays in view. The first is the one the others are
   tested against: paired by question, where the board has scores by question. */
"use strict";
(() => {
  const tray = document.getElementById("Tray"), table = document.getElementById("Board");
  if (!tray || !table) return;
  const say = JSON.parse(tray.dataset.words), fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const make = (tag, props, ...inside) => { const made = Object.assign(document.createElement(tag), props); made.append(...inside); return made; };
  const scores = new Map();
  let questions = [], waiting = new Map(), open = false, from, chosen = [], full = false;

  /* A file of scores is a script, since a page from the disk may read nothing else. */
  globalThis.addScores = (system, values) => scores.set(system, values);
  globalThis.addQuestions = (rows) => { questions = rows; };
  const load = (name) => waiting.get(name) || waiting.set(name, new Promise((done) => {
    const script = make("script", { src: `${tray.dataset.scores}${name}.js`, onload: done, onerror: done });
    document.head.append(script);
  })).get(name);

  const random = (seed) => () => { seed = (seed + 0x6d2b79f5) | 0; let t = Math.imul(seed ^ (seed >>> 15), 1 | seed); t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t; return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
  const TIMES = 10000, EVEN = 1e-9;
  /* Mean difference of b and a by question: a test that flips signs (all of them up to 13 questions), a
     95% interval from resampled questions, and how many questions each of them wins. */
  const paired = (a, b) => {
    const d = a.flatMap((x, i) => x === null || b[i] === null || b[i] === undefined ? [] : [b[i] - x]), n = d.length, next = random(20270131);
    if (n < 2) return null;
    const sum = d.reduce((x, y) => x + y, 0), moved = d.filter((x) => Math.abs(x) > EVEN), every = moved.length <= 13;
    let extreme = 0;
    const rounds = every ? 2 ** moved.length : TIMES;
    for (let r = 0; r < rounds; r++) {
      let s = 0;
      for (let i = 0; i < moved.length; i++) s += (every ? (r >> i) & 1 : next() < 0.5) ? moved[i] : -moved[i];
      if (Math.abs(s) >= Math.abs(sum) - EVEN) extreme++;
    }
    const means = Float64Array.from({ length: TIMES }, () => { let s = 0; for (let i = 0; i < n; i++) s += d[(next() * n) | 0]; return s / n; }).sort();
    return { n, mean: sum / n, low: means[Math.floor(TIMES * 0.025)], high: means[Math.ceil(TIMES * 0.975) - 1], p: every ? extreme / rounds : (extreme + 1) / (rounds + 1),
      wins: d.filter((x) => x > EVEN).length, losses: d.filter((x) => x < -EVEN).length };
  };
  globalThis.pairedTest = paired;
  /* Holm (1979): the smallest p counts as often as there are tests. */
  const holm = (tests) => {
    let most = 0;
    [...tests].filter(Boolean).sort((a, b) => a.p - b.p).forEach((test, i, all) => { most = Math.max(most, Math.min(1, test.p * (all.length - i))); test.p = most; });
  };
  const points = (x) => `${x > 0 ? "+" : x < 0 ? "−" : ""}${Math.abs(100 * x).toFixed(1)}`, tell = (p) => p < 0.001 ? "< 0.001" : p.toFixed(3);
  const name = (row) => row.querySelector(".who a").textContent;
  const line = (head, cells, title = "") => make("tr", {}, make("th", { scope: "row", title }, head), ...cells.map((cell) => make("td", {}, ...[cell].flat())));
  const heads = [...table.tHead.rows[0].cells], seen = (cell) => getComputedStyle(cell).display !== "none";
  const small = (text) => make("small", {}, text);

  const panel = () => {
    const tests = chosen.slice(1).map((row) => scores.has(row.id) && scores.has(chosen[0].id) ? paired(scores.get(chosen[0].id), scores.get(row.id)) : null);
    holm(tests);
    const body = make("tbody", {}), tested = tests.some(Boolean);
    for (const head of heads.filter((h) => h.classList.contains("lead"))) body.append(row(head));
    if (tested) {
      const each = (of) => ["–", ...tests.map((t) => t ? of(t) : "–")];
      body.append(line(fill(say.difference, { first: name(chosen[0]) }), each((t) => [t.p < 0.05 ? make("b", {}, points(t.mean)) : points(t.mean), small(` ${points(t.low)} ${say.to} ${points(t.high)}`)])));
      body.append(line(say.p, each((t) => tell(t.p)), say["p.long"]));
      body.append(line(say.wins, each((t) => `${t.wins} / ${t.n - t.wins - t.losses} / ${t.losses}`)));
    }
    for (const head of heads.filter((h) => ["rank", "cost"].includes(h.dataset.key))) body.append(row(head));
    for (const head of heads.filter((h) => h.classList.contains("sc") && !h.classList.contains("lead") && seen(h))) body.append(row(head));
    const head = make("tr", {}, make("th", { scope: "col" }, say.score), ...chosen.map((r) => make("th", { scope: "col" }, name(r))));
    const scroll = make("section", { className: "scroll", tabIndex: 0, ariaLabel: say.title }, make("table", { className: "plain" }, make("thead", {}, head), body));
    const parts = [scroll, make("p", { className: "quiet" }, tested ? say.how : tray.dataset.scores ? say.few : say.none)];
    const far = tested && tests[0] && questions.map(([stem, text], i) => [Math.abs((scores.get(chosen[0].id)[i] ?? NaN) - (scores.get(chosen[1].id)[i] ?? NaN)), stem, text]).filter(([gap]) => gap > EVEN).sort((a, b) => b[0] - a[0]).slice(0, 4);
    if (far && far.length) parts.push(make("p", {}, `${say.far} `, ...far.flatMap(([gap, stem, text], i) => [i ? " · " : "", make("a", { href: `${tray.dataset.questions}${stem}.html` }, text), small(` ${(100 * gap).toFixed(0)}`)])));
    return make("div", { className: "panel" }, ...parts);
  };
  const row = (head) => line(make("span", {}, head.querySelector(".cn").textContent), chosen.map((r) => {
    const cell = r.cells[head.cellIndex], range = cell.querySelector("small")?.textContent ?? "";
    return [cell.textContent.replace(range, "").trim(), range ? small(` ${range}`) : ""];
  }), head.title);

  const draw = () => {
    tray.hidden = !chosen.length;
    document.body.classList.toggle("compares", !tray.hidden);
    if (tray.hidden) { open = false; return tray.replaceChildren(); }
    const ready = chosen.length > 1, was = document.activeElement?.dataset?.tray;
    const chips = chosen.map((r) => make("button", { type: "button", className: "chip", ariaLabel: fill(say.remove, { name: name(r) }), onclick: () => set(chosen.filter((x) => x !== r)) }, name(r), make("span", { ariaHidden: "true" }, " ×")));
    const toggle = make("button", { type: "button", className: "main", disabled: !ready, onclick: () => { open = !open; draw(); } }, ready ? (open ? say.close : fill(say.open, { n: chosen.length })) : say.more);
    toggle.dataset.tray = "toggle";
    toggle.title = say.enter;
    toggle.setAttribute("aria-expanded", String(open && ready));
    const bar = make("div", { className: "bar" }, ...chips, toggle, make("button", { type: "button", onclick: () => set([]) }, say.clear), make("span", { className: "status", role: "status" }, full ? say.most : ""));
    tray.replaceChildren(...(open && ready ? [panel()] : []), bar);
    if (was) tray.querySelector(`[data-tray=${was}]`)?.focus();
  };
  const set = (list) => { full = false; document.dispatchEvent(new CustomEvent("compare-set", { detail: list.map((r) => r.id) })); };
  let begun = false;
  const show = async (list) => {
    if (!begun) { begun = true; open = list.length > 1; }
    if (list.length !== chosen.length) full = false;
    chosen = list;
    draw();
    if (chosen.length > 1 && tray.dataset.scores) {
      await Promise.all(["_questions", ...chosen.map((r) => r.id)].map(load));
      if (chosen === list && open) draw();
    }
  };
  document.addEventListener("compare", ({ detail }) => { if (String(detail.map((r) => r.id)) !== String(chosen.map((r) => r.id)) || open) show(detail); });
  /* Enter on a box opens the comparison, which stands behind all rows for a keyboard; Escape goes back. */
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (key === "Enter" && target.className === "pick" && chosen.length > 1) [open, from] = [true, target];
    else if (key === "Escape" && open) open = false;
    else return;
    event.preventDefault();
    draw();
    (open ? tray.querySelector("[data-tray]") : from)?.focus();
  });
  document.addEventListener("compare-full", () => { full = true; draw(); });
  const first = new URLSearchParams(location.search).get("with");
  if (first) show(first.split(",").slice(0, 4).map((id) => document.getElementById(id)).filter((r) => r && table.contains(r)));
})();
