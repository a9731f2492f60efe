import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A stand-in for S3: what `src/drive/gather/s3-store.ts` uses of it, in memory. It reads the access key and checks no signature. */
export interface S3Double {
  readonly env: Readonly<Record<string, string>>;
  readonly objects: Map<string, Buffer>;
  /** Requests so far, as `PUT /runs/run1/notes/plan.json`. */
  readonly requests: string[];
  /** What it does instead of answering as usual, if anything. */
  fault: ((request: string) => Fault | undefined) | undefined;
  /** By how much its clock is ahead. */
  aheadMs: number;
  /** How many names a page of a list has. */
  pageSize: number;
  close(): Promise<void>;
}

/** `lost`: does what is asked and closes the connection. A number: answers with that status. */
type Fault = 'lost' | number;

/** The one bucket, and the one access key. */
const bucket = 'runs';
export const s3Secret = 'secret-of-the-store';
const accessKey = 'AKIDOUBLE';

const errors: Readonly<Record<number, string>> = {
  403: '<Error><Code>InvalidAccessKeyId</Code><Message>The access key is not known.</Message></Error>',
  404: '<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message></Error>',
  503: '<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>',
};

/** Starts one on a free port of an address. `ignores`: it overwrites whatever it is asked not to, as some stores do. */
export async function startS3({ host = '127.0.0.1', ignores = false } = {}): Promise<S3Double> {
  const double: Omit<S3Double, 'env' | 'close'> = {
    ...{ objects: new Map(), requests: [], fault: undefined, aheadMs: 0, pageSize: 1_000 },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
    const what = `${request.method} ${pathname}`;
    double.requests.push(what);
    const fault = double.fault?.(what);
    const body = await buffer(request);
    response.setHeader('date', new Date(Date.now() + double.aheadMs).toUTCString());
    const end = (status: number, content: string | Buffer = errors[status] ?? ''): void => {
      if (fault === 'lost') request.socket.destroy();
      else response.writeHead(status).end(content);
    };
    if (typeof fault === 'number') return end(fault);
    if (!request.headers.authorization?.includes(`Credential=${accessKey}/`)) return end(403);
    const [, named, key] = pathname.split(/^\/([^/]+)\/?/);
    if (named !== bucket) return end(404);
    if (key === '' || key === undefined) return end(200, list(double, searchParams));
    if (request.method !== 'PUT') {
      const content = double.objects.get(key);
      return content === undefined ? end(404, '<Error><Code>NoSuchKey</Code></Error>') : end(200, content);
    }
    if (request.headers['if-none-match'] === '*' && double.objects.has(key) && !ignores) return end(412);
    double.objects.set(key, body);
    end(200);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  const env = {
    AWS_ENDPOINT_URL: `http://${host}:${address.port}`,
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: s3Secret,
  };
  return Object.assign(double, {
    env,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** A page of a list, as ListObjectsV2 gives it: the token is the last name of the page before. */
function list({ objects, pageSize }: Pick<S3Double, 'objects' | 'pageSize'>, query: URLSearchParams): string {
  const after = query.get('continuation-token') ?? '';
  const all = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort();
  const left = all.filter((key) => key > after);
  const page = left.slice(0, pageSize);
  const next = left.length > pageSize ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return `<ListBucketResult>${page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}${next}</ListBucketResult>`;
}
