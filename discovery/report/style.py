"""The style sheet of a report's page: light, dark and print, wide and narrow.

Colours are those of Okabe and Ito's palette, darkened or lightened until text in them has a contrast of 4.5 to 1; blue
is what was discovered, orange what is generic. Nothing is said by colour alone: discovered ones are dots, generic ones
diamonds, and lines have labels and dashes of their own.
"""

CSS = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c2230; --soft: #565e6e; --faint: #d5d9e1;
  --wash: #f3f5f8;
  --found: #00619e; --found2: #00795b; --found3: #8a3d78; --generic: #a94700; --other: #8a92a1; --good: 0, 97, 158;
  --bad: 190, 90, 0; --rank0: #0b3c5d; --rank1: #1f77ab; --rank2: #6db3da; --rank3: #b9d9ec; --rank4: #dfe6ec;
  --rank5: #eef1f4; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171d; --ink: #e7eaf0; --soft: #a8b0be; --faint: #3a404c;
  --wash: #1d2129; --found: #62b4f0; --found2: #3cc79c; --found3: #dd95c8; --generic: #f29a4a; --other: #7d8696;
  --good: 70, 160, 230; --bad: 235, 140, 50; --rank0: #d3ecff; --rank1: #7cc0ee; --rank2: #3a86b8; --rank3: #235a80;
  --rank4: #2c3947; --rank5: #232b35; } }
@media print { :root { color-scheme: light; --paper: #ffffff; --ink: #000000; --soft: #444444; --faint: #cccccc;
  --wash: #f3f5f8; --found: #00619e; --found2: #00795b; --found3: #8a3d78; --generic: #a94700; --other: #8a92a1;
  --good: 0, 97, 158; --bad: 190, 90, 0; --rank0: #0b3c5d; --rank1: #1f77ab; --rank2: #6db3da; --rank3: #b9d9ec;
  --rank4: #dfe6ec; --rank5: #eef1f4; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0 auto; padding: 1.5rem 1.25rem 4rem; max-width: 58rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 3rem 0 .35rem; line-height: 1.3; }
h3 { font-size: 1rem; margin: 1.8rem 0 .35rem; }
p { margin: .35rem 0 .8rem; max-width: 42rem; }
a { color: var(--found); }
:focus-visible { outline: 3px solid var(--found); outline-offset: 2px; border-radius: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
.state { color: var(--soft); margin: 0 0 1.25rem; }
.state strong { color: var(--generic); }
.findings { border-left: 4px solid var(--found); padding: .1rem 0 .1rem 1rem; }
.findings p:first-child { font-size: 1.1rem; }
.about { color: var(--soft); font-size: .92rem; }
nav ul { list-style: none; padding: 0; margin: 1.25rem 0 0; display: flex; flex-wrap: wrap; gap: .35rem 1.1rem;
  font-size: .92rem; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .88em; }
code { overflow-wrap: break-word; }
pre { background: var(--wash); padding: .7rem .9rem; border-radius: 6px; overflow-x: auto; line-height: 1.35;
  margin: .3rem 0 1rem; }
pre.command { white-space: pre-wrap; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; width: 100%; }
caption { text-align: left; color: var(--soft); font-size: .92rem; padding-bottom: .4rem; }
th, td { padding: .28rem .6rem .28rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--faint); }
th:last-child, td:last-child { padding-right: .2rem; }
thead th { border-bottom: 2px solid var(--faint); vertical-align: bottom; font-weight: 600; }
tbody th { font-weight: 400; }
.n { text-align: right; } td.n { white-space: nowrap; }
.nowrap { white-space: nowrap; }
tr.generic .name { color: var(--generic); }
tr.found .name { color: var(--found); font-weight: 600; }
td.effect { text-align: right; white-space: nowrap; padding-left: .5rem; }
td.effect small { display: block; color: inherit; opacity: .85; }
details { margin: .5rem 0 1rem; }
summary { cursor: pointer; color: var(--found); font-size: .92rem; }
figure { margin: 1rem 0; }
figcaption { font-size: .92rem; color: var(--soft); margin-top: .3rem; }
.drawings { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1.5rem;
  align-items: start; }
.drawings figure { margin: 0; min-width: 0; }
.drawings img { max-width: 100%; height: auto; display: block; }
.drawings pre { line-height: 1.15; }
form.filters { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: end; margin: .8rem 0; }
form.filters label { display: block; font-size: .85rem; color: var(--soft); }
form.filters .wide-field { flex: 1 1 14rem; }
input, select, button { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--other);
  border-radius: 6px; padding: .35rem .6rem; min-height: 2.5rem; max-width: 100%; }
input { width: 100%; }
button { cursor: pointer; background: var(--wash); }
th button { border: 0; background: none; padding: 0; min-height: 0; font-weight: 600; color: var(--ink);
  text-align: inherit;
  line-height: inherit; }
th button::after { content: " ↕"; color: var(--other); }
th[aria-sort=ascending] button::after { content: " ↑"; color: var(--found); }
th[aria-sort=descending] button::after { content: " ↓"; color: var(--found); }
.count { color: var(--soft); font-size: .92rem; margin: .2rem 0; }
.chart { width: 100%; height: auto; display: block; overflow: visible; }
.chart.narrow { display: none; }
.chart text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--ink);
  font-variant-numeric: tabular-nums; paint-order: stroke; stroke: var(--paper); stroke-width: 3px;
    stroke-linejoin: round; }
