import * as z from 'zod';
import { callersOrganization, ownRows } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { ApiError, DatabaseError } from '../error-answers.ts';
import { models, suggestions } from '../fixtures.ts';
import { pick, textOf, type Json, type Row } from '../json-rows.ts';
import { newestFirst } from '../newest-first.ts';
import { createService } from '../services.ts';
import { insertDomain } from './domain.ts';

const { find, add } = rowsOf('ai', 'AI settings');

/** The `ai` group. No model is ever reached. */
export const ai: Group = {
  'ai.one': find,
  'ai.get': find,

  'ai.getAll': (context) => newestFirst(ownRows(context, 'ai')),

  // The empty list, not the row: the new id shows only in `getAll`.
  'ai.create'(context, input) {
    add(context, input);
    return [];
  },

  // An upsert: an unknown id is made, and the columns of a new row are asked for before the old row is looked for.
  'ai.update'(context, input) {
    const missing = ['name', 'apiUrl', 'apiKey', 'model'].find((column) => input[column] === undefined);
    if (missing !== undefined) throw new DatabaseError('insert into "ai"', `"${missing}" is null`);
    if (context.store.update('ai', input['aiId'], input) !== undefined) return [];
    context.store.insert('ai', { createdAt: context.now(), ...input, organizationId: callersOrganization(context) });
    return [];
  },

  // An unknown id is a success too.
  'ai.delete'({ store }, input) {
    store.remove('ai', input['aiId']);
    return [];
  },

  'ai.getModels'(context, input) {
    if (!URL.canParse(textOf(input, 'apiUrl'))) throw new ApiError('BAD_REQUEST', 'Invalid URL');
    return models.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'emulator' }));
  },

  'ai.suggest'(context, input) {
    if (find(context, input)['isEnabled'] !== true)
      throw new ApiError('BAD_REQUEST', 'AI features are not enabled for this configuration');
    return structuredClone(suggestions);
  },

  // Makes a compose with its domains and files, and does not say which.
  'ai.deploy'(context, input) {
    const { store, newId } = context;
    const { domains, configFiles } = parseExtras(input);
    const { composeId = null } = createService(context, 'compose', {
      input: {
        ...pick(input, ['name', 'description', 'environmentId', 'serverId']),
        appName: stem(context, input),
        composeFile: input['dockerCompose'] ?? '',
        env: input['envVariables'] ?? null,
        sourceType: 'raw',
        isolatedDeployment: true,
      },
    });
    for (const domain of domains)
      insertDomain(context, { ...domain, domainType: 'compose', certificateType: 'none', composeId });
    for (const file of configFiles)
      store.insert('mount', {
        ...file,
        mountId: newId(),
        type: 'file',
        mountPath: '',
        serviceType: 'compose',
        composeId,
      });
    return null;
  },
};

/** What the document gives no type for. */
const extras = z.object({
  domains: z
    .array(z.object({ host: z.string().min(1), port: z.number().min(1), serviceName: z.string().min(1) }))
    .default([]),
  configFiles: z.array(z.object({ filePath: z.string().min(1), content: z.string() })).default([]),
});

function parseExtras(input: Row): z.infer<typeof extras> {
  const result = extras.safeParse(input);
  if (result.success) return result.data;
  throw new ApiError('BAD_REQUEST', 'Input validation failed', result.error.issues as unknown as Json[]);
}

/** The beginning of the appName: the project and what was suggested. */
function stem({ store }: Context, input: Row): string {
  const environment = store.find('environment', input['environmentId']);
  const project = store.find('project', environment?.['projectId']);
  return `${String(project?.['name'] ?? '')} ${textOf(input, 'id')}`.replaceAll(/[^A-Za-z0-9]+/g, '-');
}
