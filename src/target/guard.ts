import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { usageError } from '../exit.ts';

/** Parses a base URL. Throws a usage error if it is invalid, or lacks the version segment of the interface. */
export function parseBaseUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // It may contain a password.
    const got = JSON.stringify(text.replace(/\/\/[^/]*@/, '//…@'));
    throw usageError(`target: expected a base URL such as https://host/v1, got ${got}`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw usageError(`target: expected http or https, got ${url.protocol.slice(0, -1)}`);
  }
  if (url.username !== '' || url.password !== '')
    throw usageError('target: credentials do not belong into the base URL');
  if (url.search !== '' || url.hash !== '')
    throw usageError(`target: a base URL has no query or fragment: ${url.origin}${url.pathname}`);
  url.pathname = url.pathname.replace(/\/+$/, '');
  if (!/(^|\/)v\d+$/.test(url.pathname)) {
    throw usageError(
      `target: the base URL includes the version segment, such as ${url.origin}${url.pathname === '/' ? '' : url.pathname}/v1`,
    );
  }
  return url;
}

/** 127.0.0.0/8, ::1 and the name localhost. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/**
 * A load tool needs a safety catch: hosts other than loopback have to be named. `address`: where the host's
 * requests go, whatever its name resolves to; so it has to be named as well. Throws a usage error.
 */
export function assertAllowed(url: URL, allowed: readonly string[], address?: string): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (address !== undefined && address !== host && !isLoopback(address) && !allowed.includes(address))
    throw usageError(
      `target: the address ${address} is not loopback; use --allow-host ${address} (or allow_hosts in the profile) if you have permission to load it`,
    );
  if (isLoopback(url.hostname) || allowed.includes(url.hostname) || allowed.includes(url.host)) return;
  throw usageError(
    `target: ${url.hostname} is not loopback; use --allow-host ${url.hostname} (or allow_hosts in the profile) if you have permission to load it`,
  );
}

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
