import { span } from '../../amounts.ts';
import { targetError, usageError } from '../../exit.ts';
import type { CallCredential } from '../../model/call.ts';
import type { CornerCatalog } from '../../scenario/catalog/unusual-shades.ts';
import * as calls from '../../target/calls.ts';
import { noAnswerText } from '../../target/problems.ts';
import { type Channel, isChannelOpen, possibleChannels } from '../../target/profile.ts';
import { latestEndDate, setupPhases } from '../../vocabulary/phases.ts';
import { type ProbeStep, sendsStep } from '../../vocabulary/probes.ts';
import { boundedEndpoints } from '../../vocabulary/requests.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { SessionGrant } from '../../wire.ts';
import { isStarting, type Question, type Reply } from '../ask/ask.ts';
import { plainSession } from '../ask/sample.ts';
import { epochMs } from '../clock/clock.ts';
import { type DateFormat, type DayRange, dayQuery } from '../clock/days.ts';
import {
  batchLimit,
  importCorners,
  largeCatalog,
  listed,
  modelled,
  probeLargeList,
  type SetupRun,
  untilListed,
  usesCorners,
} from './lists.ts';

/** How long after one another a session is read again that is not found. */
const laterReadsMs = [500, 1_500, 4_000];
/** A session that set-up opens, and reads over two connections. */
export const setupSessions = 1;
export const sessionRequests = 3 + laterReadsMs.length;
/** Looks for the interaction channel. */
export const channelProbes = 2;

/** What set-up found out about the target. */
export interface Discovered {
  readonly dateFormat: DateFormat;
  readonly channel: Channel | undefined;
  /** Unusual shades that the target took. */
  readonly corners: CornerCatalog | undefined;
  /** What the explorer asks for once more: its catalogs and sessions are all younger. */
  readonly former: {
    readonly catalog?: string | undefined;
    readonly session?: ProbedSession | undefined;
  };
}

/** A session that a call opened which the model judges. */
export interface ProbedSession {
  readonly seq: number;
  readonly grant: SessionGrant;
  readonly by: CallCredential;
  readonly atMs: number;
}

/** Everything before the load: what the account already holds, the import of the catalogs, and what the interface leaves open. */
export async function setUp(run: SetupRun): Promise<Discovered> {
  const { progress, roles, scenario, tag } = run;
  const begin = (step: string): void => {
    progress.activity = { kind: 'setup', step };
  };
  begin('reading what the account already holds');
  const dateFormat = await baseline(run);
  if (roles.length === 0) return { dateFormat, channel: undefined, corners: undefined, former: {} };
  begin('importing catalogs');
  for (const role of roles) await importCatalog(run, role);
  const sends = (step: ProbeStep): boolean => scenario.probes && sendsStep(step, run.onlyProbes);
  begin('opening a session');
  // Where it matters how long a list takes.
  const isLarge =
    sends('large') && scenario.slo.some(({ endpoint }) => boundedEndpoints(endpoint).includes('list-shades'));
  if (isLarge) await probeLargeList(run);
  const { channel, session } = await probeSession(run);
  const corners = usesCorners(scenario) && sends('corners') ? await importCorners(run) : undefined;
  // Of the other catalogs, shoppers open sessions.
  const catalog = isLarge ? largeCatalog(tag) : undefined;
  return { dateFormat, channel, corners, former: { catalog, session } };
}

/** The first requests of the run: finds out that there is a target, that the key is good, and how it takes dates. */
async function baseline(options: SetupRun): Promise<DateFormat> {
  const { asker, profile, writer } = options;
  const fixed = profile.analytics.date_format;
  const formats: readonly DateFormat[] = fixed === 'discover' ? ['date', 'date-time'] : [fixed];
  const about = (range: DayRange, format: DateFormat, credential: Role = 'load'): Question => ({
    call: calls.analytics(dayQuery(range, format)),
    stage: 'setup',
    phase: setupPhases.baseline,
    credential,
    keeps: true,
  });
  let isReady = false;
  for (const endsToday of [false, true])
    for (const format of formats) {
      options.days.endsToday = endsToday;
      const question = about(options.days.wide(), format);
      const { exchange, reading, seq } = isReady
        ? await asker.ask(question)
        : await asker.untilReady(question, options.waitReadyMs);
      const isOneEndpoint =
        (exchange.status ?? 0) >= 500 && (isReady || (await isAnsweredElsewhere(options)));
      if (!isOneEndpoint) await assertReachable(exchange, options, isReady ? 0 : options.waitReadyMs);
      isReady = true;
      if (reading.problem !== undefined || exchange.status !== 200) continue;
      writer.event({ kind: 'discovered', what: 'format of start_date and end_date', value: format, seq });
      if (endsToday) writer.event({ kind: 'discovered', what: latestEndDate, value: 'today', seq });
      await asker.ask(about(options.days.exact(), format));
      const others: readonly Role[] = [
        ...options.roles,
        ...(options.scenario.probes ? (['bystander'] as const) : []),
      ];
      for (const role of ['quota', 'bystander'] as const)
        if (others.includes(role) && options.keys[role] !== undefined)
          await asker.ask(about(options.days.sinceStart(), format, role));
      return format;
    }
  options.days.endsToday = false;
  writer.event({
    kind: 'discovered',
    what: 'format of start_date and end_date',
    value: `none of ${formats.join(', ')} was accepted`,
  });
  return formats[0] ?? 'date';
}

