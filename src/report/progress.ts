import { milliseconds, number } from '../amounts.ts';
import { clock } from './format.ts';
import { cut, visible } from './text.ts';

/** Requests by how they ended. */
export interface ProgressCounts {
  readonly sent: number;
  readonly admitted: number;
  readonly limited: number;
  readonly overQuota: number;
  /** 4xx other than 402 and 429. */
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly lost: number;
}

/** Everything that the display of a running run shows. */
export interface ProgressState {
  readonly scenario: string;
  readonly target: string;
  /** The phase or step that is under way. */
  readonly phase: string;
  /** Its pace in the scenario's words, `900/min`; absent for steps without one. */
  readonly pace?: string;
  /** The step of set-up, study or settling that is under way. */
  readonly step?: string;
  /** The state of that step: `reading sessions back: 42 of 130`. */
  readonly stage?: string;
  /** Of a study: what is still possible, with its likelihood. */
  readonly alive?: readonly string[];
  readonly elapsedMs: number;
  /** How long the whole run was estimated to take. */
  readonly totalMs: number;
  /** Set in the last state. */
  readonly isOver?: boolean;
  readonly planned: number;
  readonly notSent: number;
  readonly totals: ProgressCounts;
  readonly lastSecond: ProgressCounts;
  readonly inFlight: number;
  /** Of the last second; absent while nothing was sent or answered in it. */
  readonly sendLagP99Ms?: number;
  readonly latencyMs?: { readonly p50: number; readonly p99: number };
}

export interface ProgressOptions {
  readonly columns: number;
}

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
    ...(state.stage === undefined ? [] : ['', cut(visible(state.stage), columns)]),
    ...aliveLines(state, columns),
  ].join('\n');
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
  return {
    time: `${clock(state.elapsedMs)} (${timeLeft(state)})`,
    text: `${visible(state.phase)}${pace}: ${cells.join(', ')}${stage}`,
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
  const full = Math.floor(share * width);
  return `${'█'.repeat(full)}${'░'.repeat(width - full)}  ${words}`;
}

function timeLeft({ elapsedMs, isOver, totalMs }: ProgressState): string {
  if (isOver) return 'end';
  const leftMs = totalMs - elapsedMs;
  // Half a second reads as 0:00.
  return leftMs >= 500 ? `about ${clock(leftMs)} left` : 'time left unknown';
}

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
  const indent = columns >= 60 ? 13 : 2;
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
