import * as z from 'zod';
import { defineKind } from '../kind/kind.ts';
import { inOrganization } from './families/parent-links.ts';

/** A word with a color that the dashboard shows with projects. */
export const tag = defineKind({
  kind: 'tag',
  section: 'tags',
  alsoCalled: ['tag', 'labels'],
  summary: 'A word with a color that the dashboard shows with projects.',
  identity: { id: 'tagId', key: ['name'], keyField: 'name' },
  parents: inOrganization('tag.all'),
  fields: {
    name: {
      schema: () => z.string().min(1).describe('Name; the key of the block by default. An organization has each once.'),
      examples: ['live', 'internal'],
    },
    color: {
      schema: () => z.string().min(1).describe('Color, as CSS writes it.'),
      examples: ['#22c55e', '#3b82f6'],
    },
  },
  lifecycle: { unique: 'name' },
  operations: { create: 'tag.create', read: 'tag.one', update: 'tag.update', delete: 'tag.remove' },
  examples: ['live: { color: "#22c55e" }\n'],
});
