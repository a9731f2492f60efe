import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startLive, startSteps } from '../../src/report/live.ts';
import { type ProgressState, renderProgress, renderProgressLine } from '../../src/report/progress.ts';

const state: ProgressState = {
  scenario: 'launch',
  target: 'http://127.0.0.1:40123/v1',
  phase: 'past the limit',
  pace: '1500/min',
  elapsedMs: 83_000,
  totalMs: 186_000,
  planned: 3_398,
  notSent: 1,
  totals: {
    sent: 1_234,
    admitted: 1_100,
    limited: 130,
    overQuota: 0,
    clientErrors: 0,
    serverErrors: 2,
    lost: 2,
  },
  lastSecond: { sent: 25, admitted: 16, limited: 9, overQuota: 0, clientErrors: 0, serverErrors: 0, lost: 0 },
  inFlight: 3,
  sendLagP99Ms: 1.48,
  latencyMs: { p50: 4.09, p99: 20.5 },
};

describe('the progress display', () => {
  it('shows how far the run is, its pace, rates, totals and latencies', () => {
    expect(renderProgress(state, { columns: 80 })).toBe(
      [
        'launch → http://127.0.0.1:40123/v1',
        `${'█'.repeat(18)}${'░'.repeat(24)}   44 %  1:23 of 3:06, about 1:43 left`,
        'past the limit  1500/min',
        '',
        'last second  sent 25     2xx 16     429 9      402 0      lost 0',
        '             p50 4.09 ms  p99 20.5 ms  send lag p99 1.48 ms  in flight 3',
        'so far       sent 1,234  2xx 1,100  429 130    402 0      5xx 2      lost 2',
        '             planned 3,398  not sent 1',
      ].join('\n'),
    );
  });

  it('shows what a step without a pace is at', () => {
    const { pace: _, ...settling } = state;
    const text = renderProgress({ ...settling, stage: 'settling: 42 of 130 reads back' }, { columns: 80 });
    expect(text).toMatch(/\nsettling: 42 of 130 reads back$/);
  });

  it.each([
    [
      'of the limit what is used, and what the headers leave of another limit',
      { limit: { used: 912, limit: 1_000, windowMs: 60_000, said: { remaining: 12, limit: 900 } } },
      ['limit used   ████████████████░░  912 of 1,000 per minute; header: 12 of 900 left'],
    ],
    [
      'a limit that is exceeded as a full bar',
      { limit: { used: 120, limit: 100, windowMs: 6_000 } },
      ['limit used   ████████████████████  120 of 100 per 6 s'],
    ],
    [
      'of the quota what is left',
      { quota: { created: 42, quota: 120 } },
      ['quota left   █████████████░░░░░░░  78 of 120 sessions'],
    ],
    [
      'of a quota that is not promised the sessions',
      { quota: { created: 1 } },
      ['quota left   not promised; 1 session created'],
    ],
    [
      'the kinds of failure that came first, and how many others there are',
      {
        failures: ['a 500', 'b reset', 'c 404', 'd 404'].map((kind) => ({ kind, count: 9, firstMs: 42_000 })),
      },
      [
        'failures     a 500: 9, first at 0:42',
        '             b reset: 9, first at 0:42',
        '             2 more kinds: 18',
      ],
    ],
  ])('shows %s', (_, more, lines) => {
    expect(
      renderProgress({ ...state, ...more }, { columns: 80 })
        .split('\n')
        .slice(8),
    ).toEqual(lines);
  });

  it.each([20, 40, 59, 60, 80, 200])('fits a terminal of %i columns and one screen', (columns) => {
    const long = {
      ...state,
      scenario: 'x'.repeat(300),
      phase: 'y'.repeat(300),
      stage: 'z'.repeat(300),
      limit: { used: 12_345, limit: 1_000_000, windowMs: 3_600_000, said: { remaining: 987_655, limit: 9 } },
      quota: { created: 1, quota: 1_000_000 },
      failures: Array.from({ length: 9 }, () => ({ kind: 'k'.repeat(300), count: 1, firstMs: 0 })),
      alive: Array.from({ length: 9 }, () => 'a'.repeat(300)),
    };
    const lines = renderProgress(long, { columns }).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(Math.min(80, columns));
    expect(lines.length).toBeLessThanOrEqual(24);
  });

  it.each([185_600, 186_000, 190_000])('never says that no time is left (%i ms)', (elapsedMs) => {
    const late = { ...state, elapsedMs };
    expect(renderProgress(late, { columns: 80 })).toContain('of 3:06, time left unknown');
    expect(renderProgressLine(late).time).toMatch(/^3:\d\d \(time left unknown\)$/);
  });

  it('is full at the end, however long the run took', () => {
    const over = { ...state, isOver: true };
    expect(renderProgress(over, { columns: 80 })).toContain(' 100 %  1:23, end');
    expect(renderProgressLine(over).time).toBe('1:23 (end)');
  });

  it('reads as a line in a log', () => {
    expect(renderProgressLine(state)).toEqual({
      time: '1:23 (about 1:43 left)',
      text: 'past the limit, 1500/min: sent 1,234, 2xx 1,100, 429 130, 402 0, 5xx 2, lost 2',
    });
    const failures = [{ kind: 'create-session 500', count: 2, firstMs: 42_000 }];
    expect(renderProgressLine({ ...state, failures }).text).toMatch(
      /, lost 2; failures: create-session 500: 2, first at 0:42$/,
    );
  });
});

