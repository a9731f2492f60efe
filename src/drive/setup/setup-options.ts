import type { HistoryWriter } from '../../history/writer.ts';
import type { CallCredential } from '../../model/call.ts';
import type { Catalog } from '../../scenario/catalog/catalog.ts';
import type { CornerCatalog } from '../../scenario/catalog/unusual-shades.ts';
import type { TargetClient } from '../../target/client.ts';
import type { Keys } from '../../target/keys.ts';
import type { Channel, Profile } from '../../target/profile.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { SessionGrant } from '../../wire.ts';
import type { Asker } from '../ask/ask.ts';
import type { Clock } from '../clock/clock.ts';
import type { DateFormat, Days } from '../clock/days.ts';

export interface SetupOptions {
  readonly baseUrl: URL;
  /** Bounds the further pages of lists. */
  readonly pages: PageBudget;
  /** Named in errors. */
  readonly host: string;
  readonly clock: Clock;
  readonly tag: string;
  readonly seed: number;
  readonly asker: Asker;
  readonly writer: HistoryWriter;
  readonly profile: Profile;
  /** How long the target may take to become ready. */
  readonly waitReadyMs: number;
  readonly keys: Keys;
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  /** Whose catalogs are needed; none where nothing is to be written. */
  readonly roles: readonly Role[];
  readonly days: Days;
  readonly probes: boolean;
  /** Families of probes that are wanted; undefined: all. */
  readonly onlyProbes?: readonly string[] | undefined;
  /** Whether unusual shades are sent, which shoppers then use. */
  readonly corners: boolean;
  /** Whether it matters how long a list takes. */
  readonly timesLists: boolean;
  /** A client with a single connection, not open yet. The caller destroys it. */
  readonly openConnection: () => TargetClient;
  /** Told what is being done, for the display. */
  readonly onStep: (step: string) => void;
}

/** What set-up found out about the target. */
export interface Discovered {
  readonly dateFormat: DateFormat;
  readonly channel: Channel | undefined;
  /** Unusual shades that the target took. */
  readonly corners: CornerCatalog | undefined;
  /** What the explorer asks for once more: nothing of its own is as old. */
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

/** The most further pages on the load key, and on each other one. */
export interface MostPages {
  readonly load: number;
  readonly other: number;
}

/** The most further pages, over all lists of a key: 500 shades and a few hundred others, in pages of 20. */
export const mostPages: MostPages = { load: 60, other: 20 };

/** How many further pages set-up may still read. */
export class PageBudget {
  readonly #spent = new Map<Role, number>();
  readonly #most: MostPages;

  constructor(most: MostPages = mostPages) {
    this.#most = most;
  }

  /** Spends one, if one is left. */
  spend(role: Role): boolean {
    const spent = this.#spent.get(role) ?? 0;
    if (spent >= (role === 'load' ? this.#most.load : this.#most.other)) return false;
    this.#spent.set(role, spent + 1);
    return true;
  }
}
