import { type Markup, markup } from '../../../render/markup.ts';
import { renderDocument } from '../document.ts';

/** What every page of a viewer has. */
export interface Frame {
  /** Who looks at it; empty: the visitor is not signed in. */
  readonly who: string;
  /** The addresses of the style, the script and the icon. */
  readonly assets: { readonly style: string; readonly script: string; readonly icon: string };
}

/** The parts of a page. */
export interface Content {
  /** The entry of the menu that it belongs to. */
  readonly place?: Place | undefined;
  /** A word above the title, such as `Plan`. */
  readonly subject?: Markup | string | undefined;
  readonly title: string;
  /** Behind the title: how it stands. */
  readonly standing?: Markup | undefined;
  /** A sentence that says what matters. */
  readonly verdict?: Markup | string | undefined;
  /** Below it, such as counts and facts. */
  readonly head?: Markup | undefined;
  /** The contents of a long page, beside it. */
  readonly contents?: Markup | undefined;
  readonly main: Markup | readonly Markup[];
  /** Without the script the page is loaded again after so many seconds. */
  readonly refreshSeconds?: number | undefined;
}

const places = {
  stacks: ['/', 'Stacks'],
  waves: ['/waves', 'Waves'],
  platforms: ['/platforms', 'Platforms'],
  sources: ['/sources', 'Sources'],
  audit: ['/audit', 'Audit'],
  me: ['/me', ''],
} as const;

type Place = keyof typeof places;

/** A page of the controller. It loads its style, its script and its icon from there, and nothing else. */
export function renderLayout(frame: Frame, content: Content): string {
  const { assets, who } = frame;
  const { place, subject, title, standing, verdict, head, contents, main, refreshSeconds } = content;
  const menu = Object.entries(places).filter(([, [, words]]) => words !== '');
  const here = (name: string) => (name === place ? markup` aria-current="page"` : '');
  const links = markup`<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style}">
${refreshSeconds === undefined ? '' : markup`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}
<script src="${assets.script}" defer></script>`;
  const body = markup`<body class="site">
<a class="skip" href="#main">Skip to the content</a>
<nav class="bar" aria-label="Trueup"><div>
<a class="brand" href="/">${mark}<b>Trueup</b></a>
<ul>${menu.map(([name, [address, words]]) => markup`<li><a href="${address}"${here(name)}>${words}</a></li>`)}</ul>
${who === '' ? '' : markup`<a class="who" href="/me"${here('me')}><span class="hidden">Signed in as </span>${who}</a>`}
</div></nav>
<header>
${subject === undefined ? '' : markup`<p class="subject">${subject}</p>`}
<div class="heading"><h1>${title}</h1>${standing}</div>
${verdict === undefined ? '' : markup`<p class="verdict">${verdict}</p>`}
${head}
</header>
<div class="${contents === undefined ? 'columns single' : 'columns'}">
${contents === undefined ? '' : markup`<nav class="contents" aria-label="Contents">${contents}</nav>`}
<main id="main" tabindex="-1">
${main}
</main>
</div>
</body>`;
  return renderDocument(`${title} · Trueup`, links, body);
}

/** The sign of Trueup: two lines, brought to one level. */
const mark = markup`<svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true" focusable="false"><path d="M2 5.5h5.5M8.5 5.5H14M2 10.5h12" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round"/></svg>`;

/** The icon of the page, as a file. */
export const iconFile = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#1d5bb8"/><path d="M4 6h3.4M8.6 6H12M4 10h8" fill="none" stroke="#fff" stroke-width="1.8" stroke-linecap="round"/></svg>`;
