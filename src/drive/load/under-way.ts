import type { Learned, TargetClient } from '../../target/client.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { Asker } from '../ask/ask.ts';
import type { Governor, PageBudget } from '../ask/governor.ts';
import type { SessionSample } from '../ask/sample.ts';
import type { KillSwitch } from '../record/ending.ts';
import type { Cap, Ledger } from '../record/ledger.ts';
import type { Recorder } from '../record/recorder.ts';
import type { LiveStatistics } from '../record/statistics.ts';
import type { FreshnessPlan } from './freshness.ts';
import type { Activity, DriveOptions, Load } from './load.ts';

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
