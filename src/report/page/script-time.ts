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