/** Whether another endpoint answers: then one that gets 5xx is broken, and no target that is not ready. */
async function isAnsweredElsewhere({ asker, catalogs }: SetupRun): Promise<boolean> {
  const [reply] = await asker.askAtOnce([
    {
      call: calls.listShades(catalogs.load.id),
      stage: 'setup',
      phase: setupPhases.baseline,
      credential: 'load',
      probe: 'ready',
      isOnce: true,
    },
  ]);
  return (reply?.exchange.status ?? 500) < 500;
}

/** `waitedMs`: how long the target got to become ready. */
async function assertReachable(
  exchange: Reply['exchange'],
  { baseUrl, keys, profile }: SetupRun,
  waitedMs: number,
): Promise<void> {
  const { host } = baseUrl;
  const { cause, notSent, status } = exchange;
  if (notSent === 'no-address') throw targetError(cause?.message ?? `${host} has no address`, cause);
  const got = await noAnswerInWords(exchange, baseUrl, profile.address);
  if (got !== undefined)
    throw targetError(
      isStarting(exchange) && waitedMs > 0
        ? `${host} was not ready within ${span(waitedMs)}: ${got}. --wait-ready 1m waits longer`
        : `${host}: ${got}`,
      cause,
    );
  if (status === 401)
    throw usageError(
      `401: ${host} does not accept the key of role load (${keys.load?.from ?? 'none given'})`,
    );
}

async function noAnswerInWords(
  { cause, lost, notSent, status = 0 }: Reply['exchange'],
  baseUrl: URL,
  address: string | undefined,
): Promise<string | undefined> {
  if (notSent === 'no-connection') return `cannot connect: ${await noAnswerText(cause, baseUrl, address)}`;
  if (lost !== undefined)
    return `the first request got no answer (${lost}): ${await noAnswerText(cause, baseUrl, address)}`;
  return status >= 500 ? `the first request got ${status}` : undefined;
}

async function importCatalog(options: SetupRun, role: Role): Promise<void> {
  const { asker, writer } = options;
  const catalog = options.catalogs[role];
  for (const product of catalog.products) {
    for (const { sku, name, hex, finish } of product.shades) {
      writer.catalog({
        catalogId: catalog.id,
        productId: product.id,
        productName: product.name,
        sku,
        name,
        hex,
        finish,
      });
    }
  }
  const shades = catalog.products.flatMap((product) => product.shades);
  let asynchronous = false;
  for (let at = 0; at < shades.length; at += batchLimit) {
    const batch = shades.slice(at, at + batchLimit);
    const reply = await asker.ask({
      call: calls.importShades({ catalog_id: catalog.id, shades: batch }),
      stage: 'setup',
      phase: setupPhases.import,
      credential: role,
      known: modelled(role, { op: 'import-shades', catalog: catalog.id, shades: batch }),
    });
    const { status, lost } = reply.exchange;
    if (status === 202) asynchronous = true;
    if (status === 401)
      throw usageError(
        `401: ${options.baseUrl.host} does not accept the key of role ${role} (${options.keys[role]?.from ?? ''})`,
      );
    if (status === undefined || status >= 300) {
      throw targetError(
        `${options.baseUrl.host}: the import of catalog ${catalog.id} (role ${role}) failed: ${status ?? lost ?? 'not sent'}, request ${reply.seq}`,
      );
    }
  }
  const list = { catalogId: catalog.id, probe: 'import:list', role } as const;
  if (asynchronous) await untilListed(options, list, shades.length);
  else if (options.scenario.probes) await listed(options, list);
}

