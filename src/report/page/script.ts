import { chartScript } from './script-charts.ts';
import { timeSpanScript } from './script-time.ts';

/** Search and filter of the checks. A group is open while it holds a check that the search found. */
const checksScript = /* js */ `
  const search = document.getElementById('check-search');
  const clearSearch = (() => {
    if (search === null) return () => {};
    const words = document.getElementById('check-words');
    const count = document.getElementById('check-count');
    const shownBefore = count.value;
    const boxes = [...search.querySelectorAll('input[type=checkbox]')];
    const groups = [...document.querySelectorAll('details.group')].map((group) => ({
      group,
      wasOpen: group.open,
      passed: group.querySelector('details.passed'),
      checks: [...group.querySelectorAll('details.check')].map((check) => ({
        check,
        verdict: ['fail', 'inconclusive', 'pass'].find((verdict) => check.classList.contains(verdict)),
        text: check.textContent.toLowerCase(),
      })),
    }));
    let wasSearching = false;
    const apply = () => {
      const wanted = words.value.toLowerCase().split(/\\s+/).filter((word) => word !== '');
      const verdicts = boxes.length === 0 ? ['fail', 'inconclusive', 'pass'] : boxes.filter((box) => box.checked).map((box) => box.value);
      const isSearching = wanted.length > 0 || boxes.some((box) => !box.checked);
      let found = 0;
      let all = 0;
      for (const one of groups) {
        let own = 0;
        if (isSearching && !wasSearching) one.wasOpen = one.group.open;
        for (const { check, verdict, text } of one.checks) {
          const fits = verdicts.includes(verdict) && wanted.every((word) => text.includes(word));
          check.hidden = !fits;
          if (fits) own += 1;
        }
        one.group.hidden = own === 0;
        if (isSearching || wasSearching) {
          one.group.open = isSearching ? own > 0 : one.wasOpen;
          if (one.passed !== null) one.passed.open = isSearching;
        }
        found += own;
        all += one.checks.length;
      }
      wasSearching = isSearching;
      count.value = isSearching ? found + ' of ' + all + (all === 1 ? ' check' : ' checks') : shownBefore;
    };
    search.addEventListener('input', apply);
    search.hidden = false;
    return () => {
      words.value = '';
      for (const box of boxes) box.checked = true;
      apply();
    };
  })();
`;

/** A link leads to its place, also where that is folded away or left out by the search. */
const anchorScript = /* js */ `
  const goTo = (id) => {
    const place = id === '' ? null : document.getElementById(id);
    if (place === null) return;
    if (place.closest('[hidden]') !== null) clearSearch();
    for (let at = place; at !== null; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
    document.querySelector('.here')?.classList.remove('here');
    if (place.matches('.record, .check, tbody')) place.classList.add('here');
    // Of a story the beginning, if the place is in sight then.
    const story = place.closest('.story');
    (story ?? place).scrollIntoView();
    if (story !== null && place.getBoundingClientRect().bottom > innerHeight) place.scrollIntoView({ block: 'center' });
  };
  const followHash = () => {
    const { place, span: wanted } = parsedHash();
    // A link names a place alone: the part of the run stays as it is.
    if (wanted === null || time === null) writeHash();
    else setSpan(wanted);
    goTo(place);
  };
  addEventListener('hashchange', followHash);
  // A link to the place that the address already names changes nothing in it.
  addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (link && link.hash.slice(1) === parsedHash().place) {
      event.preventDefault();
      followHash();
    }
  });
  goTo(parsedHash().place);
`;

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
${chartScript}
${checksScript}
  const draws = data.charts.map(drawing);
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
