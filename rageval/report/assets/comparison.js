/* Runs side by side: each question in the baseline and in the others. */
"use strict";

const { runs, measures, subsets } = rageval.head;
const rows = rageval.rows.map((row, n) => ({ ...row, n }));
const others = runs.map((run, n) => ({ ...run, n })).slice(1);
const rank = (value) => (value === null || value === undefined ? "absent" : `#${value}`);
const label = (n) => (n === 0 ? "baseline" : others.length === 1 ? "run" : `run ${n}`);

/* Values of the chosen measure and run are kept in the rows, so that they sort. */
let measure = 0, other = 1;
const value = (row, n, m = measure) => (row.values[n] === null ? null : row.values[n][m]);
function settle() {
  for (const row of rows) {
    row.turn = row.turns[other - 1];
    row.before = value(row, 0);
    row.after = value(row, other);
    row.delta = row.before === null || row.after === null ? null : row.after - row.before;
    row.target_before = row.ranks[0] && row.ranks[0][0];
    row.target_after = row.ranks[other] && row.ranks[other][0];
    runs.forEach((run, n) => { row[`v${n}`] = value(row, n); });
  }
}
const preferred = measures.indexOf("mrr");
measure = Math.max(0, preferred);
settle();

const signed = (cell) => { const d = cell.getValue(); if (d === null) return "–"; return make("span", { class: d > 0 ? "up" : d < 0 ? "down" : "" }, d > 0 ? `▲ +${d.toFixed(2)}` : d < 0 ? `▼ −${(-d).toFixed(2)}` : "0"); };
const right = { hozAlign: "right", headerHozAlign: "right", sorter: "number", sorterParams: { alignEmptyValues: "bottom" } };
const columns = [
  { title: "id", field: "id", width: 110, formatter: "plaintext" },
  { title: "question", field: "question", minWidth: 180, width: 260, formatter: "plaintext" },
  { title: "change", field: "turn", width: 120, formatter: "plaintext" },
  ...runs.map((run, n) => ({ title: label(n), field: `v${n}`, ...right, width: 116, formatter: (cell) => number(cell.getValue()) })),
  { title: "difference", field: "delta", ...right, width: 112, formatter: signed },
  { title: "document before", field: "target_before", ...right, width: 140, formatter: (cell) => rank(cell.getValue()) },
  { title: "document after", field: "target_after", ...right, width: 132, formatter: (cell) => rank(cell.getValue()) },
];

$("f-other").replaceChildren(...others.map((run) => make("option", { value: run.n }, others.length === 1 ? run.name : `${run.n}: ${run.name}`)));
options($("f-turn"), ["improved", "regressed", "still missed", "unchanged", "added", "removed", "relabelled"], "any");
options($("f-subset"), subsets, "all");
$("f-measure").replaceChildren(...measures.map((name, n) => make("option", { value: name, ...(n === measure ? { selected: "" } : {}) }, name)));

function differs(row) {
  if (row.turn !== "unchanged" && row.turn !== "still missed") return true;
  return JSON.stringify(row.values[0]) !== JSON.stringify(row.values[other]) || JSON.stringify(row.documents[0]) !== JSON.stringify(row.documents[other]);
}

function keep(row, { turn, subset, move, differs: only }) {
  if (turn && row.turn !== turn) return false;
  if (subset && subset !== "all" && !row.subsets.includes(subset)) return false;
  if (only && !differs(row)) return false;
  if (!move) return true;
  if (row.delta === null) return false;
  return move === "rose" ? row.delta > 0 : move === "fell" ? row.delta < 0 : row.delta !== 0;
}

const text = (row) => [row.id, row.question, row.asker, ...row.diagnosis, ...row.targets, ...row.documents.flat()].join("\n");

function documents(row, n) {
  const before = row.documents[0];
  return make("ol", {}, ...row.documents[n].map((name, place) => {
    const was = before.indexOf(name);
    const moved = n === 0 || was === place ? "" : was < 0 ? " new" : was > place ? ` ▲ from ${was + 1}` : ` ▼ from ${was + 1}`;
    return make("li", {}, row.targets.includes(name) ? make("mark", { class: "evidence" }, name) : name, moved ? make("span", { class: "soft" }, moved) : "");
  }));
}

function detail(row) {
  const cells = (pick) => runs.map((run, n) => make("td", {}, pick(n)));
  const lines = measures.map((name, m) => [name, runs.map((run, n) => value(row, n, m))]).filter(([, found]) => found.some((one) => one !== null))
    .filter(([, found]) => !$("f-differs").checked || new Set(found).size > 1);
  const body = [
    make("tr", {}, make("th", { scope: "row" }, "diagnosis"), ...cells((n) => row.diagnosis[n] || "not in this run")),
    ...["best document", "first evidence"].map((what, r) => make("tr", {}, make("th", { scope: "row" }, what), ...cells((n) => (row.ranks[n] ? rank(row.ranks[n][r]) : "–")))),
    ...lines.map(([name, found]) => make("tr", {}, make("th", { scope: "row" }, name), ...cells((n) => number(found[n])))),
    make("tr", {}, make("th", { scope: "row" }, "documents"), ...cells((n) => documents(row, n))),
  ];
  const heads = runs.map((run, n) => make("th", { scope: "col" }, `${label(n)}: ${run.name}`));
  return [
    make("h2", {}, row.question),
    make("p", { class: "soft" }, row.id, " · ", make("a", { href: `#q=${encodeURIComponent(row.id)}` }, "link to this question")),
    facts([["change", row.turns.join(", ")], ["asked by", row.asker], ["expected", row.targets]]),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The runs side by side" }, make("table", { class: "plain" }, make("thead", {}, make("tr", {}, make("td", {}), ...heads)), make("tbody", {}, ...body))),
  ];
}

class Compared extends Board {
  filter() {
    const [m, o] = [Math.max(0, measures.indexOf(this.get("measure"))), Number(this.get("other")) || 1];
    if (m !== measure || o !== other) {
      [measure, other] = [m, o];
      settle();
      this.table.replaceData(rows);
    }
    super.filter();
    this.draw();
  }

  draw() {
    const key = `${measure} ${other}`;
    if (this.drawn === key) return;
    this.drawn = key;
    const found = rows.filter((row) => row.delta !== null);
    const apart = found.map((row) => { let h = 7; for (const c of row.id) h = (h * 31 + c.charCodeAt(0)) >>> 0; return [((h % 97) / 97 - 0.5) * 0.05, (((h >>> 8) % 97) / 97 - 0.5) * 0.05]; });
    $("scatter").replaceChildren();
    if (!found.length) return;
    scatter($("scatter"), {
      xs: found.map((row, n) => row.before + apart[n][0]), ys: found.map((row, n) => row.after + apart[n][1]), labels: found.map((row) => `${row.id}: ${number(row.before)} → ${number(row.after)}  ${row.question}`),
      xlabel: `${measures[measure]}, baseline`, ylabel: `${measures[measure]}, ${label(other)}`, diagonal: true, click: (n) => this.choose(found[n], true),
    });
  }
}

rageval.board = new Compared({ rows, columns, fields: ["other", "turn", "subset", "measure", "move", "differs"], keep, text, detail, sort: [{ column: "delta", dir: "asc" }] });
