import * as z from 'zod';
import { type Kind, defineKind } from '../kind/kind.ts';
import { description, env, nameField } from './families/service-fields.ts';
import { countServices } from './top/contents.ts';
import { project } from './top/project.ts';

/** The kind on a platform that lists no projects: `project:` is an id there. */
function withoutProjects(kind: Kind): Kind {
  const links = Object.entries(kind.parents).map(([name, { projects: _projects, ...link }]) => [name, link] as const);
  return { ...kind, parents: Object.fromEntries(links) };
}

/** A group of services in a project, such as production. */
export const environment = defineKind({
  kind: 'environment',
  section: 'environments',
  alsoCalled: ['envs', 'stages'],
  top: project,
  summary: 'A group of services in a project, such as production.',
  identity: { id: 'environmentId', key: ['name'], keyField: 'name', addressedByKey: true },
  parents: {
    root: {
      listed: {
        call: 'environment.byProjectId',
        with: { projectId: { context: 'projectId' } },
        whenEmpty: 'every project has a default environment, so there is no such project or the key may not see it',
      },
      rows: { without: ['env'] },
      set: { projectId: { context: 'projectId' } },
      idAt: 'projectId',
      projects: { call: 'project.all', id: 'projectId', name: 'name', services: countServices },
      projectNameAt: 'project.name',
    },
  },
  fields: {
    name: nameField('staging', 'preview'),
    description: { ...description, onNull: { value: '' } },
    env: {
      ...env,
      schema: () =>
        z.string().describe('Variables that services use as ${{environment.NAME}}: a map, or the text of an env file.'),
      onNull: { value: '' },
    },
  },
  operations: {
    create: 'environment.create',
    read: 'environment.one',
    update: 'environment.update',
    delete: 'environment.remove',
  },
  lifecycle: {
    provided: {
      is: (row) => row.isDefault === true,
      allows: 'update',
      fixed: ['name'],
      madeWith: { description: 'Production environment' },
      comesWith: { name: 'production' },
    },
  },
  without: { 'project.all': withoutProjects },
  examples: ['staging:\n  description: Before release.\n  env: { REGION: eu }\n'],
});
