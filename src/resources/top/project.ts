import * as z from 'zod';
import { envEntries, idSet, text } from '../../kind/codecs.ts';
import { defineKind } from '../../kind/kind.ts';
import { readableName } from '../../kind/value-forms.ts';
import { description, env } from '../families/service-fields.ts';
import { contentsOf } from './contents.ts';

/** The project of a manifest that declares it as a block. Source of the facts: answers of the platform. */
export const project = defineKind({
  kind: 'project',
  section: 'project',
  isTop: true,
  isSingle: true,
  summary:
    'The project itself, where project: is a block: created, or taken over, with the environment that it brings.',
  identity: { id: 'projectId', key: ['name'], keyField: 'name', answeredIn: 'project' },
  parents: { root: { listed: { call: 'project.all' }, rows: 'whole', set: {}, idAt: 'organizationId' } },
  fields: {
    name: {
      schema: () => readableName.describe('Name.'),
      needed: true,
      examples: ['shop', 'store'],
    },
    // null and empty text are kept apart.
    description: { schema: description.schema, examples: description.examples, takesSecrets: true },
    env: {
      schema: () =>
        z.string().describe('Variables that services use as ${{project.NAME}}: a map, or the text of an env file.'),
      map: envEntries,
      codec: text,
      secrecy: 'private',
      onNull: { value: '' },
      examples: env.examples,
    },
    // The platform checks that it has each tag, and none of them twice.
    tagIds: {
      schema: () =>
        z
          .array(z.string().min(1))
          .describe('Tags, by their keys in this manifest, their names on the platform or their ids.'),
      written: 'tags',
      refersTo: 'tag',
      readAt: 'projectTags.tagId',
      codec: idSet,
      onNull: { value: [] },
      examples: [['tag_1'], ['tag_1', 'tag_2']],
    },
  },
  operations: {
    create: 'project.create',
    read: 'project.one',
    update: ['project.update', 'tag.bulkAssign'],
    delete: 'project.remove',
  },
  lifecycle: {
    contents: contentsOf,
    dataAtRisk: () => ({ of: 'data', what: 'the project with everything in it' }),
  },
  examples: ['name: shop\ndescription: The shop.\nenv: { REGION: eu }\n'],
});
