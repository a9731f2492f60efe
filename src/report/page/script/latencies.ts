import { binsPerDoubling } from '../../latency-bins.ts';

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
    const figures = (tag, values, attributes) => values.map((value, i) => cell(tag, value, 'num' + (i === 0 ? ' group-start' : ''), attributes));
    const rebuild = () => {
      const wanted = field.value.split(/[\\s,;]+/).filter((text) => text !== '').map(Number).filter((p) => p > 0 && p <= 100);
      const isExact = span === null && field.value.trim() === usual;
      note.value = isExact ? '' : 'Within 2.2 %, of the time shown';
      if (isExact || wanted.length === 0) {
        latencyTable.tHead.replaceChildren(...exact.slice(0, 2));
        latencyTable.tBodies[0].replaceChildren(...exact.slice(2));
        return;
      }
      const names = wanted.map((p) => (p === 100 ? 'max' : 'p' + p));
      const group = (name) => cell('th', name, 'group-start', { scope: 'colgroup', colspan: wanted.length });
      const head = (name, className) => cell('th', name, className, { scope: 'col', rowspan: 2 });
      latencyTable.tHead.replaceChildren(
        row(head('Endpoint', ''), head('Status', ''), head('n', 'num'), group('Service time'), group('Response time')),
        row(...figures('th', names, { scope: 'col' }), ...figures('th', names, { scope: 'col' })),
      );
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
