(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("candidates-data").textContent);
  const table = document.getElementById("candidates"), body = table.tBodies[0];
  const form = document.getElementById("filters"), more = document.getElementById("more");
  const count = document.getElementById("count"), heads = [...table.tHead.rows[0].cells];
  const LEAVES = ["sim", "uct"], STEP = 200;
  let sorted = {column: 0, descending: false}, shown = data.first, matching = [];

  const squeezed = text => text.toLowerCase().replace(/\s/g, "");
  const rows = data.rows.map((row, i) => {
    const [short, depth, pulls, ...numbers] = row;
    const text = [...short].map(sign => data.abbreviations[sign] ?? sign).join("");
    const names = [], tuned = []; /* a tune is at the level of what it wraps */
    for (const name of text.split(/[(,]/)) {
      if (name === "tune") { tuned[names.length] = "tune"; continue; }
      names.push(name.replace(/[^a-z].*/, ""));
      if (LEAVES.includes(names[names.length - 1])) break;
    }
    return {names, tuned, squeezed: squeezed(text), cells: [i + 1, text, depth, pulls, ...numbers]};
  });

  const grouped = n => n.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  const number = value => Math.abs(value) < 1e9 ? value.toFixed(data.decimals) : String(Number(value.toPrecision(4)));
  const fixed = value => value === null ? "\u2013" : number(value).replace(/^-/, "\u2212");
  const high = !data.bestIsLow, falling = [false, false, false, true, high, false, false, high, true];
  const shows = [grouped, String, String, grouped, fixed, fixed, fixed, fixed, grouped];

  function line(row) {
    const tr = document.createElement("tr");
    heads.forEach((head, column) => {
      const td = document.createElement(column === 1 ? "th" : "td"), text = shows[column](row.cells[column]);
      if (column === 1) {
        td.scope = "row";
        const code = td.appendChild(document.createElement("code")), parts = text.split("(");
        parts.forEach((part, i) => {
          if (i > 0) code.append(document.createElement("wbr"));
          code.append(part + (i < parts.length - 1 ? "(" : ""));
        });
      } else {
        td.textContent = text;
        td.className = head.className;
      }
      tr.appendChild(td);
    });
    return tr;
  }

  function compare(a, b) {
    const {column, descending} = sorted, x = a.cells[column], y = b.cells[column];
    if (x === y) return a.cells[0] - b.cells[0];
    if (x === null || y === null) return x === null ? 1 : -1;
    return (x < y ? -1 : 1) * (descending ? -1 : 1);
  }

  function draw() {
    body.replaceChildren(...matching.slice(0, shown).map(line));
    const visible = Math.min(shown, matching.length);
    const of = matching.length === rows.length ? grouped(rows.length) : `${grouped(matching.length)} matching`;
    count.textContent = `${grouped(visible)} of ${of} candidates`
      + (matching.length === rows.length ? "" : `, of ${grouped(rows.length)} in all`);
    more.hidden = visible === matching.length;
    more.textContent = `Show ${Math.min(STEP, matching.length - visible)} more`;
    heads.forEach((head, column) => {
      if (column === sorted.column) head.setAttribute("aria-sort", sorted.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  }

  function filter() {
    const wanted = squeezed(form.elements.text.value);
    const name = form.elements.component.value, level = Number(form.elements.level.value);
    matching = rows.filter(row => row.squeezed.includes(wanted)
      && (!name || [row.names, row.tuned].some(names => level ? names[level - 1] === name : names.includes(name))));
    matching.sort(compare);
    shown = data.first;
    draw();
  }

  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.appendChild(button);
    button.addEventListener("click", () => {
      sorted = {column, descending: sorted.column === column ? !sorted.descending : falling[column]};
      matching.sort(compare);
      draw();
    });
  });
  form.addEventListener("input", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", event => event.preventDefault());
  more.addEventListener("click", () => {
    const before = Math.min(shown, matching.length);
    shown += STEP;
    draw();
    const next = body.rows[before];
    if (next) { next.tabIndex = -1; next.focus({preventScroll: true}); }
  });
  form.hidden = false;
  filter();
})();
