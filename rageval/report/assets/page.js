/* What the pages of a run, a comparison and a sweep share: data, filters, their state in the address, keys. */
"use strict";

const rageval = window.rageval;
for (const part of document.querySelectorAll("script.part")) rageval.add(JSON.parse(part.textContent));
rageval.head = JSON.parse(document.getElementById("head").textContent);

/* Make an element; texts are texts, never markup. */
function make(name, attributes = {}, ...inside) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== false) element.setAttribute(key, value);
  element.append(...inside.filter((part) => part !== null && part !== ""));
  return element;
}

const $ = (id) => document.getElementById(id);
const number = (value, digits = 2) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const mark = (value) => (value === null || value === undefined ? "–" : value ? "✓" : "✗");

function options(select, values, first) {
  select.replaceChildren(make("option", { value: "" }, first), ...values.map((value) => make("option", { value }, value)));
}

/* The state of filters, sorting and the chosen row is the part of the address behind the #. */
const state = {
  read() { return new URLSearchParams(location.hash.slice(1)); },
  write(changes) {
    const found = this.read();
    for (const [key, value] of Object.entries(changes)) if (value === "" || value === false || value === null) found.delete(key); else found.set(key, value === true ? "1" : value);
    const text = found.toString();
    try { history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search); } catch { /* a frame without an address */ }
  },
};

/* A table with filters, keys and a panel for the chosen row. `fields` are the ids of filters below "f-". */
class Board {
  constructor({ rows, columns, fields, keep, text, detail, sort, key = "id", height = "70vh" }) {
    Object.assign(this, { rows, fields, keep, text, detail, key });
    this.split = $("table").parentElement;
    this.defaults = Object.fromEntries(this.all.map((field) => [field, this.get(field)]));
    for (const column of columns) column.width = Math.max(column.width || column.minWidth || 0, 8 * column.title.length + 42); // a heading is never cut
    const asked = state.read().get("sort");
    const [field, dir] = asked ? asked.split(":") : [];
    this.table = new Tabulator("#table", {
      data: rows, columns, index: "n", height, layout: "fitColumns", rowHeight: 31, renderVerticalBuffer: 60, selectableRows: 1, selectableRowsRollingSelection: true,
      initialSort: asked ? [{ column: field, dir }] : sort || [], placeholder: "Nothing fits the filter.",
      printAsHtml: true, printRowRange: "active", columnDefaults: { headerSortTristate: true, tooltip: false, resizable: true, vertAlign: "top" },
    });
    this.table.on("tableBuilt", () => this.begin());
    this.table.on("rowClick", (event, row) => this.choose(row.getData(), false));
    this.table.on("dataSorted", (sorters) => { if (this.ready) state.write({ sort: sorters.map((s) => `${s.field}:${s.dir}`)[0] || "" }); });
    this.table.on("dataFiltered", (filters, found) => { $("f-said").textContent = `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`; this.roles(found.length); });
    addEventListener("hashchange", () => { this.restore(); if (!this.chosen) $("filters").scrollIntoView({ block: "start" }); });
    document.addEventListener("keydown", (event) => this.pressed(event));
    $("filters").addEventListener("submit", (event) => event.preventDefault());
    $("filters").addEventListener("input", () => this.changed());
    $("f-clear").addEventListener("click", () => { for (const field of this.all) this.set(field, this.defaults[field]); this.changed(); });
  }

  get all() { return ["text", "regex", ...this.fields]; }
  get(field) { const input = $(`f-${field}`); return input.type === "checkbox" ? input.checked : input.value; }
  set(field, value) { const input = $(`f-${field}`); if (input.type === "checkbox") input.checked = Boolean(value); else input.value = value; }

  begin() {
    this.restore();
    this.ready = true;
    this.prepare(0);
    document.body.dataset.ready = String(Math.round(performance.now()));
  }

  /* What scrolls is the group of rows, while there are any, so that the grid holds what a grid may hold. */
  roles(found) {
    const holder = document.querySelector("#table .tabulator-tableholder");
    const [role, stop] = found ? ["rowgroup", "0"] : ["presentation", null];
    holder.setAttribute("role", role);
    if (stop) holder.setAttribute("tabindex", stop); else holder.removeAttribute("tabindex");
    for (const inside of holder.querySelectorAll(".tabulator-table")) inside.setAttribute("role", "presentation");
  }

  /* Put together what the text filter searches, a few rows at a time while nothing else happens. */
  prepare(from) {
    const until = Math.min(this.rows.length, from + 500);
    for (let n = from; n < until; n++) this.searched(this.rows[n]);
    if (until < this.rows.length) setTimeout(() => this.prepare(until), 5);
  }

  restore() {
    const found = state.read();
    for (const field of this.all) this.set(field, found.get(field) ?? this.defaults[field]);
    this.filter();
    const id = found.get("q");
    const row = id && this.rows.find((one) => String(one[this.key]) === id);
    if (row) this.choose(row, true); else this.close();
  }

  changed() {
    state.write(Object.fromEntries(this.all.map((field) => [field, this.get(field) === this.defaults[field] ? "" : this.get(field)])));
    this.filter();
  }

