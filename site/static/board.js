/* The board without this script is whole; with it, it sorts, filters, folds, compares, and every
   state is an address. Nothing is fetched and nothing is made from text: cells are moved and hidden. */
"use strict";
(() => {
  const $ = (id) => document.getElementById(id), table = $("board"), tools = $("tools"), panel = $("compare");
  if (!table || !tools) return;
  const make = (tag, text, props) => Object.assign(document.createElement(tag), { textContent: text ?? "" }, props);
    const bare = (s) => s.replace(/^-/, ""), inHead = (css) => [...table.tHead.querySelectorAll(css)], say = panel.dataset, heads = inHead("th[data-key]");
  const of = (name) => heads.filter((h) => h.dataset.key === name);
  const last = ["cost", "tokens", "date"], scored = [...table.tHead.rows[2].cells];
  const cols = [...of("rank"), ...of("name"), ...scored, ...last.flatMap(of)];
  const at = new Map(cols.map((h, i) => [h.dataset.key, i]));
  const bodies = [...table.tBodies].map((body) => ({ body, rows: [...body.rows].filter((r) => r.id) }));
  const rows = bodies.flatMap((b) => b.rows), byId = new Map(rows.map((r) => [r.id, r]));
  rows.forEach((row, i) => Object.assign(row, { i, find: row.cells[at.get("name")].textContent.toLowerCase() + row.id }));
  const name = (row) => row.name ??= row.querySelector(".who a").textContent, words = new Intl.Collator();
  const num = (c) => { const v = parseFloat(c.dataset.v ?? c.firstChild.textContent); return isNaN(v) ? undefined : v; };
  const value = (row, key) => key === "name" ? name(row) : num(row.cells[at.get(key)]);
  const fams = inHead("[data-fold]");
  const first = scored.find((h) => h.hasAttribute("aria-sort"))?.dataset.key;
  const folded = scored.length > 9 ? fams.filter((f) => f.colSpan > 1).map((f) => f.dataset.fold) : [];
  const filters = ["q", "type", "base", "judge", "cost"], sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [sheet];
  let is, typing = false, sorted = "";

  const read = () => {
    const url = new URLSearchParams(location.search), list = (key) => (url.get(key) || "").split(",").filter(Boolean);
    is = Object.fromEntries(filters.map((key) => [key, url.get(key) || ""]));
    is.sort = url.getAll("sort").filter((s) => at.has(bare(s)));
    is.fold = url.has("fold") ? list("fold") : folded;
    is.with = list("with").filter((id) => byId.has(id)).slice(0, 4);
    fill();
  };
  const fill = () => {
    for (const key of filters) {
      const field = tools.elements[key];
      if (!field) continue;
      if (field.type === "checkbox") field.checked = is[key] === field.value;
      else field.value = is[key];
      if (field.tagName === "SELECT" && field.selectedIndex < 0) field.value = is[key] = "";
    }
  };
  const address = () => {
    const url = new URLSearchParams();
    for (const key of filters) if (is[key]) url.set(key, is[key]);
    for (const key of is.sort) url.append("sort", key);
    if (String(is.fold) !== String(folded)) url.set("fold", is.fold.join());
    if (is.with.length) url.set("with", is.with.join());
    return location.pathname + (String(url) ? `?${url}` : "") + location.hash;
  };
  const go = (replace) => { history[replace ? "replaceState" : "pushState"](null, "", address()); show(); };

  const ordered = (mine) => {
    const keys = is.sort.map((sort) => [bare(sort), sort[0] === "-" ? -1 : 1]);
    const all = mine.map((row) => [row, keys.map(([key]) => value(row, key))]);
    return all.sort(([a, x], [b, y]) => {
      for (let n = 0; n < keys.length; n++) {
        if (x[n] === undefined || y[n] === undefined) { if (x[n] !== y[n]) return x[n] === undefined ? 1 : -1; continue; }
        const gap = keys[n][0] === "name" ? words.compare(x[n], y[n]) : x[n] - y[n];
        if (gap) return keys[n][1] * gap;
      }
      return a.i - b.i;
    }).map(([row]) => row);
  };
  const fits = (row) =>
    (!is.q || is.q.toLowerCase().split(/\s+/).every((word) => row.find.includes(word))) &&
    (!is.type || row.dataset.type === is.type) && (!is.base || row.dataset.base === is.base) &&
    (!is.judge || row.dataset.judge === is.judge) && (!is.cost || value(row, "cost") !== undefined);

  /* After a sort, rows below the fold follow in later frames. */
  const later = () => requestAnimationFrame(() => setTimeout(() => {
    const late = [...table.querySelectorAll(".late")];
    late.slice(0, 200).forEach((row) => row.classList.remove("late"));
    if (late.length > 200) later();
  }));
  const show = () => {
    let shown = 0;
    for (const { body, rows: mine } of bodies) {
      const sort = sorted !== String(is.sort), now = sort ? ordered(mine) : [...body.rows].filter((row) => row.id);
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
      body.classList.toggle("mixed", is.sort.length > 0);
    }
    sorted = String(is.sort);
    later();
    heads.forEach((head) => {
      const n = is.sort.findIndex((s) => bare(s) === head.dataset.key), natural = !is.sort.length && head.dataset.key === first;
      head.removeAttribute("aria-sort");
      if (n === 0) head.setAttribute("aria-sort", is.sort[0][0] === "-" ? "descending" : "ascending");
      if (natural) head.setAttribute("aria-sort", head.dataset.low ? "ascending" : "descending");
      head.classList.toggle("also", n > 0);
    });
    fold();
    compare();
    $("status").textContent = tools.dataset.shown.replace("{n}", shown).replace("{all}", rows.length);
  };

  const spans = new Map(inHead("[data-fold],.met[data-of]").map((h) => [h, h.colSpan]));
  const fold = () => {
    const rules = [];
    for (const head of fams) {
      const family = head.dataset.fold, shut = is.fold.includes(family) && spans.get(head) > 1, button = head.querySelector(".fold");
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
    rows.forEach((row) => { const on = is.with.includes(row.id); if (row.pick && row.pick.checked !== on) row.pick.checked = on; });
    panel.hidden = !is.with.length;
    if (panel.hidden) return panel.replaceChildren();
    const chosen = is.with.map((id) => byId.get(id)), t = make("table", "", { className: "plain" }), head = make("tr");
    head.append(make("th", say.score, { scope: "col" }), ...chosen.map((r) => make("th", name(r), { scope: "col" })));
    t.createTHead().append(head);
    const body = t.createTBody();
    for (const th of scored) {
      const i = at.get(th.dataset.key), line = make("tr");
      line.append(make("th", th.dataset.key, { scope: "row" }));
      const values = chosen.map((r) => num(r.cells[i])), most = Math[th.dataset.low ? "min" : "max"](...values.filter((v) => !isNaN(v)));
      chosen.forEach((r, k) => {
        const td = make("td"), [main, range] = text(r.cells[i]);
        td.append(chosen.length > 1 && values[k] === most ? make("b", main) : main, " ", make("small", range));
        line.append(td);
      });
      body.append(line);
    }
    const clear = make("button", say.clear, { type: "button", onclick: () => { is.with = []; go(); } }), scroll = make("section", "", { className: "scroll", tabIndex: 0 });
    scroll.setAttribute("aria-label", say.title);
    scroll.append(t);
    panel.replaceChildren(make("h2", say.title), scroll, clear);
  };

  const text = (cell) => { const small = cell.querySelector("small"); return [cell.textContent.replace(small?.textContent ?? "", "").trim(), small?.textContent ?? ""]; };
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
  };
  const quoted = (s) => { const safe = /^[=+\-@\t\r]/.test(s) && isNaN(s) ? `'${s}` : s; return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe; };

  heads.forEach((head) => {
    const button = make("button", "", { type: "button" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", (event) => {
      const key = head.dataset.key, up = key === "name" || key === "rank" || key === "cost" || key === "tokens" || head.dataset.low;
      const ways = up ? [key, `-${key}`] : [`-${key}`, key], now = is.sort.find((s) => bare(s) === key) || (key === first && !is.sort.length ? ways[0] : undefined);
      const next = ways[ways.indexOf(now) + 1], rest = event.shiftKey ? is.sort.filter((s) => bare(s) !== key) : [];
      is.sort = next ? [...rest, next] : rest;
      go();
    });
  });
  fams.forEach((head) => {
    if (spans.get(head) < 2) return;
    const button = make("button", "", { type: "button", className: "fold" });
    button.addEventListener("click", () => { const f = head.dataset.fold; is.fold = is.fold.includes(f) ? is.fold.filter((x) => x !== f) : [...is.fold, f]; go(); });
    head.append(button);
  });
  /* A box to compare by, for rows as they come into sight: a thousand of them make every sort slow. */
  const sight = new IntersectionObserver((seen) => seen.forEach(({ isIntersecting, target: row }) => {
    if (!isIntersecting || row.pick) return;
    sight.unobserve(row);
    row.pick = make("input", "", { type: "checkbox", className: "pick" });
    row.pick.setAttribute("aria-label", `${say.pick}: ${name(row)}`);
    row.pick.addEventListener("change", () => {
      if (row.pick.checked && is.with.length > 3) { row.pick.checked = false; $("status").textContent = say.most; return; }
      is.with = row.pick.checked ? [...is.with, row.id] : is.with.filter((id) => id !== row.id);
      go();
    });
    row.pick.checked = is.with.includes(row.id);
    row.cells[at.get("name")].prepend(row.pick);
  }), { rootMargin: "300px" });
  rows.forEach((row) => sight.observe(row));
  tools.addEventListener("input", (event) => {
    const field = event.target;
    is[field.name] = field.type === "checkbox" ? (field.checked ? field.value : "") : field.value;
    go(field.name === "q" && typing);
    typing = field.name === "q";
  });
  $("reset").addEventListener("click", () => { filters.forEach((key) => { is[key] = ""; }); Object.assign(is, { sort: [], fold: folded, with: [] }); fill(); go(); });
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