/** Opens a session, reads it back, and looks for an interaction channel. */
async function probeSession(
  options: SetupRun,
): Promise<Pick<Discovered, 'channel'> & Pick<Discovered['former'], 'session'>> {
  const { profile } = options;
  const isOpen = isChannelOpen(profile.channel);
  const [told] = isOpen ? [] : possibleChannels(profile.channel);
  if (!options.scenario.probes && !isOpen) return { channel: told, session: undefined };
  const wire = plainSession(options.catalogs.load);
  const { catalogId: catalog = '', locale = '', productId: product = '' } = wire.about;
  const by = { kind: 'key', key: 'load' } as const;
  const place = { stage: 'setup', phase: setupPhases.contract } as const;
  const created = await options.asker.ask({
    call: wire,
    ...place,
    ...{ credential: 'load', probe: 'canary:create-session' },
    known: { call: { op: 'create-session', by, catalog, product, locale } },
  });
  const grant = created.reading.grant;
  if (grant === undefined) return { channel: told, session: undefined };
  const session = { seq: created.seq, grant, by, atMs: epochMs(options.clock, options.clock.nowNs()) };
  const sessionId = grant.session_id;
  // Nothing is known of a session that the target need not find yet.
  const visibleMs = profile.session_visible === 'discover' ? 0 : profile.session_visible;
  await options.asker.until(options.clock.nowNs() + visibleMs * 1e6);
  // Over two connections: one of them has not made the session.
  const readBy = (role: 'load' | 'bystander'): Question => ({
    call: calls.readSession(sessionId),
    ...place,
    credential: role,
    probe: role === 'load' ? 'canary:read-session' : 'tenancy:read-session',
    keeps: true,
    known: {
      secrets: [grant.token],
      call: { op: 'read-session', by: { kind: 'key', key: role }, session: created.seq },
    },
  });
  const read = readBy('load');
  let reads = await options.asker.askAtOnce([read, read]);
  // Where nothing is promised, it may not be found yet. A later read shows whether that ends.
  for (const waitMs of profile.session_visible === 'discover' && options.scenario.probes
    ? laterReadsMs
    : []) {
    if (reads.every(({ exchange }) => exchange.status !== 404)) break;
    await options.asker.until(options.clock.nowNs() + waitMs * 1e6);
    reads = [await options.asker.ask(read)];
  }
  // Whose data a key sees decides what analytics have to count.
  if (options.scenario.probes && options.keys.bystander !== undefined)
    await options.asker.ask(readBy('bystander'));
  return { channel: isOpen ? await findChannel(options, grant) : told, session };
}

/** Looks for the channel with an empty batch, which changes nothing: where the profile says, or else where it usually is. */
async function findChannel(options: SetupRun, grant: SessionGrant): Promise<Channel | undefined> {
  const { profile, writer } = options;
  const possible = possibleChannels(profile.channel);
  const refusals: string[] = [];
  let seq = 0;
  let untried: Channel | undefined;
  for (const channel of possible) {
    const reply = await sendNothing(options, channel, grant);
    const status = reply.exchange.status ?? 0;
    seq = reply.seq;
    // An empty batch may be rejected as such. A path that does not exist, or needs other credentials, is no channel.
    if ((status >= 200 && status < 300) || status === 400 || status === 422) {
      const value = `POST ${channel.path} with the ${channel.auth === 'session-token' ? 'session token' : 'API key'}`;
      writer.event({ kind: 'discovered', what: 'interaction channel', value, seq });
      return channel;
    }
    if (reply.exchange.notSent === 'bad-header') untried ??= channel;
    else refusals.push(status === 0 ? 'no answer' : String(status));
  }
  // Each event is then recorded as one that no header can carry: a channel may be there.
  const value =
    untried === undefined
      ? `none at POST ${possible[0]?.path}: ${refusals.join(', ')}`
      : `unknown at POST ${untried.path}: no header can carry the token of the session`;
  writer.event({ kind: 'discovered', what: 'interaction channel', value, seq });
  return untried;
}

function sendNothing({ asker }: SetupRun, channel: Channel, grant: SessionGrant): Promise<Reply> {
  const { session_id: sessionId, token } = grant;
  return asker.askOnChannel(channel, token, {
    call: calls.interact(channel, sessionId, { interactions: [] }),
    stage: 'setup',
    phase: setupPhases.contract,
    credential: 'load',
    probe: 'channel',
    known: { secrets: [token] },
  });
}
