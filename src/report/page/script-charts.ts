/** Draws a chart with uPlot at its place on the page. */
export const chartScript = /* js */ `
  const font = '12px system-ui, sans-serif';

  /** Piles the stacked series up; the topmost pile comes first, so that each one is drawn over the one below it. */
  const layersOf = (chart) => {
    const sums = new Array(chart.x.length).fill(0);
    const layers = chart.series.map((series, index) => {
      if (series.draw !== 'stack') return { series, index, values: series.values };
      series.values.forEach((value, i) => { sums[i] += value ?? 0; });
      return { series, index, values: sums.slice() };
    });
    return layers.toReversed();
  };

  const seriesOptions = ({ series }) => {
    const colour = colourOf(series.colour);
    if (series.draw === 'stack') {
      return { stroke: colour, fill: colour, width: 0, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } };
    }
    if (series.draw === 'marks') {
      return { stroke: colour, width: 0, paths: () => null, points: { show: true, size: 6, width: 1.5, stroke: colour, fill: colour } };
    }
    return {
      stroke: colour,
      width: series.dashed ? 1.25 : 1.75,
      dash: series.dashed ? [5, 4] : undefined,
      paths: series.draw === 'steps' ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear(),
      points: { show: false },
      spanGaps: false,
    };
  };

  const drawBands = (chart) => (u) => {
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    (chart.bands ?? []).forEach((band, index) => {
      const from = u.valToPos(band.fromS, 'x', true);
      const to = u.valToPos(band.toS, 'x', true);
      ctx.fillStyle = colourOf('band');
      if (index % 2 === 0) ctx.fillRect(from, bbox.top, to - from, bbox.height);
      ctx.fillStyle = colourOf('grid');
      ctx.fillRect(from, bbox.top, ratio, bbox.height);
      ctx.fillRect(to - ratio, bbox.top, ratio, bbox.height);
    });
    ctx.restore();
  };

  /** Names of phases, above everything else; a name that does not fit its span is cut, and left out when too little is left. */
  const drawNames = (chart) => (u) => {
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.font = font.replace('12px', 11.5 * ratio + 'px');
    ctx.textBaseline = 'top';
    ctx.textAlign = 'left';
    ctx.fillStyle = colourOf('quiet');
    let free = bbox.left;
    for (const band of chart.bands ?? []) {
      const from = Math.max(free, u.valToPos(band.fromS, 'x', true));
      const to = Math.min(bbox.left + bbox.width, u.valToPos(band.toS, 'x', true));
      let name = band.name;
      const room = to - from - 10 * ratio;
      while (name.length > 3 && ctx.measureText(name).width > room) name = name.slice(0, name.endsWith('…') ? -2 : -1) + '…';
      const width = ctx.measureText(name).width;
      if (width > room) continue;
      ctx.fillText(name, from + 5 * ratio, bbox.top - 16 * ratio);
      free = from + width + 10 * ratio;
    }
    ctx.restore();
  };

  const limitsOf = (chart) => chart.limits ?? [];

  /** Over piles the line needs a rim in the colour of the panel to stand out; under curves it must hide nothing. */
  const drawLimit = (chart, over) => (u) => {
    if (over !== chart.series.some((series) => series.draw === 'stack')) return;
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height + 2 * devicePixelRatio);
    ctx.clip();
    for (const limit of limitsOf(chart)) for (const [colour, width, dash] of over ? [['panel', 3.25, []], ['limit', 2, [7, 4]]] : [['limit', 2, [7, 4]]]) {
      ctx.strokeStyle = colourOf(colour);
      ctx.lineWidth = width * devicePixelRatio;
      ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
      ctx.beginPath();
      const y = u.valToPos(limit.value, 'y', true);
      ctx.moveTo(limit.from === undefined ? bbox.left : u.valToPos(limit.from, 'x', true), y);
      ctx.lineTo(limit.to === undefined ? bbox.left + bbox.width : u.valToPos(limit.to, 'x', true), y);
      ctx.stroke();
    }
    // Of several levels in one look, each says its value; where steps have names, the legend has it.
    if (limitsOf(chart).length > 1 && chart.labels === undefined) {
      ctx.font = font.replace('12px', 11 * devicePixelRatio + 'px');
      ctx.fillStyle = colourOf('limit');
      for (const { to, value } of limitsOf(chart)) {
        const end = to === undefined ? bbox.left + bbox.width : u.valToPos(to, 'x', true);
        const fits = end + 40 * devicePixelRatio < bbox.left + bbox.width;
        ctx.textAlign = fits ? 'left' : 'right';
        ctx.textBaseline = fits ? 'middle' : 'top';
        ctx.fillText(number.format(value), Math.min(end, bbox.left + bbox.width) + (fits ? 4 : -4) * devicePixelRatio, u.valToPos(value, 'y', true) + (fits ? 0 : 3) * devicePixelRatio);
      }
    }
    ctx.restore();
  };

  /** What the legend says of a series within the part of the run that is shown: a total, a peak or the last value. */
  const summaryIn = (chart, { draw, values }, whole) => {
    if (span === null || whole === '') return whole;
    const own = values.filter((value, i) => value !== null && chart.x[i] >= span.from && chart.x[i] < span.to);
    if (own.length === 0) return '–';
    if (draw === 'marks') return '';
    if (draw === 'steps') return show(own.at(-1)) + ' at the end';
    if (draw === 'line') return 'at most ' + show(Math.max(...own));
    return show(Math.round(own.reduce((sum, value) => sum + value, 0) * (chart.x[1] - chart.x[0])));
  };

  let pointed = null;
  const drawing = (chart) => {
    const height = 230;
    const place = document.getElementById('plot-' + chart.id);
    place.textContent = '';
    const legend = document.getElementById('legend-' + chart.id);
    const overTime = chart.along === undefined && chart.labels === undefined;
    const outputs = [...legend.querySelectorAll('output')].map((output) => ({ output, series: chart.series[Number(output.dataset.series)], summary: output.dataset.summary }));
    const at = document.createElement('li');
    at.className = 'at';
    legend.append(at);
    const layers = layersOf(chart);
    const levels = limitsOf(chart).map((limit) => limit.value);
    const extreme = (of) => layers.reduce((most, layer) => layer.values.reduce((each, value) => of(each, value ?? 0), most), of(0, ...levels));
    const [lowest, highest] = [extreme(Math.min), extreme(Math.max)];
    const log = chart.scale === 'log';
    const onAxis = overTime ? clock : chart.labels !== undefined ? (n) => chart.labels[n] ?? '' : (n) => number.format(n);
    const readout = (u) => {
      const i = u.cursor.idx;
      const off = i === null || i === undefined || u.cursor.left < 0;
      at.textContent = off ? '' : 'at ' + onAxis(chart.x[i]);
      for (const { output, series, summary } of outputs) output.value = off ? summary : show(series.values[i]);
    };
    /** The other charts take part in the drag: the one under the pointer says what was chosen. */
    const selected = (u) => {
      const { left, width } = u.select;
      if (width === 0) return;
      u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      if (place === pointed) setSpan({ from: u.posToVal(left, 'x'), to: u.posToVal(left + width, 'x') });
    };
    place.addEventListener('pointerdown', () => { pointed = place; });
    let plot;
    const draw = () => {
      plot?.destroy();
      const axis = { stroke: colourOf('quiet'), font, grid: { stroke: colourOf('grid'), width: 1 }, ticks: { stroke: colourOf('grid'), width: 1 } };
      const end = chart.x.length > 1 ? chart.x[chart.x.length - 1] + (chart.x[1] - chart.x[0]) : (chart.x[0] ?? 0) + 1;
      plot = new uPlot(
        {
          width: Math.max(120, place.clientWidth),
          height,
          padding: [22, 18, 0, 0],
          legend: { show: false },
          cursor: {
            sync: { key: overTime ? 'run' : chart.id }, y: false, points: { show: false }, drag: { x: true, y: false, setScale: !overTime },
            ...(overTime ? { bind: { dblclick: () => () => setSpan(null) } } : {}),
          },
          scales: {
            x: { time: false, range: (u, min, max) => (overTime && span !== null ? [span.from, span.to] : min === null || min === max ? [0, end] : [min, max]) },
            y: log ? { distr: 3, log: 10, range: (u, min, max) => (min === null ? [0.1, 1_000] : uPlot.rangeLog(Math.min(min, ...levels), Math.max(max, ...levels), 10, true)) } : { range: () => [lowest * 1.08, highest > 0 ? highest * 1.08 : 1] },
          },
          axes: [
            { ...axis, size: 30, values: (u, splits) => splits.map(onAxis), ...(overTime ? { incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400, 172800, 604800] } : {}), space: 56 },
            { ...axis, size: 58, values: (u, splits) => splits.map((value) => (value === null ? '' : log && !/^1(0*|e.*)$/.test(String(value)) && !/^0\\.0*1$/.test(String(value)) ? '' : number.format(value))) },
          ],
          series: [{}, ...layers.map(seriesOptions)],
          hooks: { drawClear: [drawBands(chart), drawLimit(chart, false)], draw: [drawLimit(chart, true), drawNames(chart)], setCursor: [readout], ...(overTime ? { setSelect: [selected] } : {}) },
        },
        [[...chart.x, end], ...layers.map((layer) => [...layer.values, layer.series.draw === 'stack' || layer.series.draw === 'steps' ? layer.values.at(-1) : null])],
        place,
      );
      for (const canvas of place.querySelectorAll('canvas')) canvas.setAttribute('aria-hidden', 'true');
    };
    draw();
    if (overTime) {
      onSpan.push(() => {
        for (const each of outputs) each.summary = summaryIn(chart, each.series, each.output.dataset.summary);
        readout(plot);
        plot.setData(plot.data);
      });
    }
    new ResizeObserver(() => {
      const width = Math.max(120, place.clientWidth);
      if (plot.width !== width) plot.setSize({ width, height });
    }).observe(place);
    return draw;
  };
`;
