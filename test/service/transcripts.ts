import { expect, test } from 'vitest';
import type { Alterations, Defect, Variant } from '../../src/service/alterations.ts';
import { defects } from '../../src/service/defects/catalogue.ts';
import { variants } from '../../src/service/variants.ts';
import type { ServiceUnderTest } from './service-under-test.ts';

/** The defect with this id. */
export function planted(id: string): Defect {
  const found = defects.find((each) => each.id === id);
  if (found === undefined) throw new Error(`there is no defect ${id}`);
  return found;
}

/** The variant with this name. */
export function varied(name: string): Variant {
  const found = variants.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no variant ${name}`);
  return found;
}

/** What is asked of a service, and what is seen besides its answers. */
export type Script = (service: ServiceUnderTest) => Promise<unknown>;
export type Start = (alterations?: Alterations) => ServiceUnderTest | Promise<ServiceUnderTest>;

/** All that a script gets to see: each answer without its random ids, how long the service paused, and what the script returns. */
async function transcript(script: Script, service: ServiceUnderTest): Promise<string[]> {
  const before = service.answers.length;
  const seen = await script(service);
  const answers = service.answers.slice(before).map(({ headers, status, text }) => {
    const { connection: _, 'content-length': __, date: ___, ...others } = headers;
    return `${status} ${text} ${JSON.stringify(others)}`;
  });
  return [...answers, `waits ${service.clock.pausesMs.join()}`, JSON.stringify(seen) ?? ''].map((line) =>
    line.replace(/\b(ts|st)_[\w.-]+|[\da-f]{8}-0000-4000-[\da-f-]+/g, 'id'),
  );
}

/** `rows`: a script that shows an alteration, and what its transcript then has in a line that is another otherwise. */
export function testScripts<Of extends string>(
  altered: readonly { readonly name: string; readonly alterations: Alterations }[],
  start: Start,
  scripts: Readonly<Record<Of, Script>>,
  rows: readonly (readonly [name: string, script: Of, text: string])[],
): void {
  test.each(rows)('%s shows in %s: %s', async (name, of, text) => {
    const alterations = altered.find((each) => each.name === name)?.alterations;
    const honest = await transcript(scripts[of], await start());
    const lines = await transcript(scripts[of], await start(alterations));
    const differing = lines.filter((line, n) => line !== honest[n]);
    expect(
      differing.some((line) => line.includes(text)),
      differing.map((line) => line.slice(0, 300)).join('\n'),
    ).toBe(true);
  });

  test('each of them has a row', () => {
    expect(altered.map(({ name }) => name)).toEqual([...new Set(rows.map(([name]) => name))]);
  });
}
