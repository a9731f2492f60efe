import { describe, expect, it } from 'vitest';
import { type Answer, analytics, type Call, type Translation } from '../../../src/target/calls.ts';
import { TargetClient } from '../../../src/target/client.ts';
import type { Exchange } from '../../../src/target/exchange.ts';
import type { AnswerHandler, HttpRequest } from '../../../src/target/http/request.ts';

const call = analytics({ start_date: '2026-01-01', end_date: '2026-01-31' });

/** One exchange through a translation that reads answers so. The target answers 200 with this text. */
async function exchanged(
  read: (answer: Answer) => Answer,
  text: string,
  asked: Call = call,
): Promise<{
  readonly exchange: Exchange<undefined>;
  readonly sent: HttpRequest | undefined;
}> {
  let sent: HttpRequest | undefined;
  const translation: Translation = {
    request: () => ({ method: 'POST', path: '/q', headers: { 'x-key': 'k' }, body: '{}' }),
    answer: (_, answer) => read(answer),
  };
  const connections = {
    dispatch(options: HttpRequest, handler: AnswerHandler): void {
      sent = options;
      handler.onSent();
      handler.onHead(200, { 'x-page': '1' });
      handler.onData(Buffer.from(text));
      handler.onEnd();
    },
    destroy: () => Promise.resolve(),
  };
  const client = new TargetClient(new URL('http://127.0.0.1/v1'), connections, () => 0, translation);
  const exchange = await new Promise<Exchange<undefined>>((done) => {
    client.send(asked, 'Bearer KEY', undefined, { done });
  });
  return { exchange, sent };
}

describe('a client with a translation', () => {
  it('sends what the translation says, with the usual header fields, and no Authorization besides', async () => {
    const { sent } = await exchanged((answer) => answer, '{}');
    expect(sent).toEqual({
      method: 'POST',
      path: '/v1/q',
      body: '{}',
      headers: expect.objectContaining({ 'x-key': 'k', 'content-type': 'application/json' }),
    });
    expect(sent?.headers).not.toHaveProperty('authorization');
  });

  it('spells the path of the target otherwise, where a probe does', async () => {
    const { sent } = await exchanged((answer) => answer, '{}', { ...call, spelling: 'trailing-slash' });
    expect(sent?.path).toBe('/v1/q/');
  });

  it('reads status, headers and body as the translation says, and keeps size and status of HTTP', async () => {
    const read = (): Answer => ({ status: 402, headers: {}, body: { quota: 0 } });
    const { exchange } = await exchanged(read, '{"errors":[]}');
    expect(exchange).toMatchObject({ status: 402, wireStatus: 200, headers: {}, bytes: 13 });
    expect(exchange.json()).toEqual({ quota: 0 });
    expect(exchange.text()).toBe('{"errors":[]}');
  });

  it.each([
    ['JSON', '{"a":1}', { a: 1 }],
    ['no JSON', 'what?', undefined],
    ['nothing', '', undefined],
  ])('hands the translation the body, if it is %s', async (_, text, body) => {
    const { exchange } = await exchanged((answer) => answer, text);
    expect(exchange.json()).toEqual(body);
    expect(exchange.wireStatus).toBeUndefined();
  });

  it('says of an answer that the translation cannot read what was wrong', async () => {
    const read = ({ body }: Answer): Answer => ({
      status: 200,
      headers: {},
      body: (body as { a: { b: 1 } }).a.b,
    });
    const { exchange } = await exchanged(read, '{}');
    expect(exchange).toMatchObject({ status: 200, problem: expect.stringMatching(/^adapter: Cannot read/) });
    expect(exchange.json()).toBeUndefined();
  });
});
