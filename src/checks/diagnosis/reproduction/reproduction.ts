import { z } from 'zod';
import { number } from '../../../amounts.ts';
import { ownText } from '../../../history/columns.ts';
import type { History } from '../../../history/history.ts';
import { isTranslated } from '../../../target/adapt/map.ts';
import { usualPath } from '../../../target/profile.ts';
import type { CheckGroup, CheckId } from '../../../vocabulary/check-ids.ts';
import { roles } from '../../../vocabulary/roles.ts';
import { areaOf, type Cause, isRow, keyOf as keyOfCause, kindOf } from '../../causes/cause.ts';
import type { Burst, Params } from '../../causes/kind.ts';
import { suspectsOf, wrongAnswer } from '../../contract/explored/explored.ts';
import { exploredFindings } from '../../contract/explored/findings.ts';
import type { CheckResult } from '../../core/verdict.ts';
import { wrongText } from '../../reasons/contract/explored.ts';
import type { Diagnosed, Diagnosis, Reproduction } from '../diagnosis.ts';
import {
  bearer,
  burstOf,
  importOf,
  interactRequest,
  isEmbedded,
  keyOf,
  type NeededSession,
  openingOf,
  sessionRequest,
  shadesRequest,
  statusOf,
  url,
  withSettings,
} from './curl.ts';
import { exploredCommands, exploredSettings } from './explored-calls.ts';

/** An answer is quoted so far. */
const mostBody = 240;
/** What comes before a value in a long answer is quoted so far. */
const before = 40;

/** Causes that get a reproduction: more would not be read. */
const mostReproduced = 5;

/** A diagnosis whose first causes say how to see them, and what was expected: the property of the first check that fails. */
export async function withReproductions(
  history: History,
  diagnosis: Diagnosis,
  results: readonly Pick<CheckResult, 'id' | 'title'>[],
): Promise<Diagnosis> {
  const titles = new Map(results.map(({ id, title }) => [id, title]));
  const causes: Diagnosed[] = [];
  for (const [place, each] of diagnosis.causes.entries()) {
    const reproduction =
      place < mostReproduced ? await reproductionOf(history, each.cause, each.seqs) : undefined;
    const title = titles.get(each.checks[0] as CheckId);
    if (reproduction === undefined || title === undefined) causes.push(each);
    else {
      const due = [`# Expected: ${title}.`, ...valueLines(each.cause), `# Got: ${each.text}`];
      // A comment has one line, whatever a target's names hold.
      const comments = due.map((line) => line.replaceAll(/[\s\p{Cc}]+/gu, ' '));
      const lines = [...reproduction.lines, ...comments];
      causes.push({ ...each, reproduction: { ...reproduction, lines } });
    }
  }
  return { ...diagnosis, causes };
}

/** Parameters of causes that say what came, where `expected` or `promised` says what is due. */
const came = ['got', 'counted', 'returned', 'said', 'found'] as const;

/** `# Expected for SKU-1: 10. Got 12.`, where the cause is about one value. */
function valueLines({ params }: Cause): string[] {
  const { expected, field, promised, sku, ...others }: Params = params;
  const due = expected ?? promised;
  const got = came.map((name) => others[name]).find((value) => value !== undefined);
  const of = sku ?? field;
  return due === undefined || got === undefined
    ? []
    : [`# Expected${of === undefined ? '' : ` for ${String(of)}`}: ${String(due)}. Got ${String(got)}.`];
}

/** Groups of checks on the run itself: no request to the target shows their causes. */
const onTheRun: readonly CheckGroup[] = ['books', 'generator', 'history'];

/**
 * How to show a cause with `curl`, with what is expected and what came; undefined where no few requests show both, such as
 * those of a fault that takes the traffic of a run: `tryon reproduce` sends that again.
 */
export async function reproductionOf(
  history: History,
  cause: Cause,
  seqs: readonly number[],
): Promise<Reproduction | undefined> {
  // The commands are those of the interface, which such a target does not speak.
  if (onTheRun.includes(areaOf(cause)) || isTranslated(history.profile)) return undefined;
  if (isRow(cause)) return exploredReproduction(history, cause);
  const burst = kindOf(cause).burst?.(cause.params as Params);
  return burst === undefined ? valueReproduction(history, cause, seqs) : burstFor(history, burst, seqs);
}

/** The fewest calls of the explorer that show the row of the model that explains most. */
async function exploredReproduction(history: History, cause: Cause): Promise<Reproduction | undefined> {
  const findings = await exploredFindings(history);
  const [first] = findings === undefined ? [] : suspectsOf(findings);
  if (findings?.shrunk === undefined || first === undefined) return undefined;
  if (keyOfCause(first.cause) !== keyOfCause(cause)) return undefined;
  const { calls, divergence } = findings.shrunk;
  const lines = exploredCommands(calls, history.run.id, channelPathOf(history));
  const { seq: _, ...wrong } = wrongAnswer(divergence);
  return {
    lines: withSettings(history, [...exploredSettings(lines), ...lines, `# In the run: ${wrongText(wrong)}`]),
    seqs: calls.map(({ n }) => n),
  };
}

