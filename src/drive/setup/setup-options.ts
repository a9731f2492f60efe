import type { HistoryWriter } from '../../history/writer.ts';
import type { Catalog } from '../../scenario/catalog/catalog.ts';
import type { TargetClient } from '../../target/client.ts';
import type { Keys } from '../../target/keys.ts';
import type { Profile } from '../../target/profile.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { Asker } from '../ask/ask.ts';
import type { Clock } from '../clock/clock.ts';
import type { Days } from '../clock/days.ts';
import type { PageBudget } from './lists.ts';

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
