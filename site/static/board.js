/* The board without this script is whole; with it, it sorts, filters, folds, compares, and every
   state is an address. Nothing is fetched and nothing is made from text: cells are moved and hidden. */
"use strict";
(() => {
  const $ = (id) => document.getElementById(id), table = $("board"), tools = $("tools"), panel = $("compare");
  if (!table || !tools) return;
  const make = (tag, text, props) => Object.assign(document.createElement(tag), { textContent: text ?? "" }, props);
  const heads = [...table.tHead.querySelectorAll("th[data-key]")];
  const of = (name) => heads.filter((h) => h.dataset.key === name);
  const last = ["cost", "tokens", "date"], scored = [...table.tHead.rows[2].cells];
  const cols = [...of("rank"), ...of("name"), ...scored, ...last.flatMap(of)];
  const at = new Map(cols.map((h, i) => [h.dataset.key, i]));
  const bodies = [...table.tBodies].map((body) => ({ body, rows: [...body.rows].filter((r) => r.id) }));
  const rows = bodies.flatMap((b) => b.rows), byId = new Map(rows.map((r) => [r.id, r]));
  rows.forEach((row, i) => Object.assign(row, { i, find: row.cells[at.get("name")].textContent.toLowerCase() + row.id }));
  const name = (row) => row.querySelector(".who a").textContent;
  const value = (row, key) => key === "name" ? name(row).toLowerCase() : row.cells[at.get(key)].dataset.v;
  const fams = [...table.tHead.querySelectorAll("[data-fold]")];
  const first = scored.find((h) => h.hasAttribute("aria-sort"))?.dataset.key;
  const folded = scored.length > 9 ? fams.filter((f) => f.colSpan > 1).map((f) => f.dataset.fold) : [];
  const filters = ["q", "type", "base", "judge", "cost"], sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [sheet];
  let state, typing = false, sorted = "";

  const read = () => {
    const url = new URLSearchParams(location.search), list = (key) => (url.get(key) || "").split(",").filter(Boolean);
    state = Object.fromEntries(filters.map((key) => [key, url.get(key) || ""]));
    state.sort = url.getAll("sort").filter((s) => at.has(s.replace(/^-/, "")));
    state.fold = url.has("fold") ? list("fold") : folded;
    state.with = list("with").filter((id) => byId.has(id)).slice(0, 4);
    fill();
  };
  const fill = () => {
    for (const key of filters) {
      const field = tools.elements[key];
      if (!field) continue;
      if (field.type === "checkbox") field.checked = state[key] === field.value;
      else field.value = state[key];
      if (field.tagName === "SELECT" && field.selectedIndex < 0) field.value = state[key] = "";
    }
  };
  const address = () => {
    const url = new URLSearchParams();
    for (const key of filters) if (state[key]) url.set(key, state[key]);
    for (const key of state.sort) url.append("sort", key);
    if (String(state.fold) !== String(folded)) url.set("fold", state.fold.join());
    if (state.with.length) url.set("with", state.with.join());
    return location.pathname + (String(url) ? `?${url}` : "") + location.hash;
  };
  const go = (replace) => { history[replace ? "replaceState" : "pushState"](null, "", address()); show(); };

  const order = (a, b) => {
    for (const sort of state.sort) {
      const key = sort.replace(/^-/, ""), down = sort[0] === "-" ? -1 : 1, x = value(a, key), y = value(b, key);
      if (x === undefined || y === undefined) { if (x !== y) return x === undefined ? 1 : -1; continue; }
      const gap = key === "name" ? x.localeCompare(y) : x - y;
      if (gap) return down * gap;
    }
    return a.i - b.i;
  };
  const fits = (row) =>
    (!state.q || state.q.toLowerCase().split(/\s+/).every((word) => row.find.includes(word))) &&
    (!state.type || row.dataset.type === state.type) && (!state.base || row.dataset.base === state.base) &&
    (!state.judge || row.dataset.judge === state.judge) && (!state.cost || value(row, "cost") !== undefined);

  /* After a sort the rows that nobody sees yet follow in the frames after it. */
  const later = () => requestAnimationFrame(() => setTimeout(() => {
    const late = [...table.querySelectorAll(".late")];
    late.slice(0, 200).forEach((row) => row.classList.remove("late"));
    if (late.length > 200) later();
  }));
  const show = () => {
    let shown = 0;
    for (const { body, rows: mine } of bodies) {
      const sort = sorted !== String(state.sort), now = sort ? [...mine].sort(order) : [...body.rows].filter((row) => row.id);
      let here = 0;
      for (const row of now) {
        const fit = fits(row);
        row.classList.toggle("late", fit && here > 40 && (sort || row.hidden || row.classList.contains("late")));
        row.hidden = !fit;
        here += fit;
      }
      body.hidden = !here;
      shown += here;
      if (sort) body.append(...now);
      body.classList.toggle("mixed", state.sort.length > 0);
    }
    sorted = String(state.sort);
    later();
    heads.forEach((head) => {
      const n = state.sort.findIndex((s) => s.replace(/^-/, "") === head.dataset.key), natural = !state.sort.length && head.dataset.key === first;
      head.removeAttribute("aria-sort");
      if (n === 0) head.setAttribute("aria-sort", state.sort[0][0] === "-" ? "descending" : "ascending");
      if (natural) head.setAttribute("aria-sort", head.dataset.low ? "ascending" : "descending");
      head.classList.toggle("also", n > 0);
    });
    fold();
    compare();
    $("status").textContent = tools.dataset.shown.replace("{n}", shown).replace("{all}", rows.length);
  };

  const spans = new Map([...table.tHead.querySelectorAll("[data-fold],.met[data-of]")].map((h) => [h, h.colSpan]));
  const fold = () => {
    const rules = [];
    for (const head of fams) {
      const family = head.dataset.fold, shut = state.fold.includes(family) && spans.get(head) > 1, button = head.querySelector(".fold");
      const mine = scored.filter((h) => h.dataset.of === family), mets = [...spans.keys()].filter((h) => h.dataset.of === family);
      head.colSpan = shut ? 1 : spans.get(head);
      mets.forEach((h, i) => { h.hidden = shut && i > 0; h.colSpan = shut ? 1 : spans.get(h); });
      mine.forEach((h, i) => { h.hidden = shut && i > 0; });
      if (shut) { const from = at.get(mine[1].dataset.key) + 1; rules.push(`#board tr[id]>:nth-child(n+${from}):nth-child(-n+${from + mine.length - 2}){display:none}`); }
      if (button) { button.setAttribute("aria-expanded", String(!shut)); button.textContent = shut ? `+${mine.length - 1}` : "−"; button.setAttribute("aria-label", `${head.firstChild.textContent}: ${shut ? head.dataset.open : head.dataset.close}`); }
    }
    sheet.replaceSync(rules.join(""));
  };

  const compare = () => {
    rows.forEach((row) => { const on = state.with.includes(row.id); if (row.pick.checked !== on) row.pick.checked = on; });
    panel.hidden = !state.with.length;
    if (panel.hidden) return panel.replaceChildren();
    const chosen = state.with.map((id) => byId.get(id)), t = make("table", "", { className: "plain" }), head = make("tr");
    head.append(make("th", panel.dataset.score, { scope: "col" }), ...chosen.map((r) => make("th", name(r), { scope: "col" })));
    t.createTHead().append(head);
    const body = t.createTBody();
    for (const th of scored) {
      const i = at.get(th.dataset.key), line = make("tr");
      line.append(make("th", th.dataset.key, { scope: "row" }));
      const values = chosen.map((r) => parseFloat(r.cells[i].dataset.v)), most = Math[th.dataset.low ? "min" : "max"](...values.filter((v) => !isNaN(v)));
      chosen.forEach((r, k) => {
        const td = make("td"), [main, range] = text(r.cells[i]);
        td.append(chosen.length > 1 && values[k] === most ? make("b", main) : main, " ", make("small", range));
        line.append(td);
      });
      body.append(line);
    }
    const clear = make("button", panel.dataset.clear, { type: "button", onclick: () => { state.with = []; go(); } }), scroll = make("section", "", { className: "scroll", tabIndex: 0 });
    scroll.setAttribute("aria-label", panel.dataset.title);
    scroll.append(t);
    panel.replaceChildren(make("h2", panel.dataset.title), scroll, clear);
  };

  const text = (cell) => { const small = cell.querySelector("small"); return [cell.textContent.replace(small?.textContent ?? "", "").replace("▲ ", "").trim(), small?.textContent ?? ""]; };
  const view = () => bodies.flatMap((b) => [...b.body.rows].filter((r) => r.id && !b.body.hidden && !r.hidden)).map((row) => {
    const line = { system: row.id, name: name(row) };
    for (const head of cols) {
      if (head.hidden || head.dataset.key === "name") continue;
      const cell = row.cells[at.get(head.dataset.key)], [main, range] = text(cell), shown = cell.classList.contains("none") ? "" : main;
      line[head.dataset.key] = shown;
      if (scored.includes(head)) line[`${head.dataset.key}:95%`] = range;
    }
    return line;
  });
  const save = (end, body) => {
    const a = make("a", "", { href: URL.createObjectURL(new Blob([body])), download: `${table.dataset.name}.${end}` });
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 1000);
  };
  const quoted = (s) => { const safe = /^[=+\-@\t\r]/.test(s) && isNaN(s) ? `'${s}` : s; return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe; };

  heads.forEach((head) => {
    const button = make("button", "", { type: "button" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", (event) => {
      const key = head.dataset.key, up = key === "name" || key === "rank" || key === "cost" || key === "tokens" || head.dataset.low;
      const ways = up ? [key, `-${key}`] : [`-${key}`, key], now = state.sort.find((s) => s.replace(/^-/, "") === key) || (key === first && !state.sort.length ? ways[0] : undefined);
      const next = ways[ways.indexOf(now) + 1], rest = event.shiftKey ? state.sort.filter((s) => s.replace(/^-/, "") !== key) : [];
      state.sort = next ? [...rest, next] : rest;
      go();
    });
  });
  fams.forEach((head) => {
    if (spans.get(head) < 2) return;
    const button = make("button", "", { type: "button", className: "fold" });
    button.addEventListener("click", () => { const f = head.dataset.fold; state.fold = state.fold.includes(f) ? state.fold.filter((x) => x !== f) : [...state.fold, f]; go(); });
    head.append(button);
  });
  rows.forEach((row) => {
    row.pick = make("input", "", { type: "checkbox", className: "pick", title: panel.dataset.pick });
    row.pick.setAttribute("aria-label", `${panel.dataset.pick}: ${name(row)}`);
    row.pick.addEventListener("change", () => {
      if (row.pick.checked && state.with.length > 3) { row.pick.checked = false; $("status").textContent = panel.dataset.most; return; }
      state.with = row.pick.checked ? [...state.with, row.id] : state.with.filter((id) => id !== row.id);
      go();
    });
    row.cells[at.get("name")].prepend(row.pick);
  });
  tools.addEventListener("input", (event) => {
    const field = event.target;
    state[field.name] = field.type === "checkbox" ? (field.checked ? field.value : "") : field.value;
    go(field.name === "q" && typing);
    typing = field.name === "q";
  });
  $("reset").addEventListener("click", () => { filters.forEach((key) => { state[key] = ""; }); Object.assign(state, { sort: [], fold: folded, with: [] }); fill(); go(); });
  $("link").addEventListener("click", () => navigator.clipboard.writeText(location.href).then(() => { $("status").textContent = tools.dataset.copied; }, () => { $("status").textContent = location.href; }));
  $("json").addEventListener("click", () => save("json", JSON.stringify(view(), null, 1)));
  $("csv").addEventListener("click", () => {
    const lines = view(), keys = Object.keys(lines[0] || { system: "" });
    save("csv", [keys, ...lines.map((line) => keys.map((key) => line[key]))].map((line) => line.map(quoted).join(",")).join("\n") + "\n");
  });
  addEventListener("popstate", () => { typing = false; read(); show(); });
  tools.hidden = false;
  read();
  show();
})();
