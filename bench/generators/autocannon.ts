/** `autocannon.ts <base URL> pressure|journeys <requests>`: the same requests by autocannon, which remembers totals. */
import { randomUUID } from 'node:crypto';
import autocannon from 'autocannon';
import { isObject } from '../../src/target/json.ts';
import { eventBody, headers, sessionBody } from './requests.ts';
import { connections, eventsPerJourney, tellUsage } from './usage.ts';

const [, , base = '', kind, amount] = process.argv;
const { origin, pathname } = new URL(base);
const open: autocannon.Request = { method: 'POST', path: `${pathname}/sessions`, headers, body: sessionBody };

const journey: autocannon.Request[] = [
  {
    ...open,
    onResponse: (_status, text, context) => {
      const grant: unknown = JSON.parse(text);
      if (isObject(grant)) Object.assign(context, { id: grant.session_id, token: grant.token });
    },
  },
  ...Array.from(
    { length: eventsPerJourney },
    (_, n): autocannon.Request => ({
      method: 'POST',
      setupRequest: (request, context: { id?: string; token?: string }) => ({
        ...request,
        path: `${pathname}/sessions/${context.id}/interactions`,
        headers: { ...headers, authorization: `Bearer ${context.token}` },
        body: eventBody(n, randomUUID(), new Date().toISOString()),
      }),
    }),
  ),
  {
    method: 'GET',
    setupRequest: (request, context: { id?: string }) => ({
      ...request,
      path: `${pathname}/sessions/${context.id}`,
      headers,
    }),
  },
];

const result = await autocannon({
  url: origin,
  connections,
  amount: Number(amount),
  requests: kind === 'journeys' ? journey : [open],
});
tellUsage(result.requests.total, result['2xx'], result.duration);
