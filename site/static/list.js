/* The list of topics sorts by a click on a head, the lowest first, and shows one kind of topic alone. */
"use strict";
(() => {
  const table = document.getElementById("list"), only = document.getElementById("only");
  if (!table) return;
  const body = table.tBodies[0], rows = [...body.rows], number = (cell) => { const v = parseFloat(cell.textContent); return isNaN(v) ? Infinity : v; };
  [...table.tHead.rows[0].cells].forEach((head, i, all) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      all.forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const of = i === 0 ? (row) => rows.indexOf(row) : (row) => number(row.cells[i]);
      /* What was not counted comes last in both directions. */
      body.append(...[...rows].sort((a, b) => { const x = of(a), y = of(b); return x === y ? 0 : x === Infinity ? 1 : y === Infinity ? -1 : down ? y - x : x - y; }));
    });
  });
  only?.addEventListener("change", () => rows.forEach((row) => { row.hidden = Boolean(only.value) && !row.dataset.has.split(" ").includes(only.value); }));
})();
