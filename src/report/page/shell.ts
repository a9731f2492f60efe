import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { visible } from '../text.ts';
import { pageScript } from './script.ts';
import { pageStyle } from './style.ts';

/** A whole page that needs nothing but itself: style, scripts and data inside, and a policy that lets nothing else in. */
export async function page(title: string, data: unknown, body: Content): Promise<string> {
  const styles = [await uplotFile('uPlot.min.css'), pageStyle];
  // A script may not contain its element's closing tag.
  const scripts = [await uplotFile('uPlot.iife.min.js'), pageScript].map((script) =>
    script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--'),
  );
  const policy = [
    "default-src 'none'",
    `style-src ${styles.map(sourceHash).join(' ')}`,
    `script-src ${scripts.map(sourceHash).join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`${new Html('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${styles.map((style) => html`<style>${new Html(style)}</style>\n`)}</head>
<body>
${body}
<script type="application/json" id="report-data">${scriptJson(data)}</script>
${scripts.map((script) => html`<script>${new Html(script)}</script>\n`)}</body>
</html>
`.text;
}

function sourceHash(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

/** A file of uPlot's distribution, in any package layout. */
function uplotFile(name: string): Promise<string> {
  return readFile(new URL(import.meta.resolve(`uplot/dist/${name}`)), 'utf8');
}

/** Markup that may go on the page as it stands. Only `html` makes it, and `html` escapes everything that is not `Html`. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | false | null | undefined | readonly Content[];

/** `html\`<p>${text}</p>\``: every value is escaped, except markup. Absent values and `false` give nothing. */
export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  let text = strings[0] ?? '';
  for (let i = 0; i < values.length; i++) text += markup(values[i]) + (strings[i + 1] ?? '');
  return new Html(text);
}

/** A date, with its time if there is one: a narrow page would break it at its hyphens. */
const instant = /(\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:\d\d)?)?)/;

/** Text with its instants whole. */
export function withWholeInstants(text: string): Html {
  const parts = text.split(instant);
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<span class="nowrap">${part}</span>` : part))}`;
}

/** Text that a target or a scenario chose: kept apart, so that its writing direction cannot leak into what surrounds it. */
export function foreign(text: string): Html {
  return html`<bdi>${withWholeInstants(visible(text))}</bdi>`;
}

/** A sentence that may quote ids: what it has in backticks is set in the code face. */
export function prose(text: string): Html {
  const parts = visible(text).split(/`([^`]+)`/);
  return html`<bdi>${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : withWholeInstants(part)))}</bdi>`;
}

function markup(value: Content): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(markup).join('');
  // Safe between tags and inside quoted attributes.
  return String(value).replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** JSON for a script element: nothing in it can end the element or start a comment. */
function scriptJson(value: unknown): Html {
  return new Html(
    JSON.stringify(value)
      .replaceAll('<', '\\u003c')
      .replaceAll('\u2028', '\\u2028')
      .replaceAll('\u2029', '\\u2029'),
  );
}
