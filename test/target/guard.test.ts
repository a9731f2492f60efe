import { describe, expect, it } from 'vitest';
import { TryonError } from '../../src/exit.ts';
import { assertAllowed, isLoopback, parseBaseUrl } from '../../src/target/guard.ts';

describe('a base URL', () => {
  it.each([
    ['is taken as it is', 'http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
    ['loses slashes at its end', 'https://shop.example/v1//', 'https://shop.example/v1'],
    [
      'may have a path before its version',
      'https://shop.example/try-on/api/v2',
      'https://shop.example/try-on/api/v2',
    ],
    ['may have a host of any form', 'http://[::1]:9/v1', 'http://[::1]:9/v1'],
  ])('%s', (_sentence, text, expected) => {
    expect(parseBaseUrl(text).href).toBe(expected);
  });

  it.each([
    ['that is no URL', 'shop', /expected a base URL/],
    ['without a scheme', '127.0.0.1:80/v1', /expected/],
    ['of another scheme', 'file:///v1', /http or https, got file/],
    ['without a version, with what it could be', 'http://h:1/api/', /such as http:\/\/h:1\/api\/v1$/],
    ['without any path, with what it could be', 'http://h:1', /such as http:\/\/h:1\/v1$/],
    ['with a version that is not its last segment', 'http://h/v1/sessions', /version segment/],
    ['with a query', 'http://h/v1?key=1', /no query or fragment: http:\/\/h\/v1$/],
    ['with credentials, which are not repeated', 'http://me:hush@h/v1', /^(?!.*hush).*credentials/],
  ])('%s is refused', (_sentence, text, message) => {
    expect(() => parseBaseUrl(text)).toThrow(message);
    expect(() => parseBaseUrl(text)).toThrow(TryonError);
  });
});

describe('the safety catch', () => {
  it.each(['127.0.0.1', '127.8.9.10', 'localhost', 'LOCALHOST', '::1', '[::1]'])('%s is loopback', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each([
    '127.0.0.1.example.com',
    '128.0.0.1',
    '0.0.0.0',
    '10.0.0.1',
    'localhost.example',
    '::2',
    '1270.0.0.1',
    '',
  ])('%s is not loopback', (host) => {
    expect(isLoopback(host)).toBe(false);
  });

  it('lets loopback and named hosts through, with or without their port, and nothing else', () => {
    const url = new URL('http://shop.example:8080/v1');
    expect(() => assertAllowed(new URL('http://127.0.0.1/v1'), [])).not.toThrow();
    expect(() => assertAllowed(url, ['shop.example'])).not.toThrow();
    expect(() => assertAllowed(url, ['shop.example:8080'])).not.toThrow();
    expect(() => assertAllowed(url, ['shop.example:80', 'example', 'other.example'])).toThrow(
      /shop\.example is not loopback; use --allow-host shop\.example/,
    );
  });

  it.each([
    ['that is allowed itself', 'shop.example', '10.0.0.8', true],
    ['of this machine', 'shop.example', '127.0.0.2', true],
    ['that is the host', '[fd00::8]', 'fd00::8', true],
    ['elsewhere, of an allowed host', 'shop.example', '10.0.0.9', false],
    ['elsewhere, of a loopback name', 'localhost', '10.0.0.9', false],
  ])('looks at an address %s', (_, host, address, isAllowed) => {
    const assert = () =>
      assertAllowed(new URL(`http://${host}/v1`), ['shop.example', '[fd00::8]', '10.0.0.8'], address);
    if (isAllowed) expect(assert).not.toThrow();
    else expect(assert).toThrow(`--allow-host ${address}`);
  });
});
