import { number, seconds } from '../../../amounts.ts';
import type { History } from '../../../history/history.ts';
import { isTranslated } from '../../../target/adapt/map.ts';
import type { CheckGroup, CheckId } from '../../../vocabulary/check-ids.ts';
import type { Credential, Endpoint } from '../../../vocabulary/requests.ts';
import { areaOf, type Cause, isRow, kindOf } from '../../causes/cause.ts';
import type { Burst, Params } from '../../causes/kind.ts';
import { wrongAnswer } from '../../contract/explored/explored.ts';
import { exploredFindings } from '../../contract/explored/findings.ts';
import type { CheckResult } from '../../core/verdict.ts';
import { wrongText } from '../../reasons/contract/explored.ts';
import type { Diagnosed, Diagnosis, Reproduction } from '../diagnosis.ts';
import { burstOf, curlOf, importOf, openingOf, type Sendable, sendableOf, timesOf } from './curl.ts';
import { exploredCommands, exploredSettings } from './explored-calls.ts';
import { folded } from './folded.ts';
import { analyticsOfKnownSessions } from './known-sessions.ts';
import {
  anyOpening,
  channelPathOf,
  openingFor,
  queryOf,
  type RequestRow,
  rowsOf,
  sendable,
  shadesFor,
} from './run-requests.ts';
import { isEmbedded, withSettings } from './shell-settings.ts';

/** An answer is quoted so far. */
const mostBody = 240;
/** The name of a value and the value take about so much of it. */
const mostName = 60;

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
      const lines = [...reproduction.lines, ...comments].flatMap(folded);
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

/** How to show a cause with `curl`; undefined where no request of the run shows it, nor many at once would. */
export async function reproductionOf(
  history: History,
  cause: Cause,
  seqs: readonly number[],
): Promise<Reproduction | undefined> {
  if (onTheRun.includes(areaOf(cause))) return undefined;
  // The commands are those of the interface, which this target does not speak.
  if (isTranslated(history.profile)) return undefined;
  const explored = await exploredReproduction(history, cause);
  if (explored !== undefined) return explored;
  const { burst, timed } = kindOf(cause);
  // Single requests show no limit.
  if (areaOf(cause) === 'rate-limit' && burst === undefined) return undefined;
  const rows = await rowsOf(history, seqs);
  const past = burst?.(cause.params as Params);
  if (past !== undefined) return burstFor(history, past, rows, seqs);
  const fewest = fewestOf(rows).slice(0, timed === undefined ? undefined : 1);
  const [first] = fewest;
  if (first === undefined) return undefined;
  const lines = isEmbedded(history) ? await setUpFor(history, fewest) : [];
  if (timed !== undefined) {
    const request = await sendable(history, first);
    lines.push(
      '# The three longest times, in seconds. What is rare may not come again:',
      timesOf(request, timed(cause.params as Params)),
    );
    lines.push(`# seq ${first.seq} took ${seconds(first.took_ms)}`);
  } else lines.push(...(await oneByOne(history, fewest, valueNameOf(cause))));
  return { lines: withSettings(history, lines), seqs: fewest.map(({ seq }) => seq) };
}

/** The fewest calls of the explorer that show a cause that a row of the model explains. */
async function exploredReproduction(history: History, cause: Cause): Promise<Reproduction | undefined> {
  if (!isRow(cause)) return undefined;
  const { shrunk } = (await exploredFindings(history)) ?? {};
  if (shrunk === undefined) return undefined;
  const { calls, divergence } = shrunk;
  const lines = exploredCommands(calls, history.run.id, channelPathOf(history));
  const { seq: _, ...wrong } = wrongAnswer(divergence);
  return {
    lines: withSettings(history, [...exploredSettings(lines), ...lines, `# In the run: ${wrongText(wrong)}`]),
    seqs: calls.map(({ n }) => n),
  };
}

/** Each request, and what it got in the run. */
async function oneByOne(
  history: History,
  rows: readonly RequestRow[],
  about: string | undefined,
): Promise<string[]> {
  const lines: string[] = [];
  let open = '';
  for (const row of rows) {
    // The queries of a run are about its data, which a new service does not have.
    if (row.endpoint === 'analytics' && isEmbedded(history)) {
      lines.push(
        `# In the run, seq ${row.seq} (${new URLSearchParams(queryOf(row.query))}) got ${gotOf(row, about)}`,
      );
      continue;
    }
    const request = await sendable(history, row);
    const session = row.session_id;
    const opening =
      needsSession(request) && session !== null ? await openingFor(history, session) : undefined;
    if (opening !== undefined && session !== null && session !== open) {
      lines.push(...openingOf(opening));
      open = session;
    }
    lines.push(curlOf(request), `# seq ${row.seq} got ${gotOf(row, about)}`);
  }
  return lines;
}

