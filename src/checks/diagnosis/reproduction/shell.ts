import type { History } from '../../../history/history.ts';
import { roles } from '../../../vocabulary/roles.ts';
import { keyOf } from './curl.ts';

/** Lines of a shell that are longer than this go on in the next one. */
const mostColumns = 80;

/** Where a command may go on in the next line, if it is not quoted there. */
const breakable = /^ (?:-[HdIow] |--parallel-imm|"\$BASE_URL|\| )/;

/** One line of a shell as lines of at most 80 columns, as far as words and quotes allow. */
export function folded(line: string): string[] {
  // A command that a comment shows is to be copied.
  if (line.length <= mostColumns || line.startsWith('# npx ')) return [line];
  return line.startsWith('# ')
    ? filled(line.slice(2).split(/(?<=[ ,])/), '# ', '#   ', '')
    : filled(partsOf(line), '', '  ', ' \\');
}

/** As many pieces to a line as fit. `end`: of every line but the last. */
function filled(pieces: readonly string[], first: string, others: string, end: string): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const piece of pieces) {
    if (!isEmpty && (line + piece.trimEnd() + end).length > mostColumns) {
      lines.push(`${line.trimEnd()}${end}`);
      line = others + piece.trimStart();
    } else line += piece;
    isEmpty = false;
  }
  return [...lines, line.trimEnd()];
}

/** A command cut where it may be broken: before options, the URL and pipes, outside quotes. */
function partsOf(command: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let quote = '';
  for (let at = 0; at < command.length; at++) {
    const character = command[at] as string;
    if (character === '\\' && quote !== "'") at++;
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
    else if (quote === '' && at > from && breakable.test(command.slice(at, at + 16))) {
      parts.push(command.slice(from, at));
      from = at;
    }
  }
  return [...parts, command.slice(from)];
}

/** Where the embedded service is started again. */
const servedPort = 8080;

/** Commands after what they need: the service, its address, and the keys that they name. */
export function withSettings(history: History, lines: readonly string[]): string[] {
  const variables = [...new Set(lines.flatMap((line) => line.match(/\$(?:[A-Z]+_)?KEY\b/g) ?? []))];
  return [
    ...servedAgain(history),
    `BASE_URL=${history.run.target.kind === 'foreign' ? history.run.target.base_url : `http://127.0.0.1:${servedPort}/v1`}`,
    ...variables.map((name) => `${name.slice(1)}=…  # ${meaningOf(name)}`),
    ...lines,
  ];
}

/** How to start the embedded service again, which ended with its run. An older run does not say what was planted. */
function servedAgain({ profile, run: { planted, target } }: History): string[] {
  if (target.kind === 'foreign') return [];
  const { quota, rate_limit } = profile;
  const options = [
    `--port ${servedPort}`,
    ...(planted?.defects ?? []).map((id) => `--defect ${id}`),
    ...(planted?.variants ?? []).map((name) => `--variant ${name}`),
    `--rate-limit ${rate_limit.requests}/${rate_limit.windowMs / 1e3}s`,
    ...(quota.sessions === undefined ? [] : [`--plan quota=${quota.sessions}`]),
  ];
  return [
    `# The embedded service ended with the run. Start it again in another terminal${planted === undefined ? ', with the --defect of the run, if any' : ''}:`,
    `# npx tryon serve ${options.join(' ')}`,
    '# It prints its keys: use them below. It has none of the data of the run.',
  ];
}

function meaningOf(variable: string): string {
  return `the ${roles.find((role) => keyOf[role] === variable) ?? ''} key`;
}

/** Whether the service ended with the run, so that it has to be started again and has no data. */
export function isEmbedded({ run }: History): boolean {
  return run.target.kind !== 'foreign';
}
