import * as z from 'zod';
import { uri } from '../api/member-types.ts';
import { defineKind } from '../kind/kind.ts';
import { nameField } from './families/service-fields.ts';
import { inOrganization } from './families/parent-links.ts';

/** A service that answers with a language model, for the platform's own suggestions. */
export const ai = defineKind({
  kind: 'ai',
  section: 'ai',
  summary: "A service that answers with a language model, for the platform's own suggestions.",
  identity: { id: 'aiId', key: ['name'], keyField: 'name', idFrom: 'list' },
  parents: inOrganization('ai.getAll'),
  // The update operation makes a new row out of what it is given, so that it has to be given everything.
  fields: {
    name: { ...nameField('helper', 'assistant'), inEveryUpdate: true },
    apiUrl: {
      schema: () => uri.describe('Address of its API.'),
      takesSecrets: true,
      inEveryUpdate: true,
      examples: ['https://models.example.com/v1', 'https://models.example.com/v2'],
    },
    apiKey: {
      schema: () => z.string().describe('Key of its API; empty for none.'),
      secrecy: 'secret',
      inEveryUpdate: true,
      examples: ['correct-horse-1', 'battery-staple-2'],
    },
    model: {
      schema: () => z.string().min(1).describe('Model.'),
      inEveryUpdate: true,
      examples: ['small', 'large'],
    },
    isEnabled: {
      schema: () => z.boolean().describe('Whether it is used; true by default.'),
      atCreate: true,
      inEveryUpdate: true,
      examples: [false, true],
    },
  },
  operations: { create: 'ai.create', read: 'ai.one', update: 'ai.update', delete: 'ai.delete' },
  examples: ['helper: { apiUrl: "https://models.example.com/v1", apiKey: "${secret:MODEL_KEY}", model: small }\n'],
});
