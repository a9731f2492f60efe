import { counted, milliseconds, number } from '../amounts.ts';
import { clock, cut, perWindow, visible } from './text.ts';

/** `clientErrors`: 4xx other than 402 and 429. */
const countNames = [
  'sent',
  'admitted',
  'limited',
  'overQuota',
  'clientErrors',
  'serverErrors',
  'lost',
] as const;
type CountName = (typeof countNames)[number];
/** Requests by how they ended. */
export type ProgressCounts = Readonly<Record<CountName, number>>;

export function eachCount(of: (name: CountName) => number): Record<CountName, number> {
  return Object.fromEntries(countNames.map((name) => [name, of(name)])) as Record<CountName, number>;
}

/** Requests of the load key that were admitted in the trailing window of its limit. */
export interface LimitGauge {
  readonly used: number;
  readonly limit: number;
  readonly windowMs: number;
  /** What the latest rate-limit headers say. */
  readonly said?: { readonly remaining: number; readonly limit?: number | undefined } | undefined;
}

/** Sessions of the quota key's account. */
interface QuotaGauge {
  readonly created: number;
  /** Absent where the profile promises none. */
  readonly quota?: number | undefined;
}

/** A kind of failure: its number, and when its first request was sent. */
export interface FailureLine {
  readonly kind: string;
  readonly count: number;
  readonly firstMs: number;
}

/** Everything that the display of a running run shows. */
export interface ProgressState {
  readonly scenario: string;
  readonly target: string;
  /** The phase or step that is under way. */
  readonly phase: string;
  /** Its pace in the scenario's words, `900/min`; absent for steps without one. */
  readonly pace?: string | undefined;
  /** The step of set-up, study or settling that is under way. */
  readonly step?: string | undefined;
  /** The state of that step: `reading sessions back: 42 of 130`. */
  readonly stage?: string | undefined;
  /** Of a study: what is still possible, with its likelihood. */
  readonly alive?: readonly string[] | undefined;
  readonly elapsedMs: number;
  /** How long the whole run was estimated to take. */
  readonly totalMs: number;
  /** Set in the last state. */
  readonly isOver?: boolean;
  readonly planned: number;
  readonly notSent: number;
  readonly totals: ProgressCounts;
  readonly lastSecond: ProgressCounts;
  readonly limit?: LimitGauge | undefined;
  readonly quota?: QuotaGauge | undefined;
  /** In the order in which they first came. */
  readonly failures?: readonly FailureLine[];
  readonly inFlight: number;
  /** Of the last second; absent while nothing was sent or answered in it. */
  readonly sendLagP99Ms?: number | undefined;
  readonly latencyMs?: { readonly p50: number; readonly p99: number } | undefined;
}

interface ProgressOptions {
  readonly columns: number;
}

/** What fits a small terminal. Only a narrow one needs more. */
const mostLines = 24;

/** The live display: one screen, at most 80 columns. */
export function renderProgress(state: ProgressState, options: ProgressOptions): string {
  const columns = Math.max(20, Math.min(80, options.columns));
  const pace = state.pace === undefined ? '' : `  ${visible(state.pace)}`;
  return [
    cut(`${visible(state.scenario)} → ${visible(state.target)}`, columns),
    progressLine(state, columns),
    cut(`${visible(state.phase)}${pace}`, columns),
    '',
    ...flow('last second', countCells(state.lastSecond), columns),
    ...flow('', latencyCells(state), columns),
    ...flow('so far', countCells(state.totals), columns),
    ...flow(
      '',
      [
        ['planned', number(state.planned)],
        ['not sent', number(state.notSent)],
      ],
      columns,
    ),
    ...gaugeLines(state, columns),
    ...failureLines(state, columns),
    ...(state.stage === undefined ? [] : ['', cut(visible(state.stage), columns)]),
    ...aliveLines(state, columns),
  ]
    .slice(0, mostLines)
    .join('\n');
}

/** The longest bar of a gauge. */
const mostBar = 20;

function gaugeLines({ limit, quota }: ProgressState, columns: number): string[] {
  const lines: string[] = [];
  if (limit !== undefined) {
    const { said, used } = limit;
    const of = said?.limit === undefined || said.limit === limit.limit ? '' : ` of ${number(said.limit)}`;
    const header = said === undefined ? '' : `; header: ${number(said.remaining)}${of} left`;
    const text = `${number(used)} of ${perWindow(limit.limit, limit.windowMs)}${header}`;
    lines.push(gauge('limit used', used / limit.limit, text, columns));
  }
  if (quota !== undefined) {
    const { created, quota: most } = quota;
    lines.push(
      most === undefined
        ? cut(
            `${'quota left'.padEnd(labelWidth)}not promised; ${counted(created, 'session')} created`,
            columns,
          )
        : gauge(
            'quota left',
            1 - created / most,
            `${number(most - created)} of ${counted(most, 'session')}`,
            columns,
          ),
    );
  }
  return lines;
}

function gauge(label: string, share: number, text: string, columns: number): string {
  const width = Math.min(mostBar, columns - labelWidth - 2 - text.length);
  const drawn = width < 5 ? '' : `${bar(share, width)}  `;
  return cut(`${label.padEnd(labelWidth)}${drawn}${text}`, columns);
}

