import { binsPerDoubling } from '../sections/latency.ts';

/**
 * The part of the run that charts and tables show. Its state is in the address, after the place: `#latency&t=60-120`.
 * Both ends are on the grid of the page's data, so that every chart and table shows the same part.
 */
export const timeSpanScript = /* js */ `
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

/** Percentiles of the part of the run that is shown, from the counts in the page's data: curves, and a table. */
export const latenciesScript = /* js */ `
  /** How many latencies are in each bin, of one endpoint and status, over the parts of the run that are shown. */
  const binsShown = (texts) => {
    const bins = new Map();
    texts.forEach((text, part) => {
      if (text === '' || (span !== null && (part * data.grid.stepS < span.from || part * data.grid.stepS >= span.to))) return;
      let bin = 0;
      for (const entry of text.split(' ')) {
        const [step, n] = entry.includes(':') ? entry.split(':') : [1, entry];
        bin += Number(step);
        bins.set(bin, (bins.get(bin) ?? 0) + Number(n));
      }
    });
    const sorted = [...bins].toSorted(([a], [b]) => a - b);
    return { sorted, total: sorted.reduce((sum, [, n]) => sum + n, 0) };
  };
  /** By nearest rank, in milliseconds: the middle of the bin that has it. */
  const latencyAt = ({ sorted, total }, share) => {
    let left = Math.max(1, Math.ceil(share * total - 1e-9));
    for (const [bin, n] of sorted) {
      left -= n;
      if (left <= 0) return 2 ** ((bin + 0.5) / ${binsPerDoubling}) / 1e6;
    }
    return null;
  };

  /** The curves of a chart: a point for each twentieth of a nine, as far as there are answers for it. */
  const fillCurves = (chart) => {
    const kind = data.latencies[chart.latencies];
    const both = [binsShown(kind.response), binsShown(kind.service)];
    const nines = Math.max(1, Math.log10(Math.max(1, both[0].total)));
    chart.x = Array.from({ length: Math.ceil(nines * 20) + 1 }, (_, i) => i / 20);
    chart.series.forEach((series, i) => { series.values = chart.x.map((x) => latencyAt(both[i], 1 - 10 ** -x)); });
  };
  const percentileName = (nines) => 'p' + Number((100 - 10 ** (2 - nines)).toFixed(Math.max(0, Math.ceil(nines) - 2) + 1));

  const precise = (ms) => (ms === null ? '–' : ms >= 100 ? number.format(Math.round(ms)) : ms.toFixed(ms >= 10 ? 1 : 2));
  const latencyTable = document.getElementById('latency-table');
  const startLatencies = () => {
    const field = document.getElementById('latency-percentiles');
    const note = document.getElementById('latency-note');
    const usual = field.value;
    const exact = [...latencyTable.tHead.children, ...latencyTable.tBodies[0].children];
    const cell = (tag, text, className, attributes = {}) => {
      const made = document.createElement(tag);
      made.textContent = text;
      if (className !== '') made.className = className;
      for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
      return made;
    };
    const row = (...cells) => {
      const made = document.createElement('tr');
      made.append(...cells);
      return made;
    };
    const figures = (tag, values, attributes) => values.map((value) => cell(tag, value, 'num', attributes));
    const rebuild = () => {
      const wanted = field.value.split(/[\\s,;]+/).filter((text) => text !== '').map(Number).filter((p) => p > 0 && p <= 100);
      const isExact = span === null && field.value.trim() === usual;
      note.value = isExact ? '' : 'Within 2.2 %, of the time shown';
      if (isExact || wanted.length === 0) {
        latencyTable.tHead.replaceChildren(exact[0]);
        latencyTable.tBodies[0].replaceChildren(...exact.slice(1));
        return;
      }
      const names = wanted.map((p) => (p === 100 ? 'max' : 'p' + p));
      const head = (name, className) => cell('th', name, className, { scope: 'col' });
      const both = ['service', 'response'].flatMap((which) => names.map((name) => which + ' ' + name));
      latencyTable.tHead.replaceChildren(row(head('Endpoint', ''), head('Status', ''), head('n', 'num'), ...figures('th', both, { scope: 'col' })));
      latencyTable.tBodies[0].replaceChildren(
        ...data.latencies.flatMap(({ endpoint, response, service, status }) => {
          const [a, b] = [binsShown(service), binsShown(response)];
          const of = (bins) => figures('td', wanted.map((p) => precise(latencyAt(bins, p / 100))));
          return a.total === 0 ? [] : [row(cell('th', endpoint, 'nowrap', { scope: 'row' }), cell('td', status, ''), cell('td', number.format(a.total), 'num'), ...of(a), ...of(b))];
        }),
      );
    };
    field.addEventListener('change', rebuild);
    onSpan.push(rebuild);
    field.closest('[hidden]').hidden = false;
  };
`;