.chart .label { fill: var(--soft); }
.chart .middle { text-anchor: middle; } .chart .end { text-anchor: end; }
.chart path { fill: none; stroke: var(--ink); stroke-width: 1; }
.chart path.grid { stroke: var(--faint); }
.chart path.reference { stroke: var(--soft); stroke-dasharray: 5 4; }
.chart path.bar { stroke-width: 2.5; } .chart path.whisker { stroke-width: 1.2; opacity: .55; }
.chart path.found-line { stroke: var(--found); } .chart path.generic-line { stroke: var(--generic); }
.chart path.found1-line { stroke: var(--found); }
.chart path.found2-line { stroke: var(--found2); stroke-dasharray: 8 3; }
.chart path.found3-line { stroke: var(--found3); stroke-dasharray: 2 3; }
.chart path.other-line { stroke: var(--other); }
.chart path.curve { stroke-width: 2.4; stroke-linejoin: round; }
.chart path.curve.other-line { stroke-width: 1.1; opacity: .75; }
.chart path.trained-line { stroke: var(--other); }
.chart .trained-fill { fill: var(--paper); stroke: var(--soft); stroke-width: 1.5; }
.chart .tail { fill: var(--ink); font-weight: 400; }
.chart path.leader { stroke: var(--other); stroke-width: .7; } .chart path.leader.faint { opacity: .5; }
.chart circle.found-fill, .chart path.found-fill { fill: var(--found); stroke: var(--paper); }
.chart path.generic-fill { fill: var(--paper); stroke: var(--generic); stroke-width: 1.8; }
.chart .found-text, .chart .found1-text { fill: var(--found); font-weight: 600; }
.chart .found2-text { fill: var(--found2); font-weight: 600; }
.chart .found3-text { fill: var(--found3); font-weight: 600; } .chart .generic-text { fill: var(--generic); }
.chart .other-text { fill: var(--soft); }
.chart .area { stroke: var(--paper); stroke-width: .5; }
.chart .rank0 { fill: var(--rank0); } .chart .rank1 { fill: var(--rank1); } .chart .rank2 { fill: var(--rank2); }
.chart .rank3 { fill: var(--rank3); } .chart .rank4 { fill: var(--rank4); } .chart .rank5 { fill: var(--rank5); }
.chart .cell { fill: var(--found); } .chart .empty { fill: var(--wash); }
.chart .box { fill: var(--found); fill-opacity: .35; stroke: var(--found); }
.chart path.median { stroke: var(--ink); stroke-width: 2.5; }
@media (max-width: 640px) {
  body { padding: 1rem 1rem 3rem; } h1 { font-size: 1.4rem; } h2 { margin-top: 2.4rem; }
  .chart.wide { display: none; } .chart.narrow { display: block; }
  .aux, .aux-inline { display: none; } table { font-size: .84rem; } th, td { padding-right: .45rem; }
}
@media print {
  html { font-size: 11.5px; }
  body { max-width: none; padding: 0; } p { max-width: none; } h2 { margin-top: 2rem; }
  figure > .chart { max-width: 54rem; }
  nav, form.filters, button.more, summary, .skip { display: none; }
  th button::after { content: ""; }
  .chart.wide { display: block; } .chart.narrow { display: none; } .aux { display: table-cell; }
  .aux-inline { display: inline; }
  h2, h3, caption, .about { break-after: avoid; } figure, tr, .drawings figure { break-inside: avoid; }
  .scroll { overflow: visible; } pre { white-space: pre-wrap; }
  a { color: inherit; text-decoration: none; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""
