import type { Spelling } from '../vocabulary/probes.ts';

/** The same path to a server that normalises it (RFC 3986, 6.2.2), or is tolerant. */
export function spelled(path: string, spelling: Spelling): string {
  const end = path.includes('?') ? path.indexOf('?') : path.length;
  const [whole, query] = [path.slice(0, end), path.slice(end)];
  switch (spelling) {
    case 'double-slash':
      return `/${path}`;
    case 'trailing-slash':
      return `${whole}/${query}`;
    case 'capital':
      return path.replace(/[a-z]/, (letter) => letter.toUpperCase());
    case 'head':
      return path;
    case 'percent':
      return path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  }
}
