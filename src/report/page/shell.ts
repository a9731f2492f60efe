import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Content, Html, html, scriptJson } from '../markup.ts';
import { pageScript } from './script.ts';
import { pageStyle } from './style.ts';

/** A whole page that needs nothing but itself: style, scripts and data inside, and a policy that lets nothing else in. */
export async function page(title: string, data: unknown, body: Content): Promise<string> {
  const styles = [await uplotFile('uPlot.min.css'), pageStyle];
  const scripts = [await uplotFile('uPlot.iife.min.js'), pageScript].map(inlineScript);
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

/** A script may not contain its element's closing tag. */
function inlineScript(script: string): string {
  return script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

function sourceHash(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

/** A file of uPlot's distribution, in any package layout. */
function uplotFile(name: string): Promise<string> {
  return readFile(new URL(import.meta.resolve(`uplot/dist/${name}`)), 'utf8');
}
