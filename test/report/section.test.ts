import { describe, expect, it } from 'vitest';
import { table as figure, type TableColumn, type Text, t } from '../../src/report/figure.ts';
import { figureHtml } from '../../src/report/figure-html.ts';

const columns: readonly TableColumn<readonly Text[]>[] = [
  ['Name', ([name]) => name],
  ['Policy', ([, policy]) => policy],
  ['Answers', ([, , answers]) => answers, 'number'],
];
const table = (...of: Parameters<typeof figure<readonly Text[]>>) => figureHtml(figure(...of));

describe('a table', () => {
  it('leaves out a column that no row has anything in', () => {
    const { text } = table(
      'What is said',
      [
        ['one', '', '3'],
        ['two', t``, '4'],
      ],
      columns,
    );
    expect(text).not.toContain('Policy');
    expect(text.match(/<t[dh][ >]/g)?.length).toBe(3 * 2);
    expect(text).toContain('<th scope="col" class="num">Answers</th>');
    expect(text).toContain('<td class="num">4</td>');
  });

  it('keeps a column that one row has something in', () => {
    const { text } = table(
      'What is said',
      [
        ['one', '', '3'],
        ['two', '60;w=1', '4'],
      ],
      columns,
    );
    expect(text.match(/<t[dh][ >]/g)?.length).toBe(3 * 3);
  });

  it('keeps what heads its rows, empty or not', () => {
    expect(table('What is said', [['', '', '3']], columns).text).toContain('Name');
  });

  it('is a sentence where there are no rows', () => {
    expect(table('What is said', [], columns).text).toBe('<p class="none">What is said: none.</p>');
  });
});
