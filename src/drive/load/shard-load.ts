import { type Profile, possibleChannels } from '../../target/profile.ts';
import type { SampleShare, SessionSample } from '../ask/sample.ts';
import type { Clock } from '../clock/clock.ts';
import { type Meeting, type Note, seal, unseal } from '../gather/meeting.ts';
import type { StopReason } from '../record/ending.ts';
import type { LiveStatistics } from '../record/statistics.ts';
import { type FoundInSetup, type Load, nothing, type Segments, type Start } from './load.ts';

/** How often a shard looks whether another has ended the load, and tells the others if it has itself; of many, less often. */
const lookEveryMs = 250;

/** What a shard needs beyond its own load. */
interface ShardLoadOptions {
  readonly meeting: Meeting;
  readonly clock: Clock;
  readonly profile: Profile;
  readonly sample: SessionSample;
  readonly statistics: LiveStatistics;
  /** The load key's value and the run's tag, for what is told in secret. */
  readonly loadKey: string;
  readonly tag: string;
}

/**
 * The load of one shard. It begins with those of the others, and ends when one of them is ended early. The first shard
 * takes over what the others leave to settle.
 */
export class ShardLoad implements Load {
  readonly #own: Load;
  readonly #options: ShardLoadOptions;
  #isTold = false;
  #hasBegun = false;

  constructor(own: Load, options: ShardLoadOptions) {
    this.#own = own;
    this.#options = options;
  }

  get failure(): unknown {
    return this.#own.failure;
  }

  get unheard(): number {
    return this.#own.unheard;
  }

  get segments(): Segments {
    return this.#own.segments;
  }

  get stopped(): StopReason | undefined {
    return this.#own.stopped;
  }

  set stopped(reason: StopReason | undefined) {
    this.#own.stopped = reason;
    if (reason === 'interrupted') this.#options.meeting.giveUp();
  }

  async ready(found: FoundInSetup | undefined): Promise<Start> {
    const { clock, meeting, profile } = this.#options;
    await this.#own.ready(found);
    if (!meeting.isFirst) {
      const { channel: told, start_ns: startNs, corners } = await meeting.awaitStart();
      this.#hasBegun = true;
      const channel = possibleChannels(profile.channel).find(
        ({ auth, path }) => auth === told?.auth && path === told.path,
      );
      return { startNs, channel, corners };
    }
    const { channel, corners } = found ?? nothing;
    const startNs = await meeting.begin(
      {
        ...(channel && { channel: { path: channel.path, auth: channel.auth } }),
        ...(corners && { corners: { id: corners.id, skus: [...corners.skus] } }),
      },
      clock.nowNs,
    );
    this.#hasBegun = true;
    return { startNs, channel, corners };
  }

  async run(start: Start): Promise<void> {
    const { meeting } = this.#options;
    const looking = setInterval(() => void this.#look(), Math.max(lookEveryMs, meeting.shard.of));
    try {
      await this.#own.run(start);
    } finally {
      clearInterval(looking);
    }
    await this.#look();
    if (!this.#hasBegun) return;
    if (meeting.isFirst) this.#take(await meeting.awaitDone());
    else await meeting.done(this.#left());
  }

  destroy(): Promise<void> {
    return this.#own.destroy();
  }

  /** Tells the others of an early end, or hears of theirs. */
  async #look(): Promise<void> {
    const { meeting } = this.#options;
    try {
      const own = this.stopped;
      if (own !== undefined && !this.#isTold) {
        this.#isTold = true;
        await meeting.stop(own);
      } else if (own === undefined) {
        const stop = await meeting.stopped();
        if (stop === undefined) return;
        this.#isTold = true;
        this.#own.stopped ??= stop.reason;
      }
    } catch {
      // A store that cannot be reached ends no load: what this shard leaves will be missed, and said to be missing.
    }
  }

  #left(): Note<'done'> {
    const { loadKey, sample, statistics, tag } = this.#options;
    const { of, tokens } = sample.handOver();
    const sessions = Object.fromEntries(
      Object.entries(of).map(([role, { ambiguous, drawn, first, seen }]) => [
        role,
        { seen, drawn: [...drawn], ambiguous: [...ambiguous], ...(first === undefined ? {} : { first }) },
      ]),
    ) as Note<'done'>['sessions'];
    return { granted: statistics.counts.granted, sessions, tokens: seal(tokens, loadKey, tag) };
  }

  #take(notes: readonly Note<'done'>[]): void {
    const { loadKey, sample, statistics, tag } = this.#options;
    for (const { granted, sessions, tokens } of notes) {
      statistics.counts.granted += granted;
      sample.merge({ of: sessions as SampleShare['of'], tokens: unseal(tokens, loadKey, tag) });
    }
  }
}
