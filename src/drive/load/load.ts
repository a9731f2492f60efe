import type { Exploration } from '../../explore/exploration.ts';
import type { FileStates, HistoryWriter } from '../../history/writer.ts';
import type { Plan, PlanInput } from '../../plan/plan.ts';
import type { Catalog } from '../../scenario/catalog/catalog.ts';
import type { CornerCatalog } from '../../scenario/catalog/unusual-shades.ts';
import type { Scenario } from '../../scenario/define.ts';
import type { Translation } from '../../target/calls.ts';
import type { Learned, TargetClient } from '../../target/client.ts';
import type { Keys } from '../../target/keys.ts';
import type { Channel, Profile } from '../../target/profile.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { Asker } from '../ask/ask.ts';
import type { Governor, PageBudget } from '../ask/governor.ts';
import type { SessionSample } from '../ask/sample.ts';
import type { Clock } from '../clock/clock.ts';
import type { Meeting } from '../gather/meeting.ts';
import type { KillSwitch, StopReason } from '../record/ending.ts';
import type { Cap, Ledger } from '../record/ledger.ts';
import type { Recorder } from '../record/recorder.ts';
import type { LiveStatistics } from '../record/statistics.ts';
import type { FreshnessPlan } from './freshness.ts';

/** The input of a driver. */
export interface DriveOptions {
  readonly tag: string;
  readonly seed: number;
  readonly scenario: Scenario;
  readonly plan: Plan;
  /** Set if several worker threads drive the plan; otherwise this thread does. */
  readonly sharing?: WorkerSharing | undefined;
  /** Set if several programs drive the plan, this one a part of it. */
  readonly part?: JointStart | undefined;
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  /** Whose catalogs are needed; none where nothing is to be written. */
  readonly roles: readonly Role[];
  readonly baseUrl: URL;
  readonly profile: Profile;
  readonly keys: Keys;
  /** How long the target may take to become ready. */
  readonly waitReadyMs: number;
  /** Of a target that does not speak the interface. */
  readonly translation?: Translation | undefined;
  /** The headers that a description of the target names; undefined where the run has none. */
  readonly described?: readonly string[] | undefined;
  /** Further keys for studies of capacity. */
  readonly pool: readonly string[];
  readonly clock: Clock;
  readonly writer: HistoryWriter;
  readonly quotaTried: boolean;
  /** Sets the target's wall clock to an instant, epoch milliseconds; only where it can be set. */
  readonly setClock?: ((epochMs: number) => Promise<void>) | undefined;
  /** Calls that look for faults after the load; undefined: none. */
  readonly exploration?: Exploration | undefined;
  /** The same during the load. */
  readonly explorationBeside?: Exploration | undefined;
  /** Families of the contract probes that are wanted; undefined: all. */
  readonly onlyProbes?: readonly string[] | undefined;
  /** The service was started for this run, so it has no earlier users. */
  readonly isFresh: boolean;
  readonly observed?: Observed | undefined;
  readonly cap: RunCap;
}

/** What the whole run may send at most; `reserved` requests of that are for what comes after the load. */
export interface RunCap {
  readonly requests: number;
  readonly sessions: number;
  readonly reserved: number;
}

/** What a run shows of itself to other programs while it goes on. Absent parts are off, and cost a request nothing. */
export interface Observed {
  /** Where senders count for the metrics: the main thread first, then each worker. */
  readonly memories?: readonly SharedArrayBuffer[] | undefined;
  /** The run's part of trace ids, if requests carry a `traceparent`. */
  readonly traceRun?: string | undefined;
}

/** How a plan is shared among workers. */
export interface WorkerSharing {
  readonly workers: number;
  /** What the plan is made from. */
  readonly planInput: PlanInput;
  /** Where the history is. */
  readonly runDir: string;
}

/** Which part of a plan a program drives, and how it meets the others. */
interface JointStart {
  readonly meeting: Meeting;
}

/** What the run is doing, for the display. */
export type Activity =
  | {
      readonly kind: 'setup' | 'settle';
      readonly step: string;
      readonly done?: number;
      readonly total?: number;
    }
  | { readonly kind: 'load'; readonly step?: string }
  | { readonly kind: 'study'; readonly step: string; readonly alive: readonly string[] };

/** The segments of the history that others than the main thread wrote: their files; torn, if one died; or unwritable. */
export type Segments =
  | { readonly kind: 'whole'; readonly files: FileStates }
  | { readonly kind: 'torn' }
  | { readonly kind: 'unwritten'; readonly why: Error };

/** What set-up found, and the load depends on. */
export interface FoundInSetup {
  /** The interaction channel to use. */
  readonly channel: Channel | undefined;
  /** Unusual shades that the target took, for some of the shoppers. */
  readonly corners: CornerCatalog | undefined;
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
export const nothing: FoundInSetup = { channel: undefined, corners: undefined };

/** How far a run has come. Its stages write it; the display and the caps read it. */
export interface Progress {
  activity: Activity;
  /** When the load started, in run nanoseconds; undefined before. */
  loadStartNs: number | undefined;
  /** The same for settling. */
  settleStartNs: number | undefined;
  /** Requests of a study under way. */
  studying: number;
  /** Requests of closed loops. */
  closedRequests: number;
}

/** Of a run that begins. */
export function newProgress(): Progress {
  return {
    activity: { kind: 'setup', step: 'connecting' },
    loadStartNs: undefined,
    settleStartNs: undefined,
    studying: 0,
    closedRequests: 0,
  };
}

/** A run under way: what it was told, and what its stages share. A stage is given all of it, and names what it uses. */
export interface RunUnderWay extends DriveOptions {
  readonly load: Load;
  readonly progress: Progress;
  /** Sends every request that is not part of the planned load. */
  readonly client: TargetClient;
  /** Makes a client with a single connection, not open yet. The caller destroys it. */
  readonly openConnection: () => TargetClient;
  readonly learned: Learned;
  readonly asker: Asker;
  readonly governors: Readonly<Record<Role, Governor>>;
  readonly recorder: Recorder;
  readonly statistics: LiveStatistics;
  readonly ledger: Ledger;
  /** What the run may spend by the end of the load. */
  readonly loadCap: Cap;
  readonly killSwitch: KillSwitch;
  readonly sample: SessionSample;
  /** Bounds the further pages of lists. */
  readonly pages: PageBudget;
  /** The plan for polling analytics during the load; undefined if there is none. */
  readonly freshness: FreshnessPlan | undefined;
  /** Whether endpoints are asked in pairs after the load: the caps leave sessions for that as well. */
  readonly crosses: boolean;
  /** Whether there is room for the explorer. */
  readonly explores: boolean;
  /** Whether analytics are asked what shoppers did. */
  readonly asksAnalytics: boolean;
  /** Requests that the run's cap leaves. */
  readonly requestsLeft: () => number;
  /** Whether the caps leave room for one more request; ends the load where they do not. */
  readonly maySend: () => boolean;
  /** Whether the run goes on, and there is room for one more request. */
  readonly mayGoOn: () => boolean;
  /** Notes the end of a request: whether it was a failure of the target, of which too many end the run. */
  readonly noteEnd: (atNs: number, failed: boolean) => void;
}
