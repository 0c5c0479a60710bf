import { type Markup, markup, trusted } from '../markup.ts';
import { pageScript, pageScriptHash, pageStyle, pageStyleHash } from './assets.ts';

/** The parts of a page. */
export interface Page {
  /** `Plan`, `Apply`, `Drift`. */
  readonly subject: string;
  /** The project. */
  readonly title: string;
  readonly verdict: string;
  readonly counts: Markup;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly contents: Markup;
  readonly main: readonly Markup[];
  readonly foot: string;
}

/**
 * A page in one file: it loads nothing, its one style and its one script are named by their digests, and it may do nothing
 * else. Without the script it lacks the filter.
 */
export function renderShell({ subject, title, verdict, counts, facts, contents, main, foot }: Page): string {
  const policy = `default-src 'none'; script-src '${pageScriptHash}'; style-src '${pageStyleHash}'; base-uri 'none'; form-action 'none'`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${subject}: ${title}</title>
<style>${trusted(pageStyle)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<div class="title"><div><p class="subject">Trueup <span>${subject}</span></p><h1>${title}</h1></div>${themes}</div>
<p class="verdict">${verdict}</p>
${counts}
<dl class="facts">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>
<div class="columns">
<nav aria-label="Contents">${contents}</nav>
<main id="main" tabindex="-1">
${main}
</main>
</div>
<footer><p>${foot}</p></footer>
<script>${trusted(pageScript)}</script>
</body>
</html>
`.text;
}

const themes = markup`<fieldset class="themes"><legend class="hidden">Colours</legend>${[
  ['auto', 'Auto'],
  ['light', 'Light'],
  ['dark', 'Dark'],
].map(
  ([value = '', label = '']) =>
    markup`<label><input type="radio" name="theme" id="theme-${value}" value="${value}"${value === 'auto' ? markup` checked` : ''}>${label}</label>`,
)}</fieldset>`;
