import { type Markup, markup } from '../../render/markup.ts';

/** A page as HTML: what every page of the controller begins with, its own links, and its body. */
export function renderDocument(title: string, links: Markup, body: Markup): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin">
<meta name="robots" content="noindex">
<title>${title}</title>
${links}
</head>
${body}
</html>
`.text;
}
