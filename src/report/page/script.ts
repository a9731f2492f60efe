import { anchorScript } from './script/anchors.ts';
import { chartScript } from './script/charts.ts';
import { checksScript } from './script/checks.ts';
import { latenciesScript } from './script/latencies.ts';
import { timeSpanScript } from './script/time-span.ts';

/**
 * The page's script: draws the charts with uPlot, searches the checks, and adapts the page to dark mode and printing.
 * Kept as text, since every report inlines it as text. Its parts share one scope.
 */
export const pageScript = /* js */ `
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('report-data').textContent);
  const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
  const show = (value) => (value === null || value === undefined ? '–' : number.format(value));
  const two = (n) => String(n).padStart(2, '0');
  const clock = (seconds) => {
    const s = Math.round(seconds);
    const rest = two(Math.floor(s / 60) % 60) + ':' + two(s % 60);
    return s >= 3600 ? Math.floor(s / 3600) + ':' + rest : rest.replace(/^0/, '');
  };
${timeSpanScript}
${latenciesScript}
${chartScript}
${checksScript}
  const draws = data.charts.map(drawing);
  if (latencyTable !== null) startLatencies();
  const redraw = () => { for (const draw of draws) draw(); };
  // Pages without time, such as a comparison of runs, have no such fields.
  if (time !== null) startTime();
${anchorScript}

  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);

  /** On paper: light colours, and nothing folded away. */
  let folded = [];
  addEventListener('beforeprint', () => {
    folded = [...document.querySelectorAll('details:not([open])')];
    for (const details of folded) details.open = true;
    document.documentElement.dataset.print = '';
    redraw();
  });
  addEventListener('afterprint', () => {
    for (const details of folded) details.open = false;
    delete document.documentElement.dataset.print;
    redraw();
  });
})();
`;
