import { type Markup, markup, trusted } from '../../render/markup.ts';
import { renderDocument } from './document.ts';

/** An error that the page answers with a status, and a sentence for whoever sent the request. */
export interface Refusal extends Error {
  readonly statusCode: number;
  readonly isShown: true;
}

/** The error of a request that is refused. What others wrote has no place in its sentence. */
export function refusal(statusCode: number, sentence: string): Refusal {
  return Object.assign(new Error(sentence), { statusCode, isShown: true } as const);
}

/** One answer for what is not there and for what one may not see. */
export function notFound(): Refusal {
  return refusal(404, sentences[404]);
}

const sentences = {
  400: 'The request has a form that this page does not read.',
  401: 'Sign in first.',
  403: 'Your role does not allow this.',
  404: 'There is nothing here, or your role does not show it.',
  405: 'This address does not take such a request.',
  413: 'The request is larger than this page takes.',
  414: 'The address is longer than this page takes.',
  415: 'The request has a content type that this page does not read.',
  429: 'Too many requests. Wait a minute, then try again.',
  500: 'The page failed. Its log says why.',
  503: 'The database does not answer. Try again soon.',
} as const;

/** The status and the sentence of any error; those of the framework and of libraries are told by their status alone. */
export function answerOf(error: unknown): { readonly status: number; readonly sentence: string } {
  const { statusCode, isShown, message } = error as Partial<Refusal>;
  const status = statusCode !== undefined && statusCode >= 400 && statusCode < 600 ? statusCode : 500;
  if (isShown === true && message !== undefined) return { status, sentence: message };
  const known = Object.entries(sentences).find(([code]) => Number(code) === status)?.[1];
  return { status, sentence: known ?? (status < 500 ? sentences[400] : sentences[500]) };
}

/** A page without navigation: of an error, or of a sign-in. */
export function renderPlain(title: string, main: Markup): string {
  return renderDocument(
    `${title} - Trueup`,
    trusted('<link rel="stylesheet" href="/assets/page.css">'),
    markup`<body>
<main id="main">
<h1>${title}</h1>
${main}
</main>
</body>`,
  );
}