/** Lines of failures; the first kinds have one each. */
const mostFailureLines = 3;

function failureLines({ failures = [] }: ProgressState, columns: number): string[] {
  const most = failures.length > mostFailureLines ? mostFailureLines - 1 : mostFailureLines;
  const others = failures.slice(most);
  const rest = others.reduce((sum, { count }) => sum + count, 0);
  return [
    ...failures.slice(0, most).map(failureText),
    ...(others.length === 0 ? [] : [`${counted(others.length, 'more kind')}: ${number(rest)}`]),
  ].map((text, place) => cut(`${(place === 0 ? 'failures' : '').padEnd(labelWidth)}${text}`, columns));
}

function failureText({ count, firstMs, kind }: FailureLine): string {
  return `${visible(kind)}: ${number(count)}, first at ${clock(firstMs)}`;
}

/** The likeliest, and how many more there are. */
const mostAlive = 5;

function aliveLines({ alive = [] }: ProgressState, columns: number): string[] {
  if (alive.length === 0) return [];
  const more = alive.length - mostAlive;
  const shown = [...alive.slice(0, mostAlive), ...(more > 0 ? [`and ${number(more)} more`] : [])];
  return ['still possible:', ...shown.map((each) => cut(`  ${visible(each)}`, columns))];
}

/** The same in a line, for a log: the time, and what can change. */
export function renderProgressLine(state: ProgressState): { readonly time: string; readonly text: string } {
  const pace = state.pace === undefined ? '' : `, ${visible(state.pace)}`;
  const cells = countCells(state.totals).map(([name, value]) => `${name} ${value}`);
  const stage = state.stage === undefined || state.isOver ? '' : `; ${visible(state.stage)}`;
  const { failures = [] } = state;
  const failed = failures.length === 0 ? '' : `; failures: ${failures.map(failureText).join('; ')}`;
  return {
    time: `${clock(state.elapsedMs)} (${timeLeft(state)})`,
    text: `${visible(state.phase)}${pace}: ${cells.join(', ')}${failed}${stage}`,
  };
}

/** `████░░░░  45 %  1:23 of 3:06, 1:43 left`. */
function progressLine(state: ProgressState, columns: number): string {
  const { elapsedMs, isOver, totalMs } = state;
  const share = isOver ? 1 : totalMs > 0 ? Math.min(1, Math.max(0, elapsedMs / totalMs)) : 0;
  const times = isOver ? clock(elapsedMs) : `${clock(elapsedMs)} of ${clock(totalMs)}`;
  const words = `${String(Math.floor(share * 100)).padStart(3)} %  ${times}, ${timeLeft(state)}`;
  const width = columns - words.length - 2;
  if (width < 5) return cut(words.trim(), columns);
  return `${bar(share, width)}  ${words}`;
}

function bar(share: number, width: number): string {
  const full = Math.min(width, Math.max(0, Math.floor(share * width)));
  return `${'█'.repeat(full)}${'░'.repeat(width - full)}`;
}

function timeLeft({ elapsedMs, isOver, totalMs }: ProgressState): string {
  if (isOver) return 'end';
  const leftMs = totalMs - elapsedMs;
  // Half a second reads as 0:00.
  return leftMs >= 500 ? `about ${clock(leftMs)} left` : 'time left unknown';
}

/** Room for a label on its left, such as `last second`. */
const labelWidth = 13;

type NamedValue = readonly [name: string, value: string];

/** Ends that every run watches are always there; the rarer ones only once they came. */
function countCells(counts: ProgressCounts): NamedValue[] {
  const rare = (name: string, value: number): NamedValue[] => (value > 0 ? [[name, number(value)]] : []);
  return [
    ['sent', number(counts.sent)],
    ['2xx', number(counts.admitted)],
    ['429', number(counts.limited)],
    ['402', number(counts.overQuota)],
    ...rare('4xx', counts.clientErrors),
    ...rare('5xx', counts.serverErrors),
    ['lost', number(counts.lost)],
  ];
}

function latencyCells({ latencyMs, sendLagP99Ms, inFlight }: ProgressState): NamedValue[] {
  const measured = (value: number | undefined): string =>
    value === undefined ? '–' : `${milliseconds(value)} ms`;
  return [
    ['p50', measured(latencyMs?.p50)],
    ['p99', measured(latencyMs?.p99)],
    ['send lag p99', measured(sendLagP99Ms)],
    ['in flight', number(inFlight)],
  ];
}

/** Cells after a label, as many to a line as fit. Values have a least width, so that they stand still while they change. */
function flow(label: string, cells: readonly NamedValue[], columns: number): string[] {
  const indent = columns >= 60 ? labelWidth : 2;
  const lines: string[] = [];
  let line = '';
  for (const [name, value] of cells) {
    const cell = `${name} ${value}`.padEnd(name.length + 6);
    if (line !== '' && indent + line.length + 2 + cell.trimEnd().length > columns) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? cell : `${line}  ${cell}`;
  }
  lines.push(line);
  const head = (index: number): string => (index === 0 && indent > 2 ? label : '').padEnd(indent);
  const body = lines.map((text, index) => cut(`${head(index)}${text}`.trimEnd(), columns));
  return indent > 2 || label === '' ? body : [label, ...body];
}
