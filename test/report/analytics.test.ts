import { beforeAll, describe, expect, it } from 'vitest';
import { judge } from '../../src/checks/judge.ts';
import { writeHtmlReport } from '../../src/report/html.ts';
import type { ProfileInput } from '../../src/target/profile.ts';
import { Scene } from '../checks/analytics/scene.ts';
import { richPage, rowsOfTables, sectionOf } from './pages.ts';

/** The analytics section of a page, and the rows of its tables. */
function analyticsOf(page: string): { readonly html: string; readonly rows: readonly string[] } {
  const html = sectionOf(page, 'analytics');
  return { html, rows: rowsOfTables(html) };
}

describe('the analytics section', () => {
  let section: ReturnType<typeof analyticsOf>;
  beforeAll(async () => {
    section = analyticsOf(await richPage());
  });

  it('says how many answers differ, and leads to them', () => {
    expect(section.html).toMatch(/<a href="#analytics-answers">1 of 7 answers<\/a>/);
    expect(section.html).toContain('id="analytics-answers"');
  });

  it('has what is expected beside what came back, and why it is wrong', () => {
    const row = section.rows.find((each) => /total_sessions\|.*Fail/.test(each));
    expect(row).toMatch(/total_sessions\|\d+\|\d+\|✗ Fail ?Expected \d+, got \d+, which is \d+ too few\./);
  });

  it('has a row for each convention, with the profile’s and what the answers show', () => {
    const row = (head: string): string | undefined =>
      section.rows.find((each) => each.startsWith(`${head}|`));
    expect(row('end_date')).toMatch(/^end_date\|leaves it open\|inclusive/);
    expect(row('rounding')).toMatch(/^rounding\|says nothing\|4 decimals, to nearest/);
  });

  it('shows how far sessions and events got', () => {
    const counts = (head: string): number[] =>
      (section.rows.find((each) => each.startsWith(`${head}|`)) ?? '')
        .split('|')
        .slice(1, 2)
        .map((cell) => Number(cell.replaceAll(',', '')));
    const [requests = Number.NaN] = counts('requests for a new session');
    const [created = Number.NaN] = counts('sessions created: 2xx with a new session_id');
    expect(requests).toBeGreaterThan(created);
    expect(counts('events sent')).toEqual(counts('events whose request got 2xx'));
    expect(section.html).toMatch(/<rect width="\d+(\.\d)?" height="8" class="fill-ok"/);
  });

  it('draws the sessions opened and shown, and gives the lag', () => {
    expect(section.html).toContain('id="plot-analytics-freshness"');
    expect(section.rows.find((each) => each.startsWith('Longest|'))).toMatch(/^Longest\|\d/);
  });
});

describe('where conventions are', () => {
  const scene = (manner: object): Scene => {
    const made = new Scene();
    made.visit('p', ['A', 'A', 'B']);
    made.visit('p', ['A']);
    made.visit('p');
    made.pause(20_000);
    made.ask({}, manner);
    made.ask({ product: 'p' }, manner);
    return made;
  };
  const section = async (manner: object, analytics: ProfileInput['analytics'] = {}) =>
    analyticsOf(
      await scene(manner).judge(async (history) => writeHtmlReport(history, await judge(history)), {
        profile: { analytics: { exclusive: true, ...analytics } },
      }),
    );

  it('open, the table says what would tell them apart', async () => {
    const { rows } = await section({});
    const zone = rows.find((row) => row.startsWith('time_zone'));
    expect(zone).toMatch(
      /\|leaves it open\|UTC or .* or \d+ more\|To learn time_zone, a run needs a session at an hour/,
    );
  });

  it('other than the profile’s, the one that fits stands out', async () => {
    const { html, rows } = await section(
      { shades: 'selections' },
      { shades_per_session: 'distinct', sessions_averaged: 'all' },
    );
    expect(rows.find((row) => row.startsWith('shades_per_session|'))).toBe(
      'shades_per_session|distinct|selections|',
    );
    expect(html).toContain('the profile says another');
    expect(html).toMatch(/<strong><bdi>selections<\/bdi><\/strong>/);
  });
});