function collector(tty: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY: tty, columns: 80, rows: 24 });
  const chunks: string[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  return { stream, written: () => chunks.join('') };
}

describe('steps of a task that takes a while', () => {
  it.each([
    [
      'on a terminal in one line, which is empty in the end',
      true,
      '\rJudging run\u001b[K\rJudging run: Contract\u001b[K\rJudging run: causes\u001b[K\r\u001b[K',
    ],
    ['elsewhere not at all: the task is a line', false, 'Judging run\n'],
  ])('are shown %s', (_, isTerminal, text) => {
    vi.stubEnv('TERM', 'xterm');
    const { stream, written } = collector(isTerminal);
    const { close, step } = startSteps(stream, 'Judging run');
    step('Contract');
    step('causes');
    close();
    vi.unstubAllEnvs();
    expect(written()).toBe(text);
  });
});

describe('the live display', () => {
  it('prints plain lines where there is no terminal: at most one in 5 s, and none without a change', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { stream, written } = collector(false);
      const live = startLive(stream);
      for (let second = 0; second < 31; second++) {
        const sent = second < 7 ? second : 7;
        live.update({ ...state, elapsedMs: second * 1_000, totals: { ...state.totals, sent } });
        vi.advanceTimersByTime(1_000);
      }
      live.update({ ...state, elapsedMs: 31_000, phase: 'recovery' });
      live.update({ ...state, elapsedMs: 32_000, phase: 'settling' });
      live.message('Ctrl-C: draining');
      live.close();
      live.close();
      expect(written()).not.toContain('\u001b');
      expect(
        written()
          .split('\n')
          .map((line) => line.slice(0, 4)),
      ).toEqual(['0:00', '0:05', '0:10', '0:31', 'Ctrl', '0:32', '']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('prints a step that goes on without a terminal when it begins, and then once a minute', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { stream, written } = collector(false);
      const live = startLive(stream);
      const { pace: _, ...waiting } = state;
      for (let second = 0; second < 150; second++) {
        const step = second < 130 ? 'waiting for analytics' : 'reading sessions back';
        const stage = `${step}: ${second} of 150`;
        live.update({ ...waiting, phase: 'settling', elapsedMs: second * 1_000, step, stage });
        vi.advanceTimersByTime(1_000);
      }
      expect(written().match(/^\d:\d\d/gm)).toEqual(['0:00', '1:00', '2:00', '2:10']);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ['a dumb terminal', 'dumb', 24],
    ['a terminal of unknown size', 'xterm', 0],
  ])('prints plain lines on %s, and no control sequence', (_sentence, term, rows) => {
    vi.stubEnv('TERM', term);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { stream, written } = collector(true);
    const live = startLive(Object.assign(stream, { rows }));
    live.update(state);
    live.close();
    expect(written()).not.toContain('\u001b');
    expect(written().trimEnd().split('\n')).toHaveLength(1);
  });

  it('draws at most ten times a second on a terminal, ends with the last state and shows the cursor again', () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    try {
      const { stream, written } = collector(true);
      const live = startLive(stream);
      for (let step = 0; step < 100; step++) {
        live.update({ ...state, totals: { ...state.totals, sent: 10_000 + step } });
        vi.advanceTimersByTime(10);
      }
      const drawn = new Set(written().match(/10,0\d\d/g));
      expect(drawn.size).toBeGreaterThan(5);
      expect(drawn.size).toBeLessThanOrEqual(11);
      live.update({ ...state, totals: { ...state.totals, sent: 77_777 } });
      live.close();
      expect(written()).toContain('77,777');
      expect(written().lastIndexOf('\u001b[?25h')).toBeGreaterThan(written().lastIndexOf('\u001b[?25l'));
      live.update(state);
      live.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it.each(['SIGTERM', 'uncaught error'])(
    'shows the cursor again when the process ends by %s',
    async (end) => {
      const program = `
      const { startLive } = await import(${JSON.stringify(new URL('../../src/report/live.ts', import.meta.url).href)});
      const stream = Object.assign(Object.create(process.stdout), { isTTY: true, columns: 80, rows: 24 });
      startLive(stream).update(${JSON.stringify(state)});
      setInterval(() => {}, 1_000);
      ${end === 'SIGTERM' ? 'process.stdout.write("ready");' : 'setImmediate(() => { throw new Error("boom"); });'}`;
      const child = spawn(process.execPath, ['-C', 'tryon-source', '--input-type=module', '-e', program]);
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (end === 'SIGTERM' && output.includes('ready')) child.kill('SIGTERM');
      });
      const [code, signal] = await once(child, 'close');
      expect(end === 'SIGTERM' ? signal : code).toBe(end === 'SIGTERM' ? 'SIGTERM' : 1);
      expect(output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(output.lastIndexOf('\u001b[?25l'));
    },
  );
});
