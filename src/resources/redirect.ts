import * as z from 'zod';
import type { CheckedResource, Problem } from '../kind/checks.ts';
import { readGoRegex, replacementProblem } from '../formats/go-regex.ts';
import { defineKind } from '../kind/kind.ts';
import { shortRedirect } from './families/short-forms.ts';
import { listedBelow } from './families/parent-links.ts';

const notGo = 'is not a regular expression of Go, which the proxy reads';

/** An answer of the proxy that sends browsers from the addresses of an application to other ones. */
export const redirect = defineKind({
  kind: 'redirect',
  section: 'redirects',
  alsoCalled: ['redirect', 'redirections', 'rewrites'],
  summary: 'An answer of the proxy that sends browsers from the addresses of an application to other ones.',
  identity: { id: 'redirectId', key: ['regex'], idFrom: 'list' },
  short: shortRedirect,
  parents: { application: listedBelow('application', 'redirects') },
  fields: {
    regex: {
      schema: () =>
        z
          .string()
          .min(1)
          .refine((text) => readGoRegex(text).problem === undefined, {
            error: ({ input }) => `${notGo}: it ${readGoRegex(String(input)).problem ?? ''}`,
            params: { ofSecrets: notGo },
          })
          .describe('Regular expression of Go for the whole address, with its scheme.'),
      examples: ['^https?://www\\.example\\.com/(.*)', '^https?://old\\.example\\.com/(.*)'],
    },
    replacement: {
      schema: () => z.string().min(1).describe('Address that it leads to; `${1}` is the text of the first group.'),
      takesSecrets: true,
      examples: ['https://example.com/${1}', 'https://shop.example.com/${1}'],
    },
    permanent: {
      schema: () =>
        z.boolean().describe('Whether browsers remember it: 301 and 308, else 302 and 307. false by default.'),
      atCreate: false,
      examples: [true, false],
    },
  },
  operations: {
    create: 'redirects.create',
    read: 'redirects.one',
    update: 'redirects.update',
    delete: 'redirects.delete',
  },
  lifecycle: { deletedWithParent: true },
  checks: { each: groupsExist },
  examples: [
    'www:\n  regex: ^https?://www\\.example\\.com/(.*)\n  replacement: https://example.com/${1}\n  permanent: true\n',
  ],
});

/** A group that is not there is empty in the address, which then leads elsewhere. */
function groupsExist({ address, values: { regex, replacement } }: CheckedResource): Problem[] {
  if (typeof regex !== 'string' || typeof replacement !== 'string') return [];
  const problem = replacementProblem(replacement, readGoRegex(regex));
  if (problem === undefined) return [];
  const remedy = 'Write ${1} for the first group of regex, and $$ for a dollar sign.';
  return [{ code: 'inconsistent', address, field: 'replacement', message: problem, remedy }];
}
