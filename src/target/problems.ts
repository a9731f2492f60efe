import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { systemWords } from '../exit.ts';

/** What is wrong with an answer, as the history records it: `token: expected string, got number`. */
interface AnswerProblem {
  readonly field: string;
  readonly expected: string;
  readonly got: string;
}

/** How the problem begins of an error whose body is not JSON; its status follows. */
export const errorTypeProblem = 'content-type of a';

/** What is expected of the token of a new session. */
export const newToken = 'a new one';

/** The record of a problem. A value with a comma before “got” in it is not read rightly, and no field has one. */
export function problemText({ expected, field, got }: AnswerProblem): string {
  return `${field}: expected ${expected}, got ${got}`;
}

/** The first problem of a record; undefined where it has another form. */
export function readProblem(text: string | null): AnswerProblem | undefined {
  const [, field, expected, got] = /^([\w.[\]-]+): expected (.+?), got (.+)$/s.exec(text ?? '') ?? [];
  return field === undefined || expected === undefined || got === undefined
    ? undefined
    : { field, expected, got };
}

/**
 * Why the first request got no answer, and what to change: `self-signed certificate: name its authority in …`. `address`: the
 * one to use, where the profile names it.
 */
export async function noAnswerText(
  cause: Error | undefined,
  baseUrl: URL,
  address?: string,
): Promise<string> {
  const speaksOther = await otherProtocolText(cause, baseUrl, address);
  if (speaksOther !== undefined) return speaksOther;
  // A host with several addresses fails with one error for each, under an error without a message.
  const errors: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  const words = errors.flatMap((error) => (error instanceof Error ? [certificateText(error)] : []));
  return words.filter((each) => each !== '').join('; ') || 'no reason given';
}

/** That the port speaks HTTP for https://, or TLS for http://. A server mostly just closes the connection then. */
async function otherProtocolText(
  cause: Error | undefined,
  baseUrl: URL,
  address: string | undefined,
): Promise<string | undefined> {
  if (baseUrl.protocol === 'https:')
    return /wrong version number|packet length too long|http request/.test(cause?.message ?? '')
      ? 'this port does not speak TLS: use http://'
      : undefined;
  return cause !== undefined && (await speaksTls(baseUrl, address))
    ? 'this port speaks TLS: use https://'
    : undefined;
}

const handshakeWithinMs = 2_000;

/** Tries a handshake, and sends nothing else. */
function speaksTls({ hostname, port }: URL, address: string | undefined): Promise<boolean> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({
      host: address ?? host,
      port: Number(port || 80),
      rejectUnauthorized: false,
      ...name,
    });
    const end = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket
      .setTimeout(handshakeWithinMs, end(false))
      .once('secureConnect', end(true))
      .once('error', end(false));
  });
}

/** OpenSSL's codes for a certificate that no known authority has signed. */
const unknownIssuer = /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)/;
/** And for one that is not in order for another reason. */
const otherFault = /^(CERT_|ERR_TLS_CERT)/;

/** Node's advice after a semicolon names options of Node, and those of a profile do the same here. */
function certificateText(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  const [fault = ''] = error.message.split('; if the root CA');
  if (unknownIssuer.test(code))
    return `${fault}: name the file of its certificate authority in the profile (tls.ca_file), or set tls.reject_unauthorized to false`;
  if (otherFault.test(code)) return `${fault}: tls.reject_unauthorized: false in the profile accepts it`;
  return systemWords(error);
}
