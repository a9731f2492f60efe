import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Why there can be no network of several machines here; undefined where there can. */
export const noNetwork = obstacle();

function obstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  try {
    const name = `tryon-try-${process.pid}`;
    ip(['netns', 'add', name]);
    ip(['netns', 'del', name]);
    return undefined;
  } catch (error) {
    return `no network namespaces: ${(error as Error).message.split('\n')[0]}`;
  }
}

/** What goes wrong on the way from and to a machine. */
export interface Trouble {
  /** Of its packets, in each direction, at random. By nftables, since a kernel may have no netem. */
  readonly lossPercent?: number;
  /** Of each packet, in each direction. By a program, for the same reason. */
  readonly delayMs?: number;
}

/** A machine of its own, as far as the network can tell. */
export interface Machine {
  readonly address: string;
  /** What stands in front of a command that is to run there. */
  readonly through: readonly string[];
  /** Throws where the kernel, or a program, for it is missing. */
  trouble(of: Trouble): Promise<void>;
  /** Gives it a second address on the same network. */
  alsoAt(address: string): void;
}

export interface Network {
  readonly machines: readonly Machine[];
  destroy(): void;
}

/**
 * `count` machines, each in a network namespace, on one switch. Their addresses are of 127.0.0.0/24, so that no packet can
 * leave this computer whatever goes wrong; each machine's own loopback interface is down, so that these are not its own.
 */
export function openNetwork(count: number): Network {
  const prefix = `tryon-${process.pid}-${opened++}`;
  const bridge = `${prefix}-switch`;
  const spaces = [bridge];
  const cables: ChildProcess[] = [];
  const destroy = (): void => {
    for (const cable of cables.splice(0)) cable.kill();
    for (const space of spaces.splice(0)) ip(['netns', 'del', space]);
  };
  try {
    ip(['netns', 'add', bridge]);
    ip(['-n', bridge, 'link', 'add', 'name', 'switch', 'type', 'bridge']);
    ip(['-n', bridge, 'link', 'set', 'switch', 'up']);
    const machines = Array.from({ length: count }, (_, n): Machine => {
      const space = `${prefix}-${n}`;
      const address = `127.0.0.${firstHost + n}`;
      ip(['netns', 'add', space]);
      spaces.push(space);
      const run = (command: string): void => ip(['netns', 'exec', space, ...command.split(' ')]);
      const plugIn = (): void => {
        ip(['-n', bridge, 'link', 'set', `port${n}`, 'master', 'switch', 'up']);
        run('sysctl -qw net.ipv4.conf.all.route_localnet=1');
        run(`ip addr add ${address}/24 dev ${device}`);
        run(`ip link set ${device} up`);
      };
      ip(['-n', bridge, ...`link add name port${n} type veth peer name ${device} netns ${space}`.split(' ')]);
      plugIn();
      return {
        address,
        through: ['ip', 'netns', 'exec', space],
        alsoAt: (second) => run(`ip addr add ${second}/24 dev ${device}`),
        async trouble({ delayMs, lossPercent }) {
          if (delayMs !== undefined) {
            ip(['-n', bridge, 'link', 'del', `port${n}`]);
            cables.push(await slowCable(bridge, delayMs, [`far${n}`, `port${n}`]));
            ip(['-n', bridge, 'link', 'set', `far${n}`, 'netns', space, 'name', device]);
            plugIn();
          }
          if (lossPercent === undefined) return;
          run('nft add table inet loss');
          for (const way of ['input', 'output']) {
            run(`nft add chain inet loss ${way} { type filter hook ${way} priority 0 ; }`);
            run(`nft add rule inet loss ${way} numgen random mod 100 < ${lossPercent} drop`);
          }
        },
      };
    });
    return { machines, destroy };
  } catch (error) {
    destroy();
    throw error;
  }
}

/** A cable whose two ends are network interfaces in `space`. */
async function slowCable(space: string, delayMs: number, ends: readonly string[]): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('./fixtures/delay.pl', import.meta.url));
  const args = ['netns', 'exec', space, 'perl', program, String(delayMs), ...ends];
  const cable = spawn('ip', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [ready] = await Promise.race([once(cable.stdout, 'data'), once(cable, 'exit')]);
  if (String(ready).trim() !== 'ready') throw new Error(`no cable: perl ended with ${ready}`);
  return cable;
}

let opened = 0;
const device = 'net0';
/** The first ones are other things on a real loopback. */
const firstHost = 11;

function ip(args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
