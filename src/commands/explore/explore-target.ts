import { writeFileSync } from 'node:fs';
import { type ExitCode, exitCode } from '../../exit.ts';
import type { ExplorerKeys } from '../../explore/draw.ts';
import { type DrivenTarget, drive, exploreNowMs } from '../../explore/drive.ts';
import { type ExploreVerdict, findingsOf } from '../../explore/findings.ts';
import { planCalls } from '../../explore/plan.ts';
import { promisesBy } from '../../explore/promises.ts';
import { findingsText } from '../../explore/text.ts';
import { possibleChannels, usualChannel } from '../../target/channel.ts';
import { openPool, TargetClient } from '../../target/client.ts';
import { embeddedProfile, startEmbedded } from '../../target/embedded.ts';
import { parseBaseUrl } from '../../target/guard.ts';
import type { Profile } from '../../target/profile.ts';
import { resolveProfile } from '../../target/profile-file.ts';
import type { ExploreArguments } from '../explore.ts';
import { openForeign, profileLayers } from '../run/open-target.ts';

/** A target with keys by label, and the accounts that they may belong to. */
interface Explorable {
  readonly baseUrl: URL;
  readonly profile: Profile;
  readonly keys: Readonly<Record<string, string>>;
  /** Labels by account, in each way that is possible. */
  readonly accounts: readonly (readonly (readonly string[])[])[];
  stop(): Promise<void>;
}

/** Runs one exploration and prints what it shows. Throws usage and target errors. */
export async function exploreTarget(args: ExploreArguments): Promise<void> {
  const isEmbedded = profileLayers(args, process.env).input.base_url === undefined;
  const target = isEmbedded ? await embedded(args) : foreign(args);
  try {
    await explore(target, args);
  } finally {
    await target.stop();
  }
}

async function embedded({ defect, variant }: ExploreArguments): Promise<Explorable> {
  const options = {
    rateLimit: { requests: 1_000, windowMs: 60_000 },
    quota: 200,
    poolKeys: 1,
    defects: defect,
    variants: variant,
  };
  const service = await startEmbedded(options);
  const { bystander, load } = service.keys;
  return {
    baseUrl: parseBaseUrl(service.baseUrl),
    profile: resolveProfile(embeddedProfile(options), 'profile'),
    keys: { load: load?.value ?? '', second: service.pool[0] ?? '', other: bystander?.value ?? '' },
    accounts: [[['load', 'second'], ['other']]],
    stop: () => service.stop(),
  };
}

function foreign(args: ExploreArguments): Explorable {
  const { baseUrl, keys, profile } = openForeign(args, process.env);
  const { bystander, load } = keys;
  const labels = { load: load?.value ?? '', ...(bystander !== undefined && { other: bystander.value }) };
  const apart = [['load'], ...(bystander === undefined ? [] : [['other']])];
  const together = [['load', ...(bystander === undefined ? [] : ['other'])]];
  const ways = { 'per-key': [apart], shared: [together], discover: [apart, together] };
  const accounts = ways[profile.data_scope];
  return { baseUrl, profile, keys: labels, accounts, stop: () => Promise.resolve() };
}

async function explore(
  { accounts, baseUrl, keys, profile }: Explorable,
  args: ExploreArguments,
): Promise<void> {
  const { calls, json, rate, record, seed } = args;
  const [channel = profile.channel === 'none' ? undefined : usualChannel] = possibleChannels(profile.channel);
  const of = channel === undefined ? 'none' : channel.auth === 'api-key' ? 'key' : 'token';
  const client = (): TargetClient =>
    new TargetClient(
      baseUrl,
      openPool(baseUrl, profile, { spread: 2 }),
      () => performance.now() * 1e6,
      undefined,
    );
  const drawn: ExplorerKeys = {
    accounts: accounts[0] ?? [],
    channel: of,
    locales: profile.locales,
    finishes: profile.finishes,
  };
  const epochMs = Math.floor(exploreNowMs());
  const groups = await planCalls({
    seed,
    calls,
    keys: drawn,
    tag: `x${seed.toString(36)}${epochMs.toString(36)}`,
    epochMs,
  });
  const driven: DrivenTarget = { client: client(), fresh: client, keys, channel, perSecond: rate };
  const sent = await drive(groups, driven);
  await driven.client.destroy();
  if (record !== undefined) writeFileSync(record, JSON.stringify(sent));
  const readings = accounts.map((way) => promisesBy(profile, accountsOf(way), of));
  const findings = findingsOf(sent, readings, groups.flat());
  const { explanation } = findings;
  const causes = explanation.causes.map(({ cost, fault, left, params }) => ({
    cause: fault.cause,
    params,
    left,
    cost,
  }));
  const short = {
    verdict: findings.verdict,
    calls: findings.all,
    tooFew: findings.tooFew,
    divergences: explanation.divergences,
    causes,
    settled: findings.settled,
  };
  process.stdout.write(json === true ? `${JSON.stringify(short)}\n` : findingsText(findings));
  process.exitCode = exitBy[findings.verdict];
}

const exitBy: Readonly<Record<ExploreVerdict, ExitCode>> = {
  differs: exitCode.checkFailed,
  inconclusive: exitCode.inconclusive,
  agrees: exitCode.pass,
};

const accountsOf = (labels: readonly (readonly string[])[]): Record<string, string> =>
  Object.fromEntries(labels.flatMap((each, at) => each.map((label) => [label, `account ${at}`])));
