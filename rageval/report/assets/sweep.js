/* A sweep's page: its cells as a leaderboard, as lines, as points and as grids. */
"use strict";

const { objective, keys, measures, subsets, values } = rageval.head;
const rows = rageval.rows.map((row, n) => {
  const found = { ...row, n };
  keys.forEach((key, place) => { const value = row.chosen[place]; found[`key${place}`] = value !== "" && !isNaN(value) ? Number(value) : value; });
  for (const name of measures) found[`m_${name}`] = row.whole[name] ?? null;
  return found;
});
const right = { hozAlign: "right", headerHozAlign: "right", sorter: "number", sorterParams: { alignEmptyValues: "bottom" } };
const three = (cell) => number(cell.getValue(), 3);
const main = [objective, ...measures.filter((name) => name !== objective)];
const columns = [
  { title: "place", field: "place", ...right, width: 84 },
  ...keys.map((key, place) => ({ title: key, field: `key${place}`, formatter: "plaintext", minWidth: 90, sorter: rows.every((row) => typeof row[`key${place}`] === "number") ? "number" : "string" })),
  { title: objective, field: `m_${objective}`, ...right, formatter: three, minWidth: 110 },
  { title: "95 %", field: "low", ...right, minWidth: 120, formatter: (cell) => { const row = cell.getData(); return `[${number(row.low)}, ${number(row.high)}]`; } },
  { title: "like the best", field: "alike", hozAlign: "center", width: 120, formatter: (cell) => (cell.getValue() ? "=" : "") },
  ...main.slice(1).map((name) => ({ title: name, field: `m_${name}`, ...right, formatter: three, minWidth: 96 })),
  { title: "p95 ms", field: "p95", ...right, minWidth: 90, formatter: (cell) => { const row = cell.getData(); return row.p95 === null ? "–" : row.p95.toFixed(2) + (row.recorded ? "*" : ""); } },
  { title: "window characters", field: "window", ...right, minWidth: 150, formatter: (cell) => number(cell.getValue(), 0) },
  ...(rows.some((row) => row.verdict) ? [{ title: "gate", field: "verdict", formatter: "plaintext" }] : []),
  { title: "retrieval", field: "name", formatter: "plaintext", minWidth: 200 },
];

options($("f-subset"), subsets, "none");
$("f-measure").replaceChildren(...main.map((name) => make("option", { value: name }, name)));

const keep = (row, { alike }) => !alike || row.alike;
const text = (row) => [row.name, row.overrides, row.verdict].join("\n");

