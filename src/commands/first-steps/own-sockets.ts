import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { counted, number } from '../../amounts.ts';

/** What a run holds open beside connections: its history, its threads, DuckDB. */
const otherFiles = 64;
/** A port is not used again for so long after its connection was closed (TIME_WAIT), minutes. */
const portRestMinutes = 1;

interface Sockets {
  /** Files that the process may hold open, and ports that a connection may come from; undefined where the system does not say. */
  readonly files: number | undefined;
  readonly ports: number | undefined;
}

/** What this machine has. */
export function ownSockets(): Sockets {
  // Otherwise it looks up the name of each connection's other end.
  Object.assign(process.report, { excludeNetwork: true });
  const report: unknown = process.report.getReport();
  const limits = z
    .object({ userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }) })
    .safeParse(report);
  const soft = limits.data?.userLimits.open_files.soft;
  let range: string | undefined;
  try {
    range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
  } catch {
    // Not Linux.
  }
  const [first, last] = (range ?? '').trim().split(/\s+/).map(Number);
  return {
    files: typeof soft === 'number' ? soft : undefined,
    ports: first === undefined || last === undefined ? undefined : last - first + 1,
  };
}

/** Whether there are descriptors and ports for the connections of a run. `perMinute`: requests at most. */
export function socketFindings({
  closes,
  connections,
  files,
  perMinute,
  ports,
}: Sockets & {
  readonly connections: number;
  readonly perMinute: number;
  readonly closes: boolean;
}): Finding[] {
  const needed = otherFiles + connections;
  const used = closes ? Math.max(connections, perMinute * portRestMinutes) : connections;
  const why =
    used > connections
      ? `the target closes each connection, so that ${counted(perMinute, 'request')} a minute use as many`
      : `a run holds at most ${counted(connections, 'connection')}`;
  return [
    ...(files === undefined
      ? []
      : [
          (files >= needed ? good : files > otherFiles ? part : bad)(
            `Open files: ${number(files)} allowed (ulimit -n); a run with ${counted(connections, 'connection')} needs up to ${number(needed)}.`,
          ),
        ]),
    ...(ports === undefined
      ? []
      : [
          (ports > used ? good : part)(
            `Local ports: ${number(ports)} (net.ipv4.ip_local_port_range); ${why}.`,
          ),
        ]),
  ];
}

/** One line of the examination. `part`: a run is possible, and judges less. */
export interface Finding {
  readonly state: 'good' | 'part' | 'bad';
  readonly text: string;
}

export const good = (text: string): Finding => ({ state: 'good', text });
export const part = (text: string): Finding => ({ state: 'part', text });
export const bad = (text: string): Finding => ({ state: 'bad', text });
