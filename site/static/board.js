/* The board without this script is whole; with it, it sorts, filters, shows other columns, and every
   state is an address. Cells are moved and hidden, never made from text. */
"use strict";
(() => {
  const $ = (id) => document.getElementById(id), table = $("Board"), tools = $("Tools");
  if (!table || !tools) return;
  const say = tools.dataset, bare = (s) => s.replace(/^-/, ""), words = new Intl.Collator();
  const heads = [...table.tHead.rows[0].cells], at = new Map(heads.map((h) => [h.dataset.key, h.cellIndex]));
  const bodies = [...table.tBodies].map((body) => ({ body, rows: [...body.rows].filter((r) => r.id) }));
  const rows = bodies.flatMap((b) => b.rows), byId = new Map(rows.map((r) => [r.id, r]));
  rows.forEach((row, i) => { row.i = i; });
  const name = (row) => row.name ??= row.querySelector(".who a").textContent;
  const found = (row) => row.found ??= `${row.cells[at.get("name")].textContent} ${row.dataset.find || ""} ${row.id}`.toLowerCase();
  const num = (c) => { const v = parseFloat(c.dataset.v ?? c.firstChild.textContent); return isNaN(v) ? undefined : v; };
  const value = (row, key) => key === "name" ? name(row) : num(row.cells[at.get(key)]);
  const first = heads.find((h) => h.hasAttribute("aria-sort"))?.dataset.key;
  const fields = [...tools.querySelectorAll("[name]")], boxes = [...tools.querySelectorAll(".col")];
  const usual = boxes.filter((box) => box.defaultChecked).map((box) => box.value), sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [sheet];
  const FIRST = 20;  // rows that a screen shows at once
  let is, typing = false, sorted = "", ruled = "";

  const read = () => {
    const url = new URLSearchParams(location.search);
    is = { sort: url.getAll("sort").filter((s) => at.has(bare(s))), cols: url.has("col") ? url.getAll("col") : null };
    is.with = (url.get("with") || "").split(",").filter((id) => byId.has(id)).slice(0, 4);
    for (const field of fields) {
      const given = url.get(field.name) || "";
      if (field.type === "checkbox") field.checked = given === field.value;
      else field.value = given;
      if (field.tagName === "SELECT" && field.selectedIndex < 0) field.value = "";
    }
    boxes.forEach((box) => { box.checked = (is.cols || usual).includes(box.value); });
  };
  const set = () => fields.map((f) => [f.name, f.type === "checkbox" ? (f.checked ? f.value : "") : f.value.trim()]).filter(([, v]) => v);
  const address = () => {
    const url = new URLSearchParams(set());
    for (const key of is.sort) url.append("sort", key);
    if (is.cols) for (const key of is.cols.length ? is.cols : [""]) url.append("col", key);
    if (is.with.length) url.set("with", is.with.join());
    return location.pathname + (String(url) ? `?${url}` : "") + location.hash;
  };
  const go = (replace) => { history[replace ? "replaceState" : "pushState"](null, "", address()); show(); };

  const ordered = (mine) => {
    const keys = is.sort.map((sort) => [bare(sort), sort[0] === "-" ? -1 : 1]);
    return mine.map((row) => [row, keys.map(([key]) => value(row, key))]).sort(([a, x], [b, y]) => {
      for (let n = 0; n < keys.length; n++) {
        if (x[n] === undefined || y[n] === undefined) { if (x[n] !== y[n]) return x[n] === undefined ? 1 : -1; continue; }
        const gap = keys[n][0] === "name" ? words.compare(x[n], y[n]) : x[n] - y[n];
        if (gap) return keys[n][1] * gap;
      }
      return a.i - b.i;
    }).map(([row]) => row);
  };
  const fits = (row, asked) => asked.every(([key, v]) => {
    const d = row.dataset;
    if (key === "q") return v.toLowerCase().split(/\s+/).every((word) => found(row).includes(word));
    if (key === "since") return at.has("date") && row.cells[at.get("date")].textContent >= v;
    return key in d ? d[key] === v : tools.querySelector(`[name=${key}]`).type === "checkbox" && (d.has || "").split(" ").includes(key);
  });

  /* A long board lays out the rows of the first screen; the others come as soon as a reader moves, a few
     dozen at a time. They come below what is in sight, and browsers hold what is read in its place. */
  const idle = (work) => window.requestIdleCallback?.(work, { timeout: 300 }) ?? setTimeout(work, 30);
  const box = table.parentNode;
  let coming = 0, awake = Boolean(location.hash);
  const more = () => {
    const late = [...table.querySelectorAll(".late")], now = table.querySelector(".late:target") ? late : late.slice(0, 60);
    now.forEach((row) => row.classList.remove("late"));
    coming = 0;
    later();
  };
  const later = () => {
    if (table.querySelector(".late") && (awake || document.documentElement.scrollHeight <= innerHeight)) coming ||= idle(more);
  };
  const wake = () => { awake = true; later(); };
  for (const kind of ["scroll", "keydown", "pointerdown", "focusin"]) addEventListener(kind, wake, { capture: true, once: true, passive: true });
  const show = () => {
    let shown = 0;
    const asked = set(), sort = sorted !== String(is.sort);
    for (const { body, rows: mine } of bodies) {
      const now = sort ? ordered(mine) : [...body.rows].filter((row) => row.id);
      let here = 0;
      for (const row of now) {
        const fit = fits(row, asked);
        row.classList.toggle("late", fit && here > FIRST && (sort || row.hidden || row.classList.contains("late")));
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
      const n = is.sort.findIndex((s) => bare(s) === head.dataset.key);
      head.removeAttribute("aria-sort");
      if (n === 0) head.setAttribute("aria-sort", is.sort[0][0] === "-" ? "descending" : "ascending");
      if (!is.sort.length && head.dataset.key === first) head.setAttribute("aria-sort", head.dataset.low ? "ascending" : "descending");
      head.classList.toggle("also", n > 0);
    });
    const off = is.cols ? boxes.filter((box) => !is.cols.includes(box.value)).map((box) => at.get(box.value) + 1) : [];
    table.classList.toggle("chosen", is.cols !== null);
    const rules = off.map((n) => `#Board tr > :nth-child(${n})`).join() + (off.length ? "{display:none}" : "");
    if (rules !== ruled) sheet.replaceSync(ruled = rules);  // a new sheet styles the whole page anew
    if ($("Count")) $("Count").textContent = asked.filter(([key]) => key !== "q").length || "";
    $("Reset").disabled = !location.search;
    $("Nothing").hidden = shown > 0 || !rows.length;
    $("Status").textContent = say.shown.replace("{n}", shown).replace("{all}", rows.length);
    document.dispatchEvent(new CustomEvent("compare", { detail: is.with.map((id) => byId.get(id)) }));
  };

  const save = (end, body) => Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([body])), download: `${table.dataset.name}.${end}` }).click();
  /* As `csv_cell` of the package: no spreadsheet takes a cell, or a part of one, for a formula. */
  const FORMULA = /((?:^|[,;|:\t\r\n\v\f\u2028\u2029])[\s"'\u200b-\u200f\ufeff]*)(?=[=+\-@\u2212\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b].)/g;
  const quoted = (v) => { const s = String(v ?? ""), safe = /^[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?$/.test(s) ? s : s.replace(FORMULA, "$1'"); return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe; };
  /* A page from the disk may read no other file: the numbers that it shows, with one decimal. */
  const seen = () => {
    const columns = heads.filter((h) => h.classList.contains("sc") && getComputedStyle(h).display !== "none").map((h) => ({ key: h.dataset.key, name: h.querySelector(".cn").textContent }));
    const score = (cell) => {
      const share = /(^| )b\d/.test(cell.className) ? 100 : 1, read = (text) => { const v = parseFloat((text || "").replaceAll(",", "")); return isNaN(v) ? null : +(v / share).toFixed(6); };
      const [low, high] = (cell.querySelector("small")?.firstChild.data || "").split("–");
      return { value: read(cell.firstChild.textContent), low: read(low), high: read(high) };
    };
    const rows = bodies.flatMap((b) => [...b.body.rows]).filter((r) => r.id && !r.hidden && !r.parentNode.hidden);
    return { title: document.title, columns, sections: [{ rows: rows.map((r) => ({ system: r.id, name: name(r), scores: Object.fromEntries(columns.map((c) => [c.key, score(r.cells[at.get(c.key)])])) })) }] };
  };
  /* The rows and columns in sight, from the board's own data: the same digits and meaning as its files. */
  const view = async () => {
    if (location.protocol === "file:") return seen();
    const board = await (await fetch(say.data)).json(), keep = new Set(heads.filter((h) => getComputedStyle(h).display !== "none").map((h) => h.dataset.key));
    const order = bodies.flatMap((b) => [...b.body.rows]).filter((r) => r.id && !r.hidden && !r.parentNode.hidden).map((r) => r.id);
    board.columns = board.columns.filter((c) => keep.has(c.key));
    for (const part of board.sections) {
      part.rows = order.map((id) => part.rows.find((row) => row.system === id)).filter(Boolean);
      for (const row of part.rows) row.scores = Object.fromEntries(board.columns.map((c) => [c.key, row.scores[c.key]]));
    }
    board.sections = board.sections.filter((part) => part.rows.length);
    return board;
  };
  const lines = (board) => {
    const about = ["system", "name", "group", "signature", "judge", "type", "base_model", "context", "cost", "tokens", "created"], parts = ["value", "low", "high", "n"];
    const head = [...about, "rank_best", "rank_worst", ...board.columns.flatMap((c) => parts.map((p) => `${c.key}:${p}`))];
    const body = board.sections.flatMap((s) => s.rows.map((row) => [
      ...about.map((key) => ({ ...row, group: s.group, signature: s.signature })[key]), row.standing?.best, row.standing?.worst,
      ...board.columns.flatMap((c) => parts.map((p) => row.scores[c.key]?.[p]))]));
    return [head, ...body].map((line) => line.map(quoted).join()).join("\n") + "\n";
  };

  heads.forEach((head) => {
    const button = document.createElement("button"), label = head.querySelector(".cn");
    button.type = "button";
    label.replaceWith(button);
    button.append(label);
    button.addEventListener("click", (event) => {
      const key = head.dataset.key, up = ["name", "rank", "cost", "tokens"].includes(key) || head.dataset.low;
      const ways = up ? [key, `-${key}`] : [`-${key}`, key], now = is.sort.find((s) => bare(s) === key) || (key === first && !is.sort.length ? ways[0] : undefined);
      const next = ways[ways.indexOf(now) + 1], rest = event.shiftKey ? is.sort.filter((s) => bare(s) !== key) : [];
      is.sort = next ? [...rest, next] : rest;
      go();
    });
  });
  /* A box to compare by, for rows as they come into sight: a thousand of them make every sort slow. */
  const sight = new IntersectionObserver((seen) => seen.forEach(({ isIntersecting, target: row }) => {
    if (!isIntersecting || row.pick) return;
    sight.unobserve(row);
    row.pick = Object.assign(document.createElement("input"), { type: "checkbox", className: "pick", checked: is.with.includes(row.id), ariaLabel: `${tools.dataset.pick}: ${name(row)}` });
    row.pick.addEventListener("change", () => {
      if (row.pick.checked && is.with.length > 3) row.pick.checked = false, document.dispatchEvent(new Event("compare-full"));
      else { is.with = row.pick.checked ? [...is.with, row.id] : is.with.filter((id) => id !== row.id); go(); }
    });
    row.cells[at.get("name")].prepend(row.pick);
  }), { rootMargin: "300px" });
  rows.forEach((row) => sight.observe(row));
  document.addEventListener("compare-set", ({ detail }) => {
    is.with = detail;
    rows.forEach((row) => { if (row.pick) row.pick.checked = detail.includes(row.id); });
    go();
  });
  tools.addEventListener("input", ({ target }) => {
    if (target.className === "col") is.cols = boxes.filter((box) => box.checked).map((box) => box.value);
    if (String(is.cols) === String(usual)) is.cols = null;
    go(target.name === "q" && typing);
    typing = target.name === "q";
  });
  const reset = () => { history.pushState(null, "", location.pathname + location.hash); read(); show(); };
  for (const id of ["Reset", "Clear"]) $(id).addEventListener("click", reset);
  $("Link").addEventListener("click", () => navigator.clipboard.writeText(location.href).then(() => { $("Status").textContent = say.copied; }, () => { $("Status").textContent = location.href; }));
  const whole = (end) => { location.href = document.querySelector(`.files a[href$=".${end}"]`).href; };
  $("Json").addEventListener("click", () => view().then((board) => save("json", JSON.stringify(board, null, 1)), () => whole("json")));
  $("Csv").addEventListener("click", () => view().then((board) => save("csv", lines(board)), () => whole("csv")));
  addEventListener("popstate", () => { typing = false; read(); show(); });
  /* The page scrolls: where the table is too wide for its head to stick there, the head follows. */
  const follow = () => {
    const fits = table.offsetWidth <= box.clientWidth, past = Math.min(-box.getBoundingClientRect().top, box.offsetHeight - 150);
    box.classList.toggle("fits", fits);
    table.tHead.style.transform = fits || past <= 0 ? "" : `translateY(${past}px)`;
  };
  addEventListener("scroll", follow, { passive: true });
  new ResizeObserver(follow).observe(table);
  /* A menu closes when the reader turns to something else. */
  addEventListener("click", ({ target }) => tools.querySelectorAll("details[open]").forEach((menu) => { if (!menu.contains(target)) menu.open = false; }));
  addEventListener("keydown", ({ key }) => { if (key === "Escape") tools.querySelectorAll("details[open]").forEach((menu) => { menu.open = false; menu.firstElementChild.focus(); }); });
  read();
  show();
})();
