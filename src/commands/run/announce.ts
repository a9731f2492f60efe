import { createInterface } from 'node:readline/promises';
import { counted, number, span } from '../../amounts.ts';
import type { Budget } from '../../drive/budget.ts';
import type { ShardName } from '../../drive/gather/shards.ts';
import { usageError } from '../../exit.ts';
import { wrap } from '../../report/text.ts';
import { isLoopback } from '../../target/guard.ts';
import { toldAccount } from '../../target/keys.ts';
import type { RunArguments } from '../options.ts';
import { besideMs } from './fit-budget.ts';
import type { Target } from './open-target.ts';
import { type PlannedRun, workersLine } from './plan-run.ts';

/** A text of the most that a run will spend: sessions cannot be deleted, and may cost money. */
export function announcement(
  run: Pick<PlannedRun, 'budget' | 'leftOut' | 'shard' | 'target' | 'workers'> & {
    readonly args: Partial<Pick<RunArguments, 'max-requests' | 'max-sessions' | 'max-minutes' | 'scale'>>;
  },
  waitReadyMs = 0,
): string {
  const { args, budget, leftOut, shard, target, workers } = run;
  const lines = budget.rows.map(
    ({ role, requests, sessions, imports }) =>
      `  ${role === 'pool' ? 'key pool, all' : `key ${role.padEnd(10)}`} up to ${counted(requests, 'request')}, ${counted(sessions, 'new session')}, ${counted(imports, 'import')}`,
  );
  const limits = (['max-requests', 'max-sessions', 'max-minutes'] as const).flatMap((name) =>
    args[name] === undefined ? [] : [counted(args[name], name.slice(4, -1))],
  );
  const { near, unlike } = budget.invalidKeys;
  const threads = workersLine(workers);
  const spendsTwo = budget.rows.filter(
    ({ role, sessions }) => (role === 'quota' || role === 'twin') && sessions > 0,
  );
  const isShared = spendsTwo.length === 2 && toldAccount('twin', target.profile, false) === 'same-account';
  return [
    `Target   ${target.baseUrl.href} (${target.profile.name})`,
    ...labelled(
      'Takes',
      `${durationInWords(budget)}. On each key, at most, without requests that are sent again after a 429, a 5xx or no answer:`,
    ),
    ...lines,
    ...(isShared ? ['  The keys quota and twin belong to one account: their sessions spend one quota.'] : []),
    ...(near + unlike === 0
      ? []
      : labelled(
          '',
          `up to ${counted(near, 'request')} with keys that resemble the load key (cut short, altered, in another case), and ${number(unlike)} with no key or an unknown key. A target that blocks keys after invalid attempts may block these keys`,
        )),
    ...(args.scale === undefined
      ? []
      : labelled(
          'Scale',
          `${args.scale} of the durations, shoppers, calls and study times; rates, windows and quotas are those of the scenario, and no study gets less time than it needs`,
        )),
    ...(target.kind === 'foreign' && target.setClock !== undefined
      ? labelled('Clock', 'moved to other days, as the profile says how (clock), and put right at the end')
      : []),
    ...(target.kind === 'foreign' && waitReadyMs > 0
      ? [`Waits    up to ${span(waitReadyMs)} for the target to be ready`]
      : []),
    ...(args['max-minutes'] === undefined
      ? labelled(
          'Ends',
          `after ${span(Math.ceil(longestMs(budget) / 1e3) * 1e3)} at the latest, done or not (--max-minutes sets another bound)`,
        )
      : []),
    ...(limits.length === 0 ? [] : [`Capped   at ${limits.join(', ')}`]),
    ...(threads === undefined ? [] : [`Workers  ${threads}`]),
    ...(shard === undefined ? [] : labelled('Shard', shardText(shard))),
    ...leftOut.flatMap(({ name, why }) => labelled('Left out', `${name}: ${why}`)),
    '',
  ].join('\n');
}

/** What of the above is this shard's, and that its bounds do not depend on the other shards. */
function shardText({ index, of }: ShardName): string {
  const rest = index === 1 ? ', and all that is not load' : '; shard 1 sends all that is not load';
  return `${index} of ${of}: sends its part of the load${rest}. Connections, requests in flight and caps are divided by ${of}, whatever the other shards use`;
}

/** A label, and a text beside it that fits 80 columns. */
function labelled(label: string, text: string): string[] {
  return wrap(text, 80 - labelWidth).map(
    (line, at) => `${(at === 0 ? label : '').padEnd(labelWidth)}${line}`,
  );
}

const labelWidth = 9;

/** Asks for confirmation if the target is not loopback. Throws a usage error on no. */
export async function confirm(target: Target, yes: boolean): Promise<void> {
  if (yes || isLoopback(target.baseUrl.hostname)) return;
  if (!process.stdin.isTTY)
    throw usageError(`${target.baseUrl.host} is not loopback: add --yes to spend the above there`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question('Go on? [y/N] ');
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw usageError('not started');
}

/** Of Node's timers. */
const longestTimerMs = 2 ** 31 - 1;

/** How long a run takes, as every text says it, to 5 s or half a minute. A study may end long before its time. */
export function durationInWords({ totalMs, studyMs }: Pick<Budget, 'totalMs' | 'studyMs'>): string {
  const [words, round] = studyMs > 0 ? (['up to', Math.ceil] as const) : (['about', Math.round] as const);
  const wholeMs = totalMs + besideMs;
  const seconds = 5 * Math.max(1, round(wholeMs / 5_000));
  const text = seconds < 60 ? counted(seconds, 'second') : counted(round(wholeMs / 30_000) / 2, 'minute');
  return `${words} ${text}`;
}

/** Where no cap on minutes is given, a run ends after this multiple of what it announced, and two minutes. */
const mostOverTime = { factor: 4, ms: 120_000 } as const;

/** The longest that a run without a cap on minutes may take: a target that answers slowly would otherwise hold it for hours. */
export function longestMs({ totalMs }: Pick<Budget, 'totalMs'>): number {
  return Math.min(totalMs * mostOverTime.factor + mostOverTime.ms, longestTimerMs);
}
