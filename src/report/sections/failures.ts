import { number } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { instant, utcMs } from '../format.ts';
import { type Content, foreign, type Html, html } from '../markup.ts';
import { table } from '../section.ts';
import { failures } from '../tables.ts';

const meanings: Readonly<Record<string, string>> = {
  'no-session': 'its session was rejected or never answered',
  patience: 'the shopper had left, since answers were slow',
  'in-flight-bound': 'as many requests were in flight as the profile allows',
  'no-connection': 'the target took no connection',
  'no-address': 'the name of the target was not resolved, or not in time',
  'no-socket': 'this machine had no port or file descriptor left for a connection',
  'no-channel': 'the target has no interaction channel',
  'bad-header': 'no header can carry a value that it needs, such as the token of the session',
  'no-key': 'no key was given for the role',
  stopped: 'the run ended first',
  timeout: 'no answer within the profile’s time-outs',
  reset: 'the connection broke before the answer was complete',
  'closed-idle':
    'the target closed the idle connection as the request was sent; it may have read the request',
  protocol: 'the answer was not HTTP',
  'too-long': 'the head of the answer was over 64 KiB, or its body over 64 MiB',
  'no-room': 'the bodies under way filled the memory that tryon gives them',
};

/** Each kind of failure, with the times of its first and last request. */
export async function failureTable(history: History): Promise<Html> {
  const rows = await failures(history);
  if (rows.length === 0)
    return html`<p>Every request was sent, and every request but probes got a 2xx answer.</p>`;
  const at = (ns: number): Content =>
    html`${instant(ns)}<br><span class="none">${utcMs(history.run.zero_epoch_ms + ns / 1e6)} UTC</span>`;
  return table(
    'Answers other than 2xx (without probes), requests without an answer, and requests not sent',
    rows,
    [
      [
        'Kind',
        ({ kind, what }) =>
          html`${kind !== 'answer' && `${kind}: `}${foreign(what)}${meanings[what] !== undefined && html` <span class="none">${meanings[what]}</span>`}`,
      ],
      ['Endpoint', ({ endpoint }) => endpoint],
      ['Requests', ({ n }) => number(n), 'number'],
      ['First', ({ first_ns }) => at(first_ns), 'number'],
      ['Last', ({ last_ns }) => at(last_ns), 'number'],
    ],
    ({ first_ns, last_ns }) => ({ fromNs: first_ns, toNs: last_ns }),
  );
}
