import { describe, expect, test } from 'vitest';
import type { Alterations, Defect, Variant } from '../../../src/service/alterations.ts';
import { defectGroups, defects } from '../../../src/service/defects/catalogue.ts';
import { variants } from '../../../src/service/variants.ts';
import { type ServiceUnderTest, serviceUnderTest } from '../service-under-test.ts';

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

/** Something that can be seen of a service from outside, and what it is of the reference service, by what is looked at. */
export type Looks<Of extends string> = Readonly<
  Record<Of, readonly [look: (service: ServiceUnderTest) => unknown, sound: unknown]>
>;

/** What is looked at of an altered service, and what it is there. */
export type Seen<Of extends string> = Readonly<Partial<Record<Of, unknown>>>;

/** Of a row: as the reference service has it. */
export const same = Symbol('same');

/** Starts the service that is looked at. */
type Start = (alterations?: Alterations) => ServiceUnderTest | Promise<ServiceUnderTest>;

/** How each alteration shows: in the looks of its row. `others`: whether looks that a row does not name stay the same. */
export function testLooks<Of extends string>(
  alterations: readonly { readonly name: string; readonly alterations: Alterations }[],
  looks: Looks<Of>,
  rows: Readonly<Record<string, Seen<Of>>>,
  {
    start = (altered) => serviceUnderTest({}, altered),
    others = 'any',
  }: { readonly start?: Start; readonly others?: 'same' | 'any' } = {},
): void {
  const all = Object.keys(looks) as Of[];
  const soundOf = (of: Of): unknown => looks[of][1];
  test.each(all)('without it: %s', async (of) => {
    expect(await looks[of][0](await start())).toEqual(soundOf(of));
  });

  describe.each([...alterations])('$name', ({ alterations: own, name }) => {
    const row = new Map(Object.entries(rows[name] ?? {}));
    test.each(all.filter((of) => row.has(of) || others === 'same'))('%s', async (of) => {
      const expected = row.has(of) && row.get(of) !== same ? row.get(of) : soundOf(of);
      expect(await looks[of][0](await start(own))).toEqual(expected);
    });
  });

  test('each is seen to differ', () => {
    const differs = (name: string): boolean => Object.values(rows[name] ?? {}).some((seen) => seen !== same);
    expect(alterations.map(({ name }) => name).filter((name) => !differs(name))).toEqual([]);
  });
}

/** The defects of a group, by their ids. */
export function inGroup(group: string): Parameters<typeof testLooks>[0] {
  return (defectGroups[group] ?? []).map(({ alterations, id }) => ({ name: id, alterations }));
}