function detail(row) {
  const table = Object.entries(row.table).map(([subset, found]) => make("tr", {}, make("th", { scope: "row" }, subset), ...main.map((name) => make("td", { class: "num" }, found[name] && found[name][1] !== null ? `${number(found[name][1])} (n ${found[name][0]})` : "–"))));
  return [
    make("h2", {}, row.name),
    make("p", {}, make("code", {}, row.overrides)),
    facts([["place", row.place], [objective, `${number(row.whole[objective], 3)} [${number(row.low)}, ${number(row.high)}]`], ["run", make("code", {}, row.id)], ["gate", row.verdict]]),
    ...(table.length ? [make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Its measures by subset" }, make("table", { class: "plain" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "subset"), ...main.map((name) => make("th", { scope: "col", class: "num" }, name)))), make("tbody", {}, ...table)))] : []),
  ];
}

/* Parallel coordinates: an axis for each key and for the objective, a line for each cell. */
function parallel(chosen, active) {
  const where = $("parallel"), axes = [...keys, objective];
  const width = Math.max(240, Math.min(1100, where.clientWidth)), height = 300, [top, bottom, side] = [34, 20, 70];
  const scale = window.devicePixelRatio || 1;
  const canvas = make("canvas", { class: "lines", width: width * scale, height: height * scale, style: `width:${width}px;height:${height}px` });
  where.replaceChildren(canvas);
  const c = canvas.getContext("2d");
  c.scale(scale, scale);
  c.font = "12px system-ui, sans-serif";
  const x = (n) => side + (n * (width - 2 * side)) / Math.max(1, axes.length - 1);
  const found = rows.map((row) => row.whole[objective]);
  const [least, most] = [Math.min(...found), Math.max(...found)];
  const share = (value) => (most > least ? (value - least) / (most - least) : 1);
  const lists = keys.map((key) => values[key].slice().sort((a, b) => (isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b)));
  const y = (row, n) => {
    const part = n === keys.length ? share(row.whole[objective]) : lists[n].indexOf(row.chosen[n]) / Math.max(1, lists[n].length - 1);
    return height - bottom - part * (height - top - bottom);
  };
  c.strokeStyle = ink("--soft"); c.fillStyle = ink("--ink"); c.textAlign = "center";
  axes.forEach((axis, n) => {
    c.beginPath(); c.moveTo(x(n), top); c.lineTo(x(n), height - bottom); c.stroke();
    c.fillText(axis, x(n), 14);
  });
  const order = rows.slice().sort((a, b) => share(a.whole[objective]) - share(b.whole[objective]));
  for (const row of order) {
    const on = active.has(row.n);
    c.strokeStyle = row === chosen ? ink("--weak") : ink("--bar");
    c.globalAlpha = row === chosen ? 1 : on ? 0.15 + 0.75 * share(row.whole[objective]) : 0.05;
    c.lineWidth = row === chosen ? 3 : 1.5;
    c.beginPath();
    axes.forEach((axis, n) => (n ? c.lineTo(x(n), y(row, n)) : c.moveTo(x(n), y(row, n))));
    c.stroke();
  }
  c.globalAlpha = 1; c.fillStyle = ink("--ink"); c.strokeStyle = ink("--bg"); c.lineWidth = 3;
  const write = (words, n, at) => { c.textAlign = n === axes.length - 1 ? "right" : "left"; const left = x(n) + (n === axes.length - 1 ? -6 : 6); c.strokeText(words, left, at + 4); c.fillText(words, left, at + 4); };
  lists.forEach((list, n) => list.forEach((value, at) => write(value, n, height - bottom - (at / Math.max(1, list.length - 1)) * (height - top - bottom))));
  write(number(least, 3), keys.length, height - bottom); if (most > least) write(number(most, 3), keys.length, top);
}

/* The cells that no other beats in both cost and objective. */
function front(cost) {
  const known = rows.filter((row) => row[cost] !== null).sort((a, b) => a[cost] - b[cost] || b.whole[objective] - a.whole[objective]);
  let best = -Infinity;
  return known.filter((row) => (row.whole[objective] > best ? ((best = row.whole[objective]), true) : false));
}

function pareto(where, cost, label, board) {
  const known = rows.filter((row) => row[cost] !== null);
  if (known.length < 2) { where.append(make("p", { class: "soft" }, `No ${label} was measured.`)); return; }
  const beaten = new Set(front(cost).map((row) => known.indexOf(row)));
  scatter(where, { xs: known.map((row) => row[cost]), ys: known.map((row) => row.whole[objective]), labels: known.map((row) => `${row.name}: ${number(row.whole[objective], 3)}, ${number(row[cost], 2)}`), xlabel: label, ylabel: objective, marked: beaten, click: (n) => board.choose(known[n], true) });
}

const mean = (list) => (list.length ? list.reduce((sum, one) => sum + one, 0) / list.length : null);

/* A grid of two keys; light and dark cells both keep their figures legible. */
function grid(a, b) {
  const [down, across] = [values[keys[a]], values[keys[b]]];
  const at = (v, w) => mean(rows.filter((row) => (v === null || row.chosen[a] === v) && (w === null || row.chosen[b] === w)).map((row) => row.whole[objective]));
  const whole = at(null, null);
  let strength = 0;
  const figures = down.map((v) => across.map((w) => { const value = at(v, w); if (value !== null) strength = Math.max(strength, Math.abs(value - (at(v, null) + at(null, w) - whole))); return value; }));
  const flat = figures.flat().filter((one) => one !== null), [least, most] = [Math.min(...flat), Math.max(...flat)];
  const shade = (value) => { const share = most > least ? (value - least) / (most - least) : 0.5; return `background: rgb(${Math.round(247 - 110 * share)}, ${Math.round(251 - 62 * share)}, ${Math.round(255 - 24 * share)})`; };
  const table = make("table", { class: "plain heat" },
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, `${keys[a]} ↓  ${keys[b]} →`), ...across.map((w) => make("th", { scope: "col" }, w)))),
    make("tbody", {}, ...down.map((v, n) => make("tr", {}, make("th", { scope: "row" }, v), ...figures[n].map((value) => (value === null ? make("td", {}, "–") : make("td", { class: "on", style: shade(value) }, number(value, 3))))))));
  return { strength, element: make("section", {}, make("h3", {}, `${keys[a]} × ${keys[b]}`), make("p", { class: "soft" }, `interplay ${number(strength, 3)}`), make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${keys[a]} × ${keys[b]}` }, table)) };
}

class Leaders extends Board {
  begin() {
    super.begin();
    pareto($("pareto-p95"), "p95", "p95 latency, ms", this);
    pareto($("pareto-window"), "window", "characters in the window", this);
    const pairs = keys.flatMap((key, a) => keys.slice(a + 1).map((other, b) => grid(a, a + 1 + b)));
    $("heat").append(...(pairs.length ? pairs.sort((a, b) => b.strength - a.strength).map((pair) => pair.element) : [make("p", { class: "soft" }, "Fewer than two keys were swept.")]));
  }

  filter() {
    const [subset, name] = [this.get("subset"), this.get("measure")];
    const added = subset ? `${subset}: ${name}` : "";
    if (added !== (this.added || "")) {
      if (this.added) this.table.deleteColumn("added");
      this.added = added;
      if (added) {
        for (const row of rows) { const found = (row.table[subset] || {})[name]; row.added = found ? found[1] : null; row.added_n = found ? found[0] : 0; }
        this.table.addColumn({ title: added, field: "added", ...right, minWidth: 150, formatter: (cell) => (cell.getValue() === null ? "–" : `${number(cell.getValue(), 3)} (n ${cell.getData().added_n})`) }, false, `m_${objective}`).then(() => this.table.setSort("added", "desc"));
      }
    }
    super.filter();
    this.lines();
  }

  lines() { parallel(this.chosen, new Set(this.table.getRows("active").map((row) => row.getData().n))); }
  choose(row, scroll) { super.choose(row, scroll); this.lines(); }
  close() { super.close(); this.lines(); }
}

rageval.board = new Leaders({ rows, columns, fields: ["subset", "measure", "alike"], keep, text, detail, height: rows.length > 25 ? "70vh" : false });