const analyticsRow = z.object({
  seq: z.coerce.number(),
  status: z.number(),
  query: z.string(),
  body: z.string(),
});

/** The query of analytics whose answer has the wrong value. A service that was started again has no data to show it. */
async function valueReproduction(
  history: History,
  cause: Cause,
  seqs: readonly number[],
): Promise<Reproduction | undefined> {
  if (seqs.length === 0 || isEmbedded(history) || valueLines(cause).length === 0) return undefined;
  const [row] = await history.rows(
    analyticsRow,
    `SELECT seq, r.status, a.query::VARCHAR AS query, a.body::VARCHAR AS body FROM requests r JOIN answers a USING (seq)
     WHERE seq IN (${seqs.join(', ')}) AND r.endpoint = 'analytics' AND r.credential = 'load' AND status IS NOT NULL ORDER BY seq LIMIT 1`,
  );
  if (row === undefined) return undefined;
  const query = new URLSearchParams(JSON.parse(row.query) as Record<string, string>);
  const { field, sku }: Params = cause.params;
  const name = JSON.stringify(sku ?? field ?? 'total_sessions');
  const flat = row.body.replaceAll(/\s+/g, ' ');
  const from = flat.length > mostBody ? Math.max(0, flat.indexOf(name) - before) : 0;
  const quoted = `${from > 0 ? '…' : ''}${flat.slice(from, from + mostBody)}${flat.length > from + mostBody ? '…' : ''}`;
  const lines = [
    `curl -sS -i ${bearer(keyOf.load)} ${url(`/analytics/sessions?${query}`)}`,
    `# seq ${row.seq} got ${row.status} ${quoted}`,
  ];
  return { lines: withSettings(history, lines), seqs: [row.seq] };
}

/** Requests at the same time, past the limit or the quota that is promised. */
async function burstFor(
  history: History,
  { factor, past, pauseMs }: Burst,
  seqs: readonly number[],
): Promise<Reproduction | undefined> {
  const { quota, rate_limit } = history.profile;
  const isQuota = past === 'quota';
  const session = await anyOpening(history, isQuota ? ['quota', 'twin'] : ['load'], seqs);
  const promised = isQuota ? quota.sessions : rate_limit.requests;
  if (session === undefined || promised === undefined) return undefined;
  const isFresh = isEmbedded(history);
  const requests = Math.ceil(promised * factor);
  const due = `# A correct service answers ${number(promised)} times 2xx`;
  if (isQuota) {
    const lines = withSettings(history, [
      `# ${isFresh ? 'The' : 'Use a key whose quota is unspent. The'} catalog has to exist in the account of the key:`,
      importOf(session),
      '# Then create the sessions:',
      ...burstOf(sessionRequest(session), requests, pauseMs),
      `${due}, then 402.`,
    ]);
    return { lines: isFresh ? lines : lines.map(unspentKey), seqs };
  }
  const lines =
    past === 'limit'
      ? [
          ...burstOf(shadesRequest(session), requests, pauseMs),
          `${due}${pauseMs === undefined ? '' : ' in the first and in the last burst'}, then 429.`,
        ]
      : [
          ...openingOf(session),
          `# Interactions count if fewer than ${number(requests)} get 2xx, and the read after them gets 429:`,
          ...burstOf(interactRequest(channelPathOf(history)), requests, pauseMs),
          statusOf(shadesRequest(session)),
        ];
  const wait = `sleep ${Math.ceil(rate_limit.windowMs / 1e3)}  # without requests on this key`;
  return { lines: withSettings(history, [...(isFresh ? [importOf(session)] : []), wait, ...lines]), seqs };
}

/** The key of the run has spent its quota; one of the same pricing plan shows the same. */
function unspentKey(line: string): string {
  return line.replace(/=… {2}# the (quota|twin) key$/, '=…  # a key of the same pricing plan as the $1 key');
}

/** Where interactions go; the usual path where the profile leaves it open. */
function channelPathOf({ profile: { channel } }: History): string {
  return typeof channel === 'string' || channel.path === 'discover' ? usualPath : channel.path;
}

const openingRow = z.object({
  credential: z.enum(roles),
  product_id: z.string(),
  catalog_id: z.string(),
  locale: z.string(),
});

/** A session that can be opened again: one that the target granted, with the key of most of these requests, and no probe if possible. */
async function anyOpening(
  history: History,
  keys: readonly string[],
  seqs: readonly number[],
): Promise<NeededSession | undefined> {
  const [opening] = await history.rows(
    openingRow,
    `SELECT credential, product_id, catalog_id, locale FROM requests o
     WHERE endpoint = 'create-session' AND credential IN (${keys.map(ownText).join(', ')})
       AND product_id IS NOT NULL AND catalog_id IS NOT NULL AND locale IS NOT NULL
     ORDER BY (SELECT count(*) FROM requests s WHERE s.credential = o.credential AND seq IN (${[0, ...seqs].join(', ')})) DESC,
       session_id IS NULL, probe IS NOT NULL, seq LIMIT 1`,
  );
  return opening;
}
