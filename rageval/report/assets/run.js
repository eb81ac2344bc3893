/* A run's page: each question, what came back for it, and what it was held against. */
"use strict";

const { measures, hits, subsets, k } = rageval.head;
const passages = new Map(), rows = [];
for (const row of rageval.rows) {
  if (row.passage !== undefined) { passages.set(row.passage, row); continue; }
  row.n = rows.length;
  measures.forEach((measure, n) => { row[measure.name] = row.values[n]; });
  rows.push(row);
}

const shown = measures.filter((measure) => rows.some((row) => row[measure.name] !== null));
const plain = (cell) => { const value = cell.getValue(); return cell.getField().startsWith("hit_rate") ? mark(value) : number(value); };
const columns = [
  { title: "id", field: "id", width: 110, headerSort: true, formatter: "plaintext" },
  { title: "question", field: "question", widthGrow: 3, minWidth: 220, width: 360, formatter: "plaintext" },
  { title: "diagnosis", field: "diagnosis", minWidth: 180, width: 260, formatter: "plaintext" },
  ...shown.map((measure) => ({ title: measure.heading, field: measure.name, hozAlign: "right", headerHozAlign: "right", sorter: "number", sorterParams: { alignEmptyValues: "bottom" }, formatter: plain, width: 88 })),
  { title: "class", field: "class", formatter: "plaintext" },
  { title: "asker", field: "asker", formatter: "plaintext" },
];

options($("f-subset"), subsets, "all");
options($("f-cause"), [...new Set(rows.map((row) => row.cause))].sort(), "any");
options($("f-measure"), [], hits[hits.length - 1]);
$("f-measure").replaceChildren(...shown.map((measure) => make("option", { value: measure.name, title: measure.meaning }, measure.heading)));

function keep(row, { subset, cause, measure, state: wanted }) {
  if (subset && subset !== "all" && !row.subsets.includes(subset)) return false;
  if (cause && row.cause !== cause) return false;
  const value = row[measure];
  if (!wanted) return true;
  if (value === null) return false;
  return wanted === "low" ? value < 1 : wanted === "zero" ? value === 0 : value === 1;
}

function text(row) {
  return [row.id, row.question, row.diagnosis, row.asker, ...row.tags, ...row.documents, ...row.expected.flatMap((one) => one.label)].join("\n");
}

/* A passage's text with evidence and distractors marked in it; where both meet, evidence counts. */
function marked(passage, marks = []) {
  const points = [...new Set([0, passage.text.length, ...marks.flatMap(([start, end]) => [start, end])])].filter((at) => at <= passage.text.length).sort((a, b) => a - b);
  const pieces = [];
  for (let n = 0; n + 1 < points.length; n++) {
    const [start, end] = [points[n], points[n + 1]];
    const kinds = marks.filter(([first, last]) => first <= start && end <= last).map(([, , kind]) => kind);
    const piece = passage.text.slice(start, end);
    const kind = kinds.includes("evidence") ? "evidence" : kinds[0];
    pieces.push(kind ? make("mark", { class: kind }, piece) : piece);
  }
  if (passage.more) pieces.push(make("span", { class: "soft" }, ` … ${passage.more.toLocaleString("en")} more characters`));
  return pieces;
}

function came(found) {
  const passage = passages.get(String(found.chunk));
  const kinds = [...new Set((found.marks || []).map(([, , kind]) => kind))];
  const inside = found.rank !== null && found.rank <= k;
  const place = found.candidate === null ? "found by asking deeper" : `candidate ${found.candidate}`;
  const scores = found.score === null ? "" : `score ${found.score}` + (found.raw !== null && found.raw !== found.score ? ` (the floor reads ${found.raw})` : "");
  return make("article", { class: inside ? "passage" : "passage below" },
    make("header", {},
      make("span", { class: "rank" }, found.rank === null ? "–" : `#${found.rank}`), make("b", {}, passage.document),
      ...kinds.map((kind) => make("span", { class: `tag ${kind}` }, kind)),
      found.fate ? make("span", { class: "tag fate" }, found.fate) : "", inside ? "" : make("span", { class: "tag fate" }, "not in the window"),
      make("span", { class: "soft" }, [place, scores, passage.id, passage.groups ? `for ${passage.groups.join(", ")}` : ""].filter(Boolean).join(" · "))),
    make("p", { class: "text" }, ...marked(passage, found.marks)));
}

function expected(one) {
  const where = one.rank === null ? (one.chunks ? "not in the ranking" : "no chunk covers it") : one.rank <= k ? `in the window, rank ${one.rank}` : `rank ${one.rank}, below k = ${k}`;
  return make("li", {}, one.label.join(" or "), " — ", make("b", { class: one.rank !== null && one.rank <= k ? "up" : "down" }, where));
}

function detail(row) {
  const who = row.asker === null ? "nobody in particular: public documents only" : `${row.asker}, who may see what is for ${row.groups.join(", ") || "everybody"}`;
  const list = row.came.length ? row.came.slice().sort((a, b) => (a.rank ?? 1e9) - (b.rank ?? 1e9) || (a.candidate ?? 1e9) - (b.candidate ?? 1e9)).map(came) : [make("p", {}, "Nothing came back.")];
  return [
    make("h2", {}, row.question),
    make("p", { class: "soft" }, row.id, " · ", make("a", { href: `#q=${encodeURIComponent(row.id)}` }, "link to this question")),
    ...(row.history.length ? [make("p", { class: "soft" }, "after: ", row.history.join(" → "))] : []),
    make("p", {}, make("b", {}, row.diagnosis)),
    ...(row.error ? [make("p", { class: "down" }, row.error)] : []),
    facts([["asked by", who], ["answerable", row.answerable === "true" ? "" : row.answerable], ["class", row.class], ["form", row.form], ["tags", row.tags], ["answer", row.gist], ["notes", row.notes], ["measures", shown.filter((m) => row[m.name] !== null).map((m) => `${m.heading} ${number(row[m.name])}`)]]),
    ...(row.expected.length ? [make("h3", {}, "Expected"), make("ul", {}, ...row.expected.map(expected))] : []),
    ...(row.forbidden.length ? [make("h3", {}, "Must not come back"), make("p", {}, row.forbidden.join(", "))] : []),
    ...(row.distractors.length ? [make("h3", {}, "Distractors"), make("p", {}, row.distractors.join(", "))] : []),
    make("h3", {}, "What came back"), ...list,
  ];
}

rageval.board = new Board({ rows, columns, fields: ["subset", "cause", "measure", "state"], keep, text, detail });