/** Requests at the same time, past the limit or the quota that is promised. */
async function burstFor(
  history: History,
  { factor, past, pauseMs }: Burst,
  rows: readonly RequestRow[],
  seqs: readonly number[],
): Promise<Reproduction | undefined> {
  const { quota, rate_limit } = history.profile;
  const isQuota = past === 'quota';
  const example = await anyOpening(history, isQuota ? quotaKeyOf(rows) : 'load');
  const promised = isQuota ? quota.sessions : rate_limit.requests;
  if (example === undefined || promised === undefined) return undefined;
  const isFresh = isEmbedded(history);
  const requests = Math.ceil(promised * factor);
  const send = (endpoint: Endpoint, credential: Credential = example.credential): string[] =>
    burstOf(
      sendableOf({ ...example, endpoint, credential, channelPath: channelPathOf(history) }),
      requests,
      pauseMs,
    );
  if (isQuota) {
    const before = `# ${isFresh ? 'The' : 'Use a key whose quota is unspent. The'} catalog has to exist in the account of the key:`;
    const due = `# A correct service answers ${number(promised)} times 2xx, then 402.`;
    const created = ['# Then create the sessions:', ...send('create-session'), due];
    const lines = withSettings(history, [before, importOf(example), ...created]);
    return { lines: isFresh ? lines : lines.map(unspentKey), seqs };
  }
  const before = [
    ...(isFresh ? [importOf(example)] : []),
    `sleep ${Math.ceil(rate_limit.windowMs / 1e3)}  # without requests on this key`,
  ];
  const ofWhat = pauseMs === undefined ? '' : ' in the first and in the last burst';
  const lines =
    past === 'limit'
      ? [
          ...send('list-shades'),
          `# A correct service answers ${number(promised)} times 2xx${ofWhat}, then 429.`,
        ]
      : [
          ...openingOf(example),
          `# Interactions count if fewer than ${number(requests)} get 2xx, and the read after them gets 429:`,
          ...send('interact', 'session'),
          curlOf(sendableOf({ ...example, endpoint: 'list-shades' }), 'status'),
        ];
  return { lines: withSettings(history, [...before, ...lines]), seqs };
}

/** The data that requests need, for a service that was started again: it has none. */
async function setUpFor(history: History, rows: readonly RequestRow[]): Promise<string[]> {
  if (rows.some(({ endpoint }) => endpoint === 'analytics')) {
    return analyticsOfKnownSessions(channelPathOf(history));
  }
  const lines: string[] = [];
  for (const [catalog, credential] of await catalogsOf(history, rows)) {
    const shades = await shadesFor(history, catalog, rows);
    if (shades.length > 0) lines.push(importOf({ catalog_id: catalog, credential }, shades));
  }
  return lines;
}

/** The catalogs of these requests, unless one of them imports into it, and the key of their account. */
async function catalogsOf(
  history: History,
  rows: readonly RequestRow[],
): Promise<ReadonlyMap<string, Credential>> {
  const catalogs = new Map<string, Credential>();
  for (const { catalog_id, credential, endpoint, session_id } of rows) {
    const opening = session_id === null ? undefined : await openingFor(history, session_id);
    const id = opening?.catalog_id ?? catalog_id;
    const key = opening?.credential ?? credential;
    if (id !== null && endpoint !== 'import-shades' && !catalogs.has(id))
      catalogs.set(id, key === 'none' || key === 'bad' ? 'load' : key);
  }
  for (const { catalog_id, endpoint } of rows)
    if (endpoint === 'import-shades' && catalog_id !== null) catalogs.delete(catalog_id);
  return catalogs;
}

/** The key that the quota was exceeded on: the one of most of these requests. */
function quotaKeyOf(rows: readonly RequestRow[]): 'quota' | 'twin' {
  const twins = rows.filter(({ credential }) => credential === 'twin').length;
  return twins > rows.length / 2 ? 'twin' : 'quota';
}

/** The key of the run has spent its quota; one of the same pricing plan shows the same. */
function unspentKey(line: string): string {
  return line.replace(/=… {2}# the (quota|twin) key$/, '=…  # a key of the same pricing plan as the $1 key');
}

/** One request of each sort; the same request twice, where it is in the answers that they differ. */
function fewestOf(rows: readonly RequestRow[]): RequestRow[] {
  const sortOf = ({ credential, endpoint, probe, query }: RequestRow): string =>
    JSON.stringify([endpoint, credential, probe, Object.keys(queryOf(query))]);
  const kept: RequestRow[] = [];
  for (const row of rows) {
    const alike = kept.filter((each) => sortOf(each) === sortOf(row));
    const [first] = alike;
    if (first === undefined || (alike.length === 1 && isRepeat(row, first))) kept.push(row);
  }
  return kept;
}

/** Whether two answers to one query differ, or a session gets the same events again. */
function isRepeat(row: RequestRow, first: RequestRow): boolean {
  return row.endpoint === 'interact'
    ? row.session_id === first.session_id
    : row.query !== null && row.query === first.query;
}

function needsSession({ endpoint, probe }: Sendable): boolean {
  return endpoint === 'interact' || (endpoint === 'read-session' && probe?.includes('unknown') !== true);
}

/** What an answer has to show, if the cause is about one value. */
function valueNameOf({ params }: Cause): string | undefined {
  const { field, sku }: Params = params;
  const name = sku ?? field;
  return typeof name === 'string' ? JSON.stringify(name) : undefined;
}

/** `about`: what has to be in the quoted part of a long answer. */
function gotOf({ body, count, endpoint, lost, status }: RequestRow, about: string | undefined): string {
  if (status === null) return `no answer (${lost ?? 'lost'})`;
  if (body === null && endpoint === 'create-session' && count !== null)
    return `${status} {"shade_count":${count}, …}`;
  if (body === null) return String(status);
  const flat = body.replaceAll(/\s+/g, ' ');
  if (flat.length <= mostBody) return `${status} ${flat}`;
  const place = about === undefined ? -1 : flat.indexOf(about);
  if (place >= mostBody - mostName)
    return `${status} …${flat.slice(Math.max(0, place - 40), place + mostBody - 40)}…`;
  // Not in the middle of a word, if there is another place.
  const begun = flat.slice(0, mostBody);
  const whole = begun.slice(0, Math.max(begun.lastIndexOf(','), begun.lastIndexOf(' ')) + 1);
  return `${status} ${whole || begun}…`;
}
