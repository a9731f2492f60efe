import { chartScript } from './script-charts.ts';

/** A link leads to its place, also where that is folded away. */
const anchorScript = /* js */ `
  const goTo = (id) => {
    const place = id === '' ? null : document.getElementById(id);
    if (place === null) return;
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
 * The part of the run that charts and tables show. Its state is in the address, after the place: `#latency&t=60-120`.
 * Both ends are on the grid of the page's data, so that every chart and table shows the same part.
 */
const timeSpanScript = /* js */ `
  const time = document.getElementById('time');
  const fromField = document.getElementById('time-from');
  const toField = document.getElementById('time-to');
  const phaseField = document.getElementById('time-phase');
  const timedRows = [...document.querySelectorAll('[data-from]')].map((row) => ({ row, from: Number(row.dataset.from), to: Number(row.dataset.to) }));
  const timedTables = [...new Set(timedRows.map(({ row }) => row.closest('table')))].map((table) => {
    const note = document.createElement('span');
    table.caption.append(note);
    return { note, own: timedRows.filter(({ row }) => row.closest('table') === table) };
  });
  const onSpan = [];
  let span = null;

  const parsedHash = () => {
    let text = location.hash.slice(1);
    try { text = decodeURIComponent(text); } catch { text = ''; }
    const found = /^(.*?)&?t=(\\d+(?:\\.\\d+)?)-(\\d+(?:\\.\\d+)?)$/.exec(text);
    return found === null ? { place: text, span: null } : { place: found[1], span: { from: Number(found[2]), to: Number(found[3]) } };
  };
  const writeHash = () => {
    const { place } = parsedHash();
    const parts = [...(place === '' ? [] : [place]), ...(span === null ? [] : ['t=' + span.from + '-' + span.to])];
    history.replaceState(null, '', parts.length === 0 ? location.pathname + location.search : '#' + parts.join('&'));
  };

  const onGrid = ({ from, to }) => {
    const { stepS, count } = data.grid;
    const first = Math.min(count - 1, Math.max(0, Math.floor(from / stepS + 1e-6)));
    const after = Math.min(count, Math.max(first + 1, Math.ceil(to / stepS - 1e-6)));
    return first === 0 && after === count ? null : { from: first * stepS, to: after * stepS };
  };
  const setSpan = (wanted) => {
    span = wanted === null ? null : onGrid(wanted);
    const shown = span ?? { from: 0, to: data.grid.stepS * data.grid.count };
    fromField.value = clock(shown.from);
    toField.value = clock(shown.to);
    const value = span === null ? '' : span.from + '-' + span.to;
    const option = [...phaseField.options].find((each) => each.value === value);
    phaseField.value = option === undefined ? 'part' : value;
    for (const each of timedRows) each.row.hidden = span !== null && (each.to < span.from || each.from >= span.to);
    for (const { note, own } of timedTables) {
      const left = own.filter(({ row }) => !row.hidden).length;
      note.textContent = span === null ? '' : ' (' + left + ' of ' + own.length + ' in the time shown)';
    }
    document.getElementById('time-note').value = span === null ? '' : 'Verdicts and key figures are of the whole run.';
    for (const listener of onSpan) listener(span);
    writeHash();
  };

  const seconds = (text) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  const readFields = () => {
    const wanted = { from: seconds(fromField.value), to: seconds(toField.value) };
    setSpan(Number.isFinite(wanted.from) && wanted.to > wanted.from ? wanted : span);
  };
  const startTime = () => {
    for (const { name, fromS, toS } of data.phases) {
      const part = onGrid({ from: fromS, to: toS });
      if (part !== null) phaseField.add(new Option(name, part.from + '-' + part.to));
    }
    fromField.addEventListener('change', readFields);
    toField.addEventListener('change', readFields);
    phaseField.addEventListener('change', () => {
      const [from, to] = phaseField.value.split('-').map(Number);
      setSpan(to === undefined ? null : { from, to });
    });
    document.getElementById('time-all').addEventListener('click', () => setSpan(null));
    time.hidden = false;
    setSpan(parsedHash().span);
  };
`;

/**
 * The page's script: draws the charts with uPlot, and adapts the page to dark mode and printing.
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
