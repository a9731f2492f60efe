import type { Catalog } from '../../catalog/catalog.ts';
import type { TakenValues } from '../../corners/taken.ts';
import type { FileStates } from '../../history/writer.ts';
import type { Channel } from '../../target/channel.ts';
import type { Clock } from '../clock/clock.ts';
import type { StopReason } from '../record/ending.ts';
import type { DriveOptions, Observed } from './drive-options.ts';
import type { Traffic } from './traffic.ts';
import { warmUp } from './warm-up.ts';
import { holdYoungGeneration } from './young-generation.ts';

/** The segments of the history that others than the main thread wrote: their files; torn, if one died; or unwritable. */
export type Segments =
  | { readonly kind: 'whole'; readonly files: FileStates }
  | { readonly kind: 'torn' }
  | { readonly kind: 'unwritten'; readonly why: Error };

/** What set-up found, and the load depends on. */
export interface FoundInSetup {
  /** The interaction channel to use. */
  readonly channel: Channel | undefined;
  /** Unusual values for some of the shoppers. */
  readonly taken: TakenValues | undefined;
}

/** The start of a load. */
export interface Start extends FoundInSetup {
  /** Run nanoseconds. */
  readonly startNs: number;
}

/** What sends the planned load: this thread, or others. */
export interface Load {
  /** Set to end the load: what is still planned is recorded as not sent. */
  stopped: StopReason | undefined;
  /** What went wrong in this program. */
  readonly failure: unknown;
  /** Requests of the load that were sent and are not in the statistics yet. */
  readonly unheard: number;
  readonly segments: Segments;
  /** Resolves when the load can begin. `found`: undefined for a program that had no set-up. */
  ready(found: FoundInSetup | undefined): Promise<Start>;
  /** Sends the plan, its zero at `startNs`. Resolves when the last request has been answered or given up. */
  run(start: Start): Promise<void>;
  /** Gives up on what is in flight. */
  destroy(): Promise<void>;
}

/** Of a set-up that found nothing. */
export const nothing: FoundInSetup = { channel: undefined, taken: undefined };

type LoadSetting = Pick<DriveOptions, 'catalogs' | 'clock' | 'observed'>;

/** The load of one thread, sent here. */
export class LoadHere implements Load {
  readonly #traffic: Traffic;
  readonly #clock: Clock;
  readonly #catalog: Catalog;
  readonly #observed: Observed | undefined;
  readonly unheard = 0;
  readonly segments: Segments = { kind: 'whole', files: {} };

  constructor(traffic: Traffic, { catalogs, clock, observed }: LoadSetting) {
    this.#traffic = traffic;
    this.#clock = clock;
    this.#catalog = catalogs.load;
    this.#observed = observed;
  }

  get failure(): unknown {
    return this.#traffic.failure;
  }

  get stopped(): StopReason | undefined {
    return this.#traffic.stopped;
  }

  set stopped(reason: StopReason | undefined) {
    this.#traffic.stopped = reason;
  }

  async ready(found: FoundInSetup = nothing): Promise<Start> {
    await warmUp(this.#catalog, this.#observed);
    return { startNs: this.#clock.nowNs(), ...found };
  }

  async run({ channel, startNs, taken }: Start): Promise<void> {
    const young = holdYoungGeneration();
    try {
      await this.#traffic.run(startNs, channel, taken);
    } finally {
      young.stop();
    }
  }

  destroy(): Promise<void> {
    return this.#traffic.destroy();
  }
}
