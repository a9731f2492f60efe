import { number } from '../amounts.ts';
import type { Shown } from '../checks/core/verdict.ts';
import { foreign, type Html, html } from './markup.ts';
import { table } from './section.ts';
import { isList, isPlain, isRecord, plainText, type ShownRecord } from './shown.ts';

/** Entries of a list or record that the page shows; verdicts.json holds the rest. */
const mostEntries = 40;

/** Expected beside observed: one table where both name the same things, otherwise one after the other. */
export function comparison(expected: Shown, observed: Shown): Html {
  if (isRecord(expected) && isRecord(observed) && sharesNames(expected, observed)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(observed)])];
    const cell = (record: ShownRecord, name: string): Html | string =>
      name in record ? shownHtml(record[name] ?? null) : '';
    return html`${table('Expected and observed', names.slice(0, mostEntries), [
      ['Name', (name) => foreign(name)],
      ['Expected', (name) => cell(expected, name)],
      ['Observed', (name) => cell(observed, name)],
    ])}${omitted(names.length)}`;
  }
  return html`<dl class="sides">${side('Expected', expected)}${side('Observed', observed)}</dl>`;
}

/** What may be wider than its box scrolls in it, also with the keyboard. */
function side(name: string, value: Shown): Html {
  return html`<div><dt>${name}</dt><dd${!isPlain(value) && html` tabindex="0"`}>${shownHtml(value)}</dd></div>`;
}

function sharesNames(a: ShownRecord, b: ShownRecord): boolean {
  return Object.keys(a).some((name) => name in b);
}

/** A value as the page shows it: intervals as `a – b`, records and lists of records as tables. */
export function shownHtml(value: Shown): Html {
  if (isPlain(value)) return html`<span class="value">${foreign(plainText(value))}</span>`;
  if (isList(value)) return listHtml(value);
  const names = Object.keys(value);
  if (names.length === 0) return html`<span class="none">nothing</span>`;
  return html`<table class="plain"><tbody>${names
    .slice(0, mostEntries)
    .map(
      (name) =>
        html`<tr><th scope="row">${foreign(name)}</th><td>${shownHtml(value[name] ?? null)}</td></tr>`,
    )}</tbody></table>${omitted(names.length)}`;
}

function listHtml(list: readonly Shown[]): Html {
  if (list.length === 0) return html`<span class="none">none</span>`;
  const shown = list.slice(0, mostEntries);
  if (shown.every(isRecord) && shown.every((record) => Object.values(record).every(isPlain))) {
    const names = [...new Set(shown.flatMap((record) => Object.keys(record)))];
    return html`<table class="plain"><thead><tr>${names.map((name) => html`<th scope="col">${foreign(name)}</th>`)}</tr></thead><tbody>${shown.map(
      (record) =>
        html`<tr>${names.map((name) => html`<td>${name in record && shownHtml(record[name] ?? null)}</td>`)}</tr>`,
    )}</tbody></table>${omitted(list.length)}`;
  }
  if (shown.every(isPlain) && list.length <= 12) {
    return html`<span class="value">${foreign(shown.map((entry) => plainText(entry)).join(', '))}</span>`;
  }
  return html`<ul class="values">${shown.map((entry) => html`<li>${shownHtml(entry)}</li>`)}</ul>${omitted(list.length)}`;
}

function omitted(length: number): Html | false {
  return (
    length > mostEntries &&
    html`<p class="none">… and ${number(length - mostEntries)} more, in verdicts.json.</p>`
  );
}
