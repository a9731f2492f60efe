import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { promisify } from 'node:util';

/** The address from which this machine reaches the target, as its own network says. No packet is sent for it. */
export async function ownAddress({ hostname, port }: URL): Promise<string | undefined> {
  try {
    const { address, family } = await lookup(hostname.replace(/^\[|\]$/g, ''));
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
    try {
      await promisify((to: string, done: () => void) => socket.connect(Number(port) || 443, to, done))(
        address,
      );
      return socket.address().address;
    } finally {
      socket.close();
    }
  } catch {
    return undefined;
  }
}
