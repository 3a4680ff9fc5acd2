/* Nuggets accepted, edited, merged and weighted; saved as a file. */
"use strict";
(() => {
  const { topics, nuggets, texts } = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("topics"), status = document.getElementById("status");
  const make = (tag, text, props) => Object.assign(document.createElement(tag), { textContent: text ?? "" }, props);
  const seen = (text) => String(text).replace(/[\p{Cc}\p{Cf}]/gu, (c) => `⟨U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
  const of = (topic) => nuggets.filter((one) => one.topic === topic);
  let changed = false;
  const note = () => { changed = true; status.className = ""; status.textContent = texts.unsaved; };
  const say = (text, bad) => { status.className = bad ? "bad" : ""; status.textContent = text; };
  const button = (label, act, props) => make("button", label, { type: "button", onclick: act, ...props });
  const field = (tag, label, value, set) => {
    const made = make(tag, "", { value, oninput: () => { set(made.value); note(); } });
    made.setAttribute("aria-label", label);
    return made;
  };
  const select = (label, choices, value, set) => {
    const made = make("select", "", { onchange: () => { set(made.value); note(); } });
    choices.forEach(([id, text]) => made.append(make("option", text, { value: id, selected: id === value })));
    made.setAttribute("aria-label", label);
    return made;
  };
  const merge = (one, into) => {
    into.references = [...new Set([...into.references, ...one.references])];
    if (one.importance === "vital") into.importance = "vital";
    one.state = "rejected";
  };
  const card = (one, again) => {
    const made = make("section", "", { className: `nugget ${one.state}` });
    const text = field("textarea", texts.text, one.text, (value) => { one.text = value; });
    text.rows = 2;
    const own = field("input", texts.question, one.question, (value) => { one.question = value; });
    own.placeholder = texts.question;
    const row = make("div", "", { className: "row" });
    [["accepted", texts.accept], ["rejected", texts.reject]].forEach(([state, label]) => {
      const press = button(label, () => { one.state = one.state === state ? "drafted" : state; note(); again(); });
      press.setAttribute("aria-pressed", String(one.state === state));
      row.append(press);
    });
    row.append(select(texts.weight, [["vital", texts.vital], ["okay", texts.okay]], one.importance, (value) => { one.importance = value; }));
    const others = of(one.topic).filter((other) => other !== one && other.state !== "rejected");
    if (others.length && one.state !== "rejected") {
      const into = select(texts.merge, [["", texts.merge], ...others.map((other, i) => [String(i), other.text.slice(0, 80)])], "", () => {});
      into.onchange = () => { if (into.value !== "") { merge(one, others[Number(into.value)]); note(); again(); } };
      row.append(into);
    }
    made.append(text, own, row);
    if (one.sentence) made.append(make("p", `“${seen(one.sentence)}” ${one.references.map((id) => `[${seen(id)}]`).join("")}`, { className: "source" }));
    else if (one.references.length) made.append(make("p", one.references.map((id) => `[${seen(id)}]`).join(""), { className: "source" }));
    return made;
  };
  topics.forEach((topic) => {
    const part = make("article"), list = make("div");
    const again = () => list.replaceChildren(...of(topic.id).map((one) => card(one, again)));
    const add = button(texts.add, () => {
      nuggets.push({ topic: topic.id, text: "", question: "", importance: "okay", references: [], passage: "", sentence: "", state: "accepted" });
      note(); again();
      list.lastElementChild.querySelector("textarea").focus();
    });
    part.append(make("h2", `${seen(topic.id)}: ${seen(topic.text)}`), list, add);
    box.append(part);
    again();
  });
  const save = () => {
    const link = make("a", "", { href: URL.createObjectURL(new Blob([JSON.stringify(nuggets, null, 1)], { type: "application/json" })), download: "edited-nuggets.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    changed = false;
    say(texts.file);
  };
  document.getElementById("save").onclick = save;
  addEventListener("keydown", (event) => { if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); save(); } });
  addEventListener("beforeunload", (event) => { if (changed) event.preventDefault(); });
})();
