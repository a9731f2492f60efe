import type { WriteStream } from 'node:tty';
import { createLogUpdate } from 'log-update';
import { type ProgressState, renderProgress, renderProgressLine } from './progress.ts';
import { cut } from './text.ts';

/** Least time between two drawings on a terminal: 10 a second. */
const drawEveryMs = 100;
/** Least time between two lines where there is no terminal. */
const lineEveryMs = 5_000;
/** The same while one step goes on that has no pace: most of it is waiting. */
const sameStepEveryMs = 60_000;

/** The display of a running run. */
interface Live {
  /** Passes on the latest state; drawn at once or a moment later. */
  update(state: ProgressState): void;
  /** Prints a line that stays. */
  message(text: string): void;
  /** Draws the last state, leaves it standing and gives the terminal back. Nothing is drawn after that. */
  close(): void;
}

/** A stream to draw on. */
type LiveStream = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>>;

/** Draws on a terminal in place; anywhere else (a log, a pipe, a terminal that moves no cursor) prints a plain line when something changed. */
export function startLive(stream: LiveStream): Live {
  return canMoveCursor(stream) ? drawOnTerminal(stream) : printLines(stream);
}

/** A pseudo-terminal of unknown size has no rows. */
function canMoveCursor({ isTTY, rows }: LiveStream): boolean {
  return isTTY === true && rows !== 0 && process.env.TERM !== 'dumb';
}

/** Steps of one task that takes a while. */
interface TaskSteps {
  /** Shows the step before it begins: it may hold up this thread. */
  readonly step: (name: string) => void;
  /** Leaves nothing on a terminal. */
  readonly close: () => void;
}

/** Shows the step that is under way in one line of a terminal; elsewhere prints the task alone, once. */
export function startSteps(stream: LiveStream, task: string): TaskSteps {
  if (!canMoveCursor(stream)) {
    stream.write(`${task}\n`);
    return { step: () => {}, close: () => {} };
  }
  const show = (text: string): void => {
    stream.write(`\r${cut(text, (stream.columns ?? 80) - 1)}\u001b[K`);
  };
  show(task);
  return { step: (name) => show(`${task}: ${name}`), close: () => show('') };
}

function drawOnTerminal(stream: LiveStream): Live {
  const log = createLogUpdate(stream, { showCursor: true });
  const showCursor = hideCursor(stream);
  let latest: ProgressState | undefined;
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    drawnAtMs = performance.now();
    if (latest !== undefined) log(renderProgress(latest, { columns: (stream.columns ?? 80) - 1 }));
  };
  return {
    update: (state) => {
      if (closed) return;
      latest = state;
      const waitMs = drawnAtMs + drawEveryMs - performance.now();
      if (waitMs <= 0) draw();
      else timer ??= setTimeout(draw, waitMs).unref();
    },
    message: (text) => {
      if (closed) stream.write(`${text}\n`);
      else log.persist(text);
    },
    close: () => {
      if (closed) return;
      draw();
      closed = true;
      log.done();
      showCursor();
    },
  };
}

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Hides the cursor until the returned function is called, or the process ends in any way it can notice. */
function hideCursor(stream: LiveStream): () => void {
  const show = (): void => {
    stream.write('\u001b[?25h');
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    show();
    // A listener keeps the signal from ending the process. If it is the only one, the process must still end.
    if (process.listenerCount(signal) > 1) return;
    process.off(signal, onSignal);
    process.kill(process.pid, signal);
  };
  stream.write('\u001b[?25l');
  process.on('exit', show);
  for (const signal of endings) process.on(signal, onSignal);
  return () => {
    process.off('exit', show);
    for (const signal of endings) process.off(signal, onSignal);
    show();
  };
}

function printLines(stream: LiveStream): Live {
  let latest: ProgressState | undefined;
  let printed = '';
  let printedStep: string | undefined;
  let printedAtMs = Number.NEGATIVE_INFINITY;
  let closed = false;
  const printChange = (state: ProgressState): void => {
    const { text, time } = renderProgressLine(state);
    if (text === printed) return;
    printed = text;
    printedStep = stepOf(state);
    printedAtMs = performance.now();
    stream.write(`${time} ${text}\n`);
  };
  return {
    update: (state) => {
      if (closed) return;
      latest = state;
      const isSameStep = state.pace === undefined && stepOf(state) === printedStep;
      const everyMs = isSameStep ? sameStepEveryMs : lineEveryMs;
      if (performance.now() - printedAtMs >= everyMs) printChange(state);
    },
    message: (text) => {
      stream.write(`${text}\n`);
    },
    close: () => {
      if (closed) return;
      closed = true;
      if (latest !== undefined) printChange(latest);
    },
  };
}

function stepOf({ phase, step = '' }: ProgressState): string {
  return `${phase}: ${step}`;
}
