import { describe, expect, it } from 'vitest';
import { readObserveSettings } from '../../src/commands/run/observe.ts';

type Arguments = Parameters<typeof readObserveSettings>[0];
type Env = Readonly<Record<string, string>>;

const read = (args: Partial<Arguments>, env: Env = {}) => readObserveSettings(args, env);
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' };

describe('the options of what a run shows of itself', () => {
  it('show nothing unless they are given', () => {
    expect(read({})).toEqual({
      otlp: undefined,
      prometheus: undefined,
      isTraced: false,
      note: undefined,
      env: {},
    });
  });

  it.each<[string, Partial<Arguments>, Env, string | undefined | 'nothing']>([
    ['the path of a collector is added', { otlp: 'http://c:4318' }, {}, 'http://c:4318/v1/metrics'],
    ['also below a path', { otlp: 'https://c/otlp/' }, {}, 'https://c/otlp/v1/metrics'],
    ['unless it is there', { otlp: 'http://c/v1/metrics' }, {}, 'http://c/v1/metrics'],
    ['an option takes precedence', { otlp: 'http://d' }, endpoint, 'http://d/v1/metrics'],
    ['the environment is enough, and the SDK reads it', {}, endpoint, undefined],
    ['the SDK can be disabled', {}, { ...endpoint, OTEL_SDK_DISABLED: 'true' }, 'nothing'],
    ['metrics can be disabled', {}, { ...endpoint, OTEL_METRICS_EXPORTER: 'none' }, 'nothing'],
    ['gRPC is not spoken', {}, { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'nothing'],
  ])('send metrics: %s', (_, args, env, url) => {
    const { otlp } = read(args, env);
    expect(otlp === undefined ? 'nothing' : otlp.url).toBe(url);
  });

  it('say why metrics are not sent, where the environment asks for gRPC', () => {
    expect(read({}, { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).note).toMatch(/^not sent: .+grpc/);
  });

  it.each<[string, string | undefined, number]>([
    ['every five seconds', undefined, 5_000],
    ['as often as the environment says', '250', 250],
    ['every five seconds if it says nothing sensible', 'often', 5_000],
  ])('send metrics %s', (_, interval, everyMs) => {
    const env = interval === undefined ? endpoint : { ...endpoint, OTEL_METRIC_EXPORT_INTERVAL: interval };
    expect(read({}, env).otlp?.everyMs).toBe(everyMs);
  });

  it.each<[string, { host: string; port: number }]>([
    ['9464', { host: '127.0.0.1', port: 9_464 }],
    ['0', { host: '127.0.0.1', port: 0 }],
    ['0.0.0.0:9464', { host: '0.0.0.0', port: 9_464 }],
    ['[::1]:9464', { host: '::1', port: 9_464 }],
  ])('show metrics at %s', (typed, place) => {
    expect(read({ 'metrics-port': typed }).prometheus).toEqual(place);
  });

  it.each<[string, Partial<Arguments>, Env, boolean]>([
    ['are off', {}, {}, false],
    ['are off with Prometheus alone', { 'metrics-port': '0' }, {}, false],
    ['are on with a collector', {}, endpoint, true],
    ['are on if they are wanted', { traceparent: true }, {}, true],
    ['are off if they are not', { traceparent: false }, endpoint, false],
  ])('and traces %s', (_, args, env, isTraced) => {
    expect(read(args, env).isTraced).toBe(isTraced);
  });

  it.each<[string, Partial<Arguments>, RegExp]>([
    [
      'a collector without a scheme',
      { otlp: 'localhost:4318' },
      /^--otlp: expected an http.+"localhost:4318"/,
    ],
    ['another protocol', { otlp: 'grpc://c' }, /^--otlp: expected an http/],
    ['a port that there is not', { 'metrics-port': '65536' }, /^--metrics-port: expected a port.+"65536"/],
    ['a port in words', { 'metrics-port': 'any' }, /^--metrics-port: .+"any"/],
  ])('reject %s', (_, args, message) => {
    expect(() => read(args)).toThrow(message);
  });
});
