import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../drive/clock/clock.ts';
import { Meeting, reached } from '../../drive/gather/meeting.ts';
import { folderOf, openStore } from '../../drive/gather/place.ts';
import { parseShard, type ShardName, shardFolder, shardWords } from '../../drive/gather/shards.ts';
import { clockErrorNs, readStoreClock, type ZeroBounds } from '../../drive/gather/store.ts';
import type { RunCap } from '../../drive/load/load.ts';
import { targetError, usageError } from '../../exit.ts';
import type { RunInfo } from '../../history/run.ts';
import { shareOf } from '../../plan/lanes.ts';
import type { PlanInput } from '../../plan/plan.ts';
import { ownAddress } from '../../target/guard.ts';
import type { Profile } from '../../target/profile.ts';
import type { RunArguments } from '../options.ts';
import type { Target } from './open-target.ts';

type ShardArguments = Pick<
  RunArguments,
  'shard' | 'gather' | 'out' | 'workers' | 'write-profile' | 'target' | 'profile'
>;

/** What a run is told that is one shard of several. */
interface ShardWanted {
  readonly shard: ShardName;
  /** The folder or bucket where shards meet. */
  readonly gather: string;
  readonly env: NodeJS.ProcessEnv;
  /** Of this shard's run. */
  readonly outDir: string;
}

/** One shard that has met the others, on their clock. */
export interface Joined {
  readonly meeting: Meeting;
  /** The folder or bucket where shards meet. */
  readonly gather: string;
  /** Its zero is that of all shards, on the clock of the store. */
  readonly clock: Clock;
  /** The run that the first shard has planned; undefined in the first. */
  readonly plan: RunInfo | undefined;
  /** What is known at the end. It reads the store's clock once more. */
  atEnd(): Promise<Pick<NonNullable<RunInfo['ended']>, 'clock_error_ns' | 'address'>>;
  /** Brings this shard's run to where \`merge\` finds it. Throws a write error that says where it is otherwise. */
  handIn(runDir: string): Promise<void>;
}

/** What the arguments say of shards; undefined if they say nothing. Throws usage errors. */
export function shardWanted(args: ShardArguments, env: NodeJS.ProcessEnv): ShardWanted | undefined {
  const { gather, shard: text } = args;
  if (text === undefined) {
    if (gather !== undefined) throw usageError('--gather: is for a run of several shards; add --shard i/N');
    return undefined;
  }
  if (gather === undefined)
    throw usageError('--shard: needs --gather, the folder or s3://BUCKET/PREFIX where all shards meet');
  for (const name of ['out', 'workers', 'write-profile'] as const)
    if (args[name] !== undefined)
      throw usageError(`--${name}: cannot be used with --shard; ${insteadOf[name]}`);
  const shard = parseShard(text, env);
  const outDir = join(folderOf(gather), shardFolder(shard));
  if (existsSync(outDir))
    throw usageError(
      `--shard: ${outDir} exists already: ${shardWords(shard)} was sent, and is not sent twice`,
    );
  return { shard, gather, env, outDir };
}

const insteadOf = {
  out: 'each shard writes below the folder of --gather',
  workers: 'use more shards',
  'write-profile': 'use it with tryon merge',
} as const;

/** How long shards wait for each other to begin. */
const startPatienceMs = 10 * 60_000;
/** How long after its own load the first shard waits for the others', beside the longest that an answer may take. */
const donePatienceMs = 30_000;

/** Meets the other shards. Throws usage and target errors: nothing has been sent then. */
export async function joinShards(
  { env, gather, shard }: ShardWanted,
  { baseUrl, kind, profile }: Pick<Target, 'baseUrl' | 'kind' | 'profile'>,
): Promise<Joined> {
  if (kind === 'embedded')
    throw usageError('--shard: each shard would start another service; use --target URL');
  const store = await openStore(gather, env);
  const base = process.hrtime.bigint();
  const nowMs = (): number => Number(process.hrtime.bigint() - base) / 1e6;
  const read = (): Promise<ZeroBounds | undefined> => reached(store, () => readStoreClock(store, nowMs));
  const bounds = await read();
  if (bounds === undefined)
    throw targetError(`--gather: the clock of ${gather} contradicted itself while it was read; try again`);
  const baseEpochMs = bounds.minMs;
  const meeting = new Meeting(store, shard, {
    startMs: startPatienceMs,
    doneMs: donePatienceMs + profile.timeouts.headers + profile.timeouts.body,
  });
  const plan = meeting.isFirst ? undefined : await meeting.plan();
  const zeroEpochMs = plan?.zero_epoch_ms ?? Math.round(baseEpochMs + nowMs());
  const clock = systemClock({
    epochMs: zeroEpochMs,
    hrtimeNs: base + BigInt(Math.round((zeroEpochMs - baseEpochMs) * 1e6)),
  });
  return {
    meeting,
    gather,
    clock,
    plan,
    async atEnd() {
      // A store that is gone costs the bounds of this shard's instants, and not its records.
      const [after, address] = await Promise.all([read().catch(() => undefined), ownAddress(baseUrl)]);
      return {
        ...(after === undefined ? {} : { clock_error_ns: clockErrorNs(baseEpochMs, [bounds, after]) }),
        ...(address === undefined ? {} : { address }),
      };
    },
    handIn: async (runDir) => store.handIn?.(runDir),
  };
}

/** What `run.json` says of a shard. */
export function shardInfo({ index, of }: ShardName, planInput: PlanInput): NonNullable<RunInfo['shard']> {
  return { index, of, plan: createHash('sha256').update(JSON.stringify(planInput)).digest('hex') };
}

/** A shard's part of what all may send, keep open and have in flight. Settling is the first's. Throws a usage error if a part is empty. */
export function shareOfShard(
  { index, of }: ShardName,
  profile: Profile,
  cap: RunCap,
): { readonly profile: Profile; readonly cap: RunCap } {
  const share = (all: number): number =>
    Number.isFinite(all) ? shareOf(all, { index: index - 1, of }) : all;
  const { connections, in_flight: inFlight } = profile;
  if (connections < of)
    throw usageError(
      `--shard: each of ${of} needs a connection, and the profile allows ${connections} (connections)`,
    );
  const reserved = index === 1 ? cap.reserved : 0;
  return {
    profile: { ...profile, connections: share(connections), in_flight: Math.max(1, share(inFlight)) },
    cap: {
      requests: share(Math.max(0, cap.requests - cap.reserved)) + reserved,
      sessions: share(cap.sessions),
      reserved,
    },
  };
}
