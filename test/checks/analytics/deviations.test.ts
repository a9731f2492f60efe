import { describe, expect, it } from 'vitest';
import type { Frame } from '../../../src/checks/analytics/conventions/conventions.ts';
import { leastOtherwise, type Otherwise } from '../../../src/checks/analytics/conventions/deviations.ts';
import { type Accounts, waysToShare } from '../../../src/checks/analytics/conventions/whose-data.ts';
import { utc, zonesOf } from '../../../src/checks/analytics/conventions/zones.ts';
import { deviationText } from '../../../src/checks/reasons/analytics/words.ts';

const [eachItsOwn] = waysToShare([]) as [Accounts];
const expected: Frame = { end: 'inclusive', account: eachItsOwn, zone: utc, day: 'creation' };
const [together = eachItsOwn] = waysToShare(['load', 'bystander']).slice(-1);
const zones = zonesOf(['2026-11-21']);
const east = zones.filter(({ offsetMinutes }) => offsetMinutes >= 180);
const exclusive = { ...expected, end: 'exclusive' } as const;
const inZones = (all: typeof zones): Frame[] => all.map((zone) => ({ ...expected, zone }));

function otherwise(frame: Frame, from: Frame): Otherwise {
  return {
    end: frame.end === from.end ? null : frame.end,
    day: frame.day === from.day ? null : frame.day,
    account: frame.account.id === from.account.id ? null : frame.account.groups,
    zone: frame.zone.name === from.zone.name ? null : frame.zone,
  };
}

describe('frames of conventions that explain an answer equally well', () => {
  it.each<[string, readonly Frame[], string]>([
    ['are named', [exclusive], 'end_date exclusive'],
    [
      'are all named, none of them alone',
      [exclusive, { ...expected, account: together }],
      'end_date exclusive or one account for all keys',
    ],
    [
      'are told by the offsets between which they lie where they are many zones',
      [exclusive, ...inZones(east)],
      'end_date exclusive or days of zones from UTC+03:00 to UTC+14:00',
    ],
    [
      'are told apart east and west of UTC',
      inZones(zones.filter(({ offsetMinutes }) => Math.abs(offsetMinutes) >= 540)),
      'days of zones from UTC+09:00 to UTC+14:00 or days of zones from UTC-12:00 to UTC-09:00',
    ],
    ['are one by one where they are few', inZones(east.slice(0, 1)), `days of ${east[0]?.label}`],
    [
      'are not named where others need less to differ',
      [...inZones(east).map((frame) => ({ ...frame, end: 'exclusive' as const })), exclusive],
      'end_date exclusive',
    ],
    ['are none where nothing differs', [expected], ''],
  ])('%s', (_what, frames, words) => {
    const least = leastOtherwise(frames.map((frame) => otherwise(frame, expected)));
    expect(least.map(deviationText).join(' or ')).toBe(words);
  });
});