  filter() {
    const begun = performance.now();
    const values = Object.fromEntries(this.fields.map((field) => [field, this.get(field)]));
    const wanted = this.matcher(this.get("text"), this.get("regex"));
    this.table.setFilter((row) => this.keep(row, values) && (wanted === null || wanted(this.searched(row))));
    document.body.dataset.filtered = String(performance.now() - begun);
  }

  searched(row) { return (row.searched ??= this.text(row).toLowerCase()); }

  matcher(text, regex) {
    $("f-text").setCustomValidity("");
    $("f-text").removeAttribute("aria-invalid");
    if (!text) return null;
    if (!regex) { const words = text.toLowerCase().split(/\s+/).filter(Boolean); return (where) => words.every((word) => where.includes(word)); }
    try { const pattern = new RegExp(text, "iu"); return (where) => pattern.test(where); }
    catch (fault) { $("f-text").setCustomValidity(fault.message); $("f-text").setAttribute("aria-invalid", "true"); return () => true; }
  }

  choose(row, scroll) {
    this.chosen = row;
    this.table.deselectRow();
    this.table.selectRow(row.n);
    const opened = this.split.classList.contains("open");
    this.split.classList.add("open");
    $("detail").replaceChildren(...this.detail(row));
    $("detail").scrollTop = 0;
    state.write({ q: row[this.key] });
    if (!opened) this.table.redraw();
    if (scroll) this.table.scrollToRow(row.n, "nearest", false).catch(() => {});
  }

  close() {
    if (!this.chosen) return;
    this.chosen = null;
    this.split.classList.remove("open");
    this.table.deselectRow();
    state.write({ q: "" });
    this.table.redraw();
  }

  step(by) {
    const rows = this.table.getRows("active").map((row) => row.getData());
    const at = rows.indexOf(this.chosen);
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next) this.choose(next, true);
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "Escape") { if (typing) event.target.blur(); else this.close(); return; }
    if (typing) return;
    const moves = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };
    const inside = event.target.closest("#detail, .scroll, a, button, summary");
    if (event.key === "/") { $("f-text").focus(); event.preventDefault(); }
    else if (event.key in moves && !(inside && event.key.startsWith("Arrow"))) { this.step(moves[event.key]); event.preventDefault(); }
    else if (event.key === "Enter" && this.chosen && !inside) { $("detail").focus(); event.preventDefault(); }
  }
}

/* A list of terms with what they are. */
function facts(pairs) {
  const list = make("dl", { class: "facts" });
  for (const [term, value] of pairs) if (value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && !value.length)) list.append(make("dt", {}, term), make("dd", {}, ...(Array.isArray(value) ? value.flatMap((one, n) => (n ? [", ", one] : [one])) : [value])));
  return list;
}

const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* Points as a plot: one series of points [x, y], which open what they stand for when they are clicked. */
function scatter(where, { xs, ys, labels, xlabel, ylabel, diagonal, marked, click, width = 460, height = 360 }) {
  const order = xs.map((x, n) => n).sort((a, b) => xs[a] - xs[b]);
  const x = order.map((n) => xs[n]), y = order.map((n) => ys[n]);
  const axis = (label) => ({ label, stroke: ink("--ink"), grid: { stroke: ink("--line"), width: 1 }, ticks: { stroke: ink("--line") } });
  const front = marked ? order.map((n) => (marked.has(n) ? ys[n] : null)) : null;
  const hint = make("p", { class: "soft", role: "status" }, " ");
  const plot = new uPlot({
    width: Math.min(width, where.clientWidth || width), height, cursor: { focus: { prox: 24 }, drag: { x: false, y: false }, points: { size: 9 } }, legend: { show: false },
    scales: { x: { time: false, range: diagonal ? [-0.05, 1.05] : undefined }, y: { range: diagonal ? [-0.05, 1.05] : undefined } },
    axes: [axis(xlabel), axis(ylabel)],
    series: [{}, { paths: () => null, points: { show: true, size: 7, fill: ink("--bar"), stroke: ink("--bar") } }, ...(front ? [{ stroke: ink("--weak"), width: 2, spanGaps: true, points: { show: true, size: 9, fill: ink("--weak"), stroke: ink("--weak") } }] : [])],
    hooks: {
      draw: [(u) => { if (!diagonal) return; const c = u.ctx; c.save(); c.strokeStyle = ink("--soft"); c.setLineDash([4, 4]); c.beginPath(); c.moveTo(u.valToPos(0, "x", true), u.valToPos(0, "y", true)); c.lineTo(u.valToPos(1, "x", true), u.valToPos(1, "y", true)); c.stroke(); c.restore(); }],
      setCursor: [(u) => { const n = near(u); hint.textContent = n === null ? " " : labels[order[n]]; }],
    },
  }, front ? [x, y, front] : [x, y], where);
  const near = (u) => {
    let best = null, least = 20 * 20;
    for (let n = 0; n < x.length; n++) { const d = (u.valToPos(x[n], "x") - u.cursor.left) ** 2 + (u.valToPos(y[n], "y") - u.cursor.top) ** 2; if (d < least) { least = d; best = n; } }
    return best;
  };
  plot.over.addEventListener("click", () => { const n = near(plot); if (n !== null && click) click(order[n]); });
  where.append(hint);
  return plot;
}
