import * as z from 'zod';
import type { CheckedResource, Problem } from '../kind/checks.ts';
import { type Codec, filePath } from '../kind/codecs.ts';
import { defineKind } from '../kind/kind.ts';
import type { ParentLink } from '../kind/parent.ts';
import { quotedPathBelow } from '../kind/value-forms.ts';
import { deployedFlag } from './families/service-fields.ts';
import { pathLeaves } from './families/source-paths.ts';
import { textBelow } from './families/short-forms.ts';

/** An update of the platform ends the text with a line break where it has none; a create stores it as it is. */
const endedText: Codec = {
  normal: (value) => (typeof value === 'string' && value !== '' && !value.endsWith('\n') ? `${value}\n` : value),
};

const below = (service: string): ParentLink => ({
  listed: { call: 'patch.byEntityId', with: { id: { parent: 'id' }, type: { value: service } } },
  rows: { without: [] },
  set: { [`${service}Id`]: { parent: 'id' } },
  idAt: `${service}Id`,
});

/** A change of the code of a service, made after it was fetched and before it is built. Source of the facts: recorded answers. */
export const patch = defineKind({
  kind: 'patch',
  section: 'patches',
  alsoCalled: ['patch', 'overlays', 'overrides'],
  summary: 'A file that is written into, or taken out of, the code of a service from a repository before it is built.',
  identity: { id: 'patchId', key: ['filePath'], keyField: 'filePath' },
  short: textBelow('content'),
  parents: { application: below('application'), compose: below('compose') },
  fields: {
    filePath: {
      schema: () => quotedPathBelow.describe('Path in the repository; the key of the block by default.'),
      codec: filePath,
      appliesAt: 'deploy',
      examples: ['config/site.conf', 'Dockerfile'],
    },
    type: {
      schema: () => z.enum(['create', 'update', 'delete']).describe('What it does to the file.'),
      words: {
        create: 'Writes a file that the repository lacks.',
        update: 'Writes the file anew.',
        delete: 'Deletes the file; content is empty.',
      },
      otherwise: 'update',
      appliesAt: 'deploy',
      examples: ['create', 'update'],
    },
    content: {
      schema: () => z.string().describe('Whole text of the file.'),
      codec: endedText,
      secrecy: 'private',
      savedAs: { field: 'filePath' },
      onNull: { value: '' },
      needed: true,
      appliesAt: 'deploy',
      examples: ['a = 1\n', 'a = 2\n'],
    },
    // A create ignores it: each patch begins enabled.
    enabled: deployedFlag('Whether deployments apply it.', { otherwise: true, examples: [false, true] }),
  },
  operations: { create: 'patch.create', read: 'patch.one', update: 'patch.update', delete: 'patch.delete' },
  checks: { each: isConsistent, inPreview: (self) => pathLeaves(self, 'filePath') },
  examples: ['config/site.conf: { content: "a = 1\\n" }\n'],
});

/** A patch that deletes a file has no text. */
function isConsistent({ address, values }: CheckedResource): readonly Problem[] {
  const { type, content } = values;
  if (type !== 'delete' || typeof content !== 'string' || content === '') return [];
  const message = 'a patch that deletes a file has no content';
  return [{ code: 'inconsistent', address, field: 'content', message, remedy: 'Write content: "", or type: update.' }];
}
