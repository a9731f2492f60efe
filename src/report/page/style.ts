import { chartColours } from '../figure.ts';
/** The page's style sheet, inlined into every report. Charts read their colours from its custom properties. */
export const pageStyle = /* css */ `
:root {
  color-scheme: light;
  --page: #f6f7f9; --panel: #ffffff; --inset: #f1f3f6; --line: #d9dee5; --text: #1a2027; --quiet: #56606d; --link: #1d5fad;
  --pass: #12693a; --pass-soft: #e4f4ea; --fail: #ad1f17; --fail-soft: #fdeae8; --inconclusive: #7d5000; --inconclusive-soft: #fdf1d8;
  --ok: #2d66ae; --limited: #cc8400; --over-quota: #8d4cb5; --client-error: #8a7a63; --server-error: #c8281e; --lost: #20262d;
  --not-sent: #8794a3; --other: #4b9a94; --limit: #b3201a; --line-a: #1f6fc0; --line-b: #b5580a;
  --band: rgba(90, 110, 140, 0.09); --grid: rgba(90, 105, 125, 0.18);
}
@media (prefers-color-scheme: dark) {
  :root:not([data-print]) {
    color-scheme: dark;
    --page: #111418; --panel: #191d23; --inset: #21262e; --line: #343b45; --text: #e5e9ee; --quiet: #a4aeba; --link: #86b9f5;
    --pass: #62cf93; --pass-soft: #16301f; --fail: #ff8f86; --fail-soft: #3a1a18; --inconclusive: #f0bd5b; --inconclusive-soft: #352a12;
    --ok: #5d9ce6; --limited: #f0ad3c; --over-quota: #c193e6; --client-error: #b7a68c; --server-error: #ff6a5e; --lost: #f2f4f7;
    --not-sent: #7a8593; --other: #6cc0b9; --limit: #ff8a80; --line-a: #7db6f5; --line-b: #f2a35c;
    --band: rgba(170, 190, 220, 0.09); --grid: rgba(170, 185, 205, 0.16);
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 6rem; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
h1, h2, h3, p, dl, ul, figure, pre { margin: 0; }
h1, h2, h3, p, li, summary { overflow-wrap: break-word; }
td, th, td *, th * { overflow-wrap: normal; }
td li { overflow-wrap: anywhere; }
h1 { font-size: clamp(1.25rem, 3vw, 1.6rem); line-height: 1.25; letter-spacing: -0.01em; }
h2 { font-size: 1.3rem; line-height: 1.3; }
h3 { font-size: 1.02rem; margin-top: 1.5rem; }
code, pre, .id { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.88em; }
code { overflow-wrap: anywhere; }
pre { background: var(--inset); border: 1px solid var(--line); border-radius: 6px; padding: 0.7rem 0.9rem; white-space: pre-wrap; overflow-wrap: anywhere; }
main, .top, .foot { max-width: 1120px; margin: 0 auto; padding: 0 1.25rem; }
.top { padding-top: 1.25rem; padding-bottom: 0.25rem; }
.about { color: var(--quiet); margin-top: 0.5rem; display: flex; flex-wrap: wrap; gap: 0.15rem 1.1rem; }
.none, .unit, .count { color: var(--quiet); }
.lead { color: var(--quiet); }

.verdict { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 1rem; margin-top: 0.8rem; padding: 0.7rem 1.25rem; border-radius: 10px; border: 1px solid; border-left-width: 6px; }
.verdict .mark { font-size: 2rem; line-height: 1; font-weight: 700; }
.verdict strong { display: block; font-size: 1.6rem; line-height: 1.15; }
.verdict p { margin-left: auto; max-width: 34rem; color: var(--text); font-size: 0.9rem; }
.verdict.pass, .badge.pass { color: var(--pass); background: var(--pass-soft); }
.verdict.fail, .badge.fail { color: var(--fail); background: var(--fail-soft); }
.verdict.inconclusive, .badge.inconclusive { color: var(--inconclusive); background: var(--inconclusive-soft); }
.badge { display: inline-block; white-space: nowrap; border-radius: 999px; padding: 0.08rem 0.6rem; font-size: 0.8rem; font-weight: 650; line-height: 1.5; }
.notice { margin-top: 0.9rem; padding: 0.7rem 1rem; border-radius: 8px; border: 1px solid var(--inconclusive); background: var(--inconclusive-soft); color: var(--text); overflow-wrap: anywhere; }
.notice strong { color: var(--inconclusive); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(185px, 1fr)); gap: 1px; margin-top: 0.8rem; background: var(--panel); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.figures > div { box-shadow: 0 0 0 1px var(--line); padding: 0.65rem 0.9rem; }
.figures dt, .figures .note { color: var(--quiet); font-size: 0.8rem; font-weight: 400; }
.figures dd { margin: 0; font-size: 1.05rem; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }

nav.contents { position: sticky; top: 0; z-index: 5; background: var(--page); border-bottom: 1px solid var(--line); margin-top: 1rem; }
nav.contents ul { max-width: 1120px; margin: 0 auto; padding: 0.55rem 1.25rem; display: flex; flex-wrap: wrap; gap: 0.15rem 1.15rem; list-style: none; }
nav.contents .time { max-width: 1120px; margin: 0 auto; padding: 0 1.25rem 0.45rem; display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.8rem; font-size: 0.86rem; }
.time input { width: 4.6rem; }
.time select { max-width: 11rem; }
.time output { color: var(--quiet); }
button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--quiet); border-radius: 6px; padding: 0.25rem 0.6rem; cursor: pointer; }
nav.contents a { white-space: nowrap; text-decoration: none; font-size: 0.9rem; }
nav.contents a:hover { text-decoration: underline; }

main > section { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 1.25rem 1.35rem 1.4rem; margin-top: 1.25rem; min-width: 0; }
main > section > * + * { margin-top: 0.85rem; }
main > section:has(> details:not([open])) { padding-top: 0.7rem; padding-bottom: 0.7rem; margin-top: 0.6rem; }
.group { border-top: 1px solid var(--line); padding-top: 0.5rem; }
.group > summary { display: flex; align-items: baseline; list-style: none; }
.group > summary::-webkit-details-marker { display: none; }
.group > summary h3 { flex: 1; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 0.6rem; margin: 0; }
.group[open] > summary { margin-bottom: 0.45rem; }
.group > summary::after { content: "▸"; color: var(--quiet); padding: 0 0.8rem; }
.group[open] > summary::after { content: "▾"; }
input, select { font: inherit; color: inherit; background: var(--panel); accent-color: var(--link); }
input:not([type=checkbox]), select { border: 1px solid var(--quiet); border-radius: 6px; padding: 0.25rem 0.5rem; max-width: 100%; }
.count { font-weight: 400; font-size: 0.86rem; }
.diagnosis { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.75rem; margin-top: 1rem; }
.cause { border: 1px solid var(--fail); border-left-width: 6px; border-radius: 10px; padding: 0.75rem 1.25rem; }
.diagnosis > p { color: var(--quiet); font-size: 0.85rem; }
.cause p { margin: 0.25rem 0; }
.cause > summary { list-style: none; display: flow-root; }
.cause > summary::-webkit-details-marker { display: none; }
.cause:not([open]) > summary .which::after { content: " ▸"; color: var(--quiet); }
.cause.inconclusive { border-color: var(--inconclusive); }
.cause .what { font-size: 1.2rem; }
.cause .scroll, .cause details { margin: 0.6rem 0; }
.cause .which, .cause .behind, .cause .explains { font-size: 0.9rem; }
.cause .shell { padding: 0.75rem; border: 1px solid; border-radius: 6px; font-size: 0.8rem; }
.check { border: 1px solid var(--line); border-radius: 8px; background: var(--panel); }
.check + .check { margin-top: 0.4rem; }
.check.fail { border-left: 4px solid var(--fail); }
.check.inconclusive { border-left: 4px solid var(--inconclusive); }
.check > summary { padding: 0.5rem 0.8rem; cursor: pointer; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.15rem 0.7rem; list-style: none; }
.check > summary::-webkit-details-marker { display: none; }
.check > summary::after { content: "▸"; color: var(--quiet); margin-left: auto; }
.check[open] > summary::after { content: "▾"; }
.check .title { font-weight: 550; overflow-wrap: anywhere; }
.check .id { color: var(--quiet); font-size: 0.8rem; }
.check > .body { padding: 0.1rem 0.95rem 0.9rem; min-width: 0; }
.check > .body > * + * { margin-top: 0.75rem; }
.check > .body > p { max-width: 75ch; overflow-wrap: anywhere; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)); gap: 0.75rem; }
.sides > div { background: var(--inset); border-radius: 6px; padding: 0.55rem 0.8rem; min-width: 0; }
.sides dt { color: var(--quiet); font-size: 0.8rem; }
.sides dd { margin: 0; overflow-x: auto; }
.cause.fail .sides > :first-child:not(:only-child), .check.fail .sides > :first-child:not(:only-child) { border-left: 3px solid var(--pass); }
.cause.fail .sides > :nth-child(2), .check.fail .sides > :nth-child(2) { border-left: 3px solid var(--fail); }
.value { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.more-figures { margin-top: 0.6rem; }
.section > summary h2 { display: inline; }
.section > * + * { margin-top: 0.85rem; }
.values { margin: 0; padding-left: 1.1rem; }
.story { border: 1px solid var(--line); border-radius: 8px; padding: 0.4rem 0.8rem; }
.story > * + * { margin-top: 0.6rem; }
.story .record { white-space: nowrap; }
.details { list-style: none; padding: 0; min-width: min(18rem, 62vw); }
.here { outline: 2px solid var(--link); outline-offset: 2px; }
.passed { margin-top: 0.6rem; }
.passed > summary { color: var(--quiet); font-size: 0.9rem; cursor: pointer; }
.evidence { color: var(--quiet); font-size: 0.9rem; padding-left: 1.1rem; }
details > summary { cursor: pointer; }

.scroll { overflow-x: auto; max-width: 100%; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; font-size: 0.88rem; }
.scroll > table { width: 100%; }
caption { text-align: left; color: var(--quiet); font-size: 0.82rem; padding: 0.45rem 0.75rem; }
th, td { text-align: left; padding: 0.34rem 0.75rem; border-top: 1px solid var(--line); vertical-align: top; }
thead th { color: var(--quiet); font-weight: 600; white-space: nowrap; background: var(--inset); }
thead th.num { white-space: normal; vertical-align: bottom; }
tbody th { font-weight: 500; min-width: 7.5rem; }
th.num { min-width: 0; }
.num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar { display: inline-block; width: min(11rem, 26vw); height: 0.6rem; border-radius: 3px; }
table.plain th, table.plain td { padding: 0.15rem 0.9rem 0.15rem 0; border-top: 0; background: none; }
table.plain th { min-width: 0; color: var(--quiet); font-weight: 500; }
tr.differs > * { background: var(--fail-soft); }
tr.unsure > * { background: var(--inconclusive-soft); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 260px), 1fr)); gap: 0.5rem 1.5rem; }
.facts dt { color: var(--quiet); font-size: 0.82rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.equations { list-style: none; padding: 0; font-variant-numeric: tabular-nums; }
.nowrap { white-space: nowrap; }

.chart { border: 1px solid var(--line); border-radius: 8px; padding: 0.7rem 0.8rem 0.4rem; min-width: 0; }
.chart figcaption { display: flex; flex-wrap: wrap; gap: 0 0.7rem; align-items: baseline; }
.unit { font-size: 0.84rem; }
.legend { list-style: none; padding: 0; margin: 0.35rem 0 0.25rem; display: flex; flex-wrap: wrap; gap: 0.15rem 1.2rem; font-size: 0.86rem; }
.legend output { font-weight: 600; font-variant-numeric: tabular-nums; }
.legend .at { color: var(--quiet); font-variant-numeric: tabular-nums; }
.key { vertical-align: -0.1em; }
.plot { width: 100%; min-height: 220px; overflow: hidden; }
.key path { fill: none; stroke-width: 2; }
${chartColours
  .map((name) => `.fill-${name} { fill: var(--${name}); } .stroke-${name} { stroke: var(--${name}); }`)
  .join('\n')}
details > p { margin-top: 0.6rem; }
.to-check { text-decoration: none; }
.long { min-width: min(20rem, 62vw); }
.name { min-width: min(10.5rem, 30vw); }
.foot { color: var(--quiet); font-size: 0.85rem; padding-top: 1.5rem; padding-bottom: 2.5rem; }

@media (max-width: 600px) {
  main, .top, .foot, nav.contents ul, nav.contents .time { padding-left: 0.8rem; padding-right: 0.8rem; }
  main > section { padding: 1rem 0.85rem 1.1rem; }
  .top { padding-top: 0.7rem; }
  .about { font-size: 0.82rem; margin-top: 0.25rem; gap: 0 0.8rem; }
  .verdict { padding: 0.4rem 0.8rem; margin-top: 0.5rem; }
  .verdict > div { flex: 1; }
  .verdict p { margin-left: 0; flex-basis: 100%; }
  .verdict strong { display: inline; font-size: 1.3rem; margin-right: 0.6rem; }
  .diagnosis { margin-top: 0.6rem; }
  .cause { padding: 0.45rem 0.8rem; font-size: 0.92rem; line-height: 1.4; }
  .cause .what { font-size: 1.05rem; }
  .cause:not([open]) .what { font-size: 0.95rem; }
  .cause .sides { grid-template-columns: 1fr 1fr; gap: 0.4rem; }
  .cause .sides > div { padding: 0.3rem 0.5rem; }
  .figures { grid-template-columns: 1fr; margin-top: 0.6rem; }
  .figures > div { padding: 0.3rem 0.8rem; line-height: 1.35; }
  .figures dt, .figures dd { display: inline; margin-right: 0.35rem; }
  .figures dd { font-size: 0.95rem; }
  nav.contents { position: static; }
  th, td { padding-left: 0.5rem; padding-right: 0.5rem; }
  .time label:first-child, .time output { display: none; }
  .check .id { flex-basis: 100%; overflow-wrap: anywhere; }
  .check > summary { position: relative; padding-right: 1.8rem; }
  .check > summary::after { position: absolute; right: 0.7rem; top: 0.5rem; }
  .chart { padding-left: 0.4rem; padding-right: 0.4rem; }
}
@media print {
  body { background: #fff; font-size: 11pt; }
  nav.contents { display: none; }
  main > section, .check, .chart, tr { break-inside: avoid-page; }
  main > section { border: 0; padding: 0; break-inside: auto; }
  .scroll { overflow: visible; }
}
`;
