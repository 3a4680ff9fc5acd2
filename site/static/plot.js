/* Every plot can be saved as SVG or PNG: with its colours written into it, since elsewhere no style
   sheet gives them. */
"use strict";
(() => {
  const LOOK = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "paint-order", "opacity", "vector-effect", "font-family", "font-size"];
  const copy = (svg) => {
    const made = svg.cloneNode(true), box = svg.getBoundingClientRect(), background = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    made.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    made.setAttribute("width", box.width);
    made.setAttribute("height", box.height);
    const from = svg.querySelectorAll("*"), to = made.querySelectorAll("*");
    from.forEach((shape, i) => {
      const look = getComputedStyle(shape);
      if (shape.matches(".wide, .slim") && look.display === "none") to[i].remove();
      for (const name of LOOK) to[i].setAttribute(name, look.getPropertyValue(name));
    });
    for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", getComputedStyle(document.documentElement).backgroundColor]]) background.setAttribute(name, value);
    made.querySelector("title").after(background);
    return new XMLSerializer().serializeToString(made);
  };
  const save = (href, name) => Object.assign(document.createElement("a"), { href, download: name }).click();
  const png = (text, box) => new Promise((done, fail) => {
    const image = new Image(), canvas = Object.assign(document.createElement("canvas"), { width: box.width * 2, height: box.height * 2 });
    image.onload = () => { canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height); canvas.toBlob(done, "image/png"); };
    image.onerror = fail;
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
  for (const figure of document.querySelectorAll("figure.plot")) {
    const name = figure.querySelector("figcaption").firstChild.textContent.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60);
    const seen = () => [...figure.querySelectorAll(".plot-svg")].find((svg) => svg.getClientRects().length) || figure.querySelector(".plot-svg");
    figure.addEventListener("click", async ({ target }) => {
      const kind = target.dataset?.save;
      if (!kind) return;
      const svg = seen(), text = copy(svg);
      save(URL.createObjectURL(kind === "svg" ? new Blob([text], { type: "image/svg+xml" }) : await png(text, svg.getBoundingClientRect())), `${name}.${kind}`);
    });
  }
})();
