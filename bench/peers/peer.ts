/** A load generator that others wrote, and how it is started. It takes part in what it can do, if it is on the PATH. */
export interface Peer {
  /** Its command. */
  readonly name: string;
  /** Posts for sessions on all connections, as fast as they are answered. */
  readonly pressure?: (baseUrl: URL, requests: number) => Command;
  /** This many requests of journeys in the same way. */
  readonly journeys?: (baseUrl: URL, requests: number) => Command;
  /** Reads from a URL at a rate. */
  readonly paced?: (url: URL, rate: Rate, seconds: number) => Command;
  /** It is not asked for more. */
  readonly mostPerSecond?: number;
  /** Reads from a URL at a rate over all connections, and tells how long each took. */
  readonly timed?: (url: URL, perSecond: number, seconds: number) => Command;
  /** What it told, in milliseconds. */
  readonly latenciesMs?: (output: string) => readonly number[];
}

export interface Rate {
  readonly count: number;
  readonly per: 's' | 'm';
}

export function perSecond({ count, per }: Rate): number {
  return per === 's' ? count : count / 60;
}

export interface Command {
  readonly args: readonly string[];
  /** By name, laid into the folder in which the command runs. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** How many requests it makes, where it can be told that; else it stops by the clock. */
  readonly requests?: number;
}

/** For how long those go on that know no number of requests. */
export const untimedSeconds = 5;
