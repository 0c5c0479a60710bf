import { callersOrganization, ownRows } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { ApiError, notFound } from '../error-answers.ts';
import { textOf, type Json, type Row } from '../json-rows.ts';
import type { Store } from '../table-store.ts';
import { rowsOf, valuesToSet } from '../crud.ts';

const { add } = rowsOf('tag', 'Tag');

/** The `tag` group. An organization has each name once; of another organization a tag is not found. */
export const tag: Group = {
  'tag.create'(context, input) {
    checkName(context, 'Error creating tag: Failed query: insert into "tag"', input);
    return add(context, input);
  },

  'tag.all': (context) => ownRows(context, 'tag').toSorted((a, b) => (textOf(a, 'name') < textOf(b, 'name') ? -1 : 1)),

  'tag.one': (context, input) => find(context, input),

  'tag.update'(context, input) {
    const row = find(context, input, ` or you don't have permission to update it`);
    const values = valuesToSet(input, ['tagId'], ['BAD_REQUEST', 'Error updating tag: No values to set']);
    checkName(context, 'Error updating tag: Failed query: update "tag" set', { ...row, ...values });
    return context.store.update('tag', row['tagId'], values);
  },

  // With its assignments.
  'tag.remove'(context, input) {
    context.store.remove('tag', find(context, input, ` or you don't have permission to delete it`)['tagId']);
    return { success: true };
  },

  'tag.assignToProject'(context, input) {
    const { tagId = null } = find(context, input, ` or you don't have permission to use it`);
    return assign(context, { ...checkProject(context, input), tagId }, 'Error assigning tag to project');
  },

  'tag.removeFromProject'(context, input) {
    const { projectId } = checkProject(context, input);
    for (const one of context.store.children('projectTag', 'projectId', projectId))
      if (one['tagId'] === input['tagId']) context.store.remove('projectTag', one['id']);
    return { success: true };
  },

  // Not atomic: with one tag twice the assignments from before are gone, and none are there.
  'tag.bulkAssign'(context, input) {
    const { store } = context;
    const project = checkProject(context, input);
    const tagIds = input['tagIds'] as Json[];
    const known = new Set(ownRows(context, 'tag').map((one) => one['tagId'] ?? null));
    if (!tagIds.every((id) => known.has(id)))
      throw new ApiError('NOT_FOUND', 'One or more tags not found in your organization');
    for (const one of store.children('projectTag', 'projectId', project.projectId))
      store.remove('projectTag', one['id']);
    if (new Set(tagIds).size < tagIds.length) throw taken('Error bulk assigning tags to project');
    for (const tagId of tagIds) store.insert('projectTag', { id: context.newId(), ...project, tagId });
    return { success: true };
  },
};

/** The tags of a project as its answers nest them. */
export function projectTags(store: Store, project: Row): Json[] {
  return store.children('projectTag', 'projectId', project['projectId']).map((row) => ({
    ...row,
    tag: store.find('tag', row['tagId']) ?? null,
  }));
}

function assign(context: Context, values: Row, what: string): Row {
  const there = context.store.children('projectTag', 'projectId', values['projectId']);
  if (there.some((one) => one['tagId'] === values['tagId'])) throw taken(what);
  return context.store.insert('projectTag', { id: context.newId(), ...values });
}

function taken(what: string): ApiError {
  return new ApiError('BAD_REQUEST', `${what}: Failed query: insert into "project_tag"`);
}

function checkName(context: Context, query: string, row: Row): void {
  if (ownRows(context, 'tag').some((one) => one['name'] === row['name'] && one['tagId'] !== row['tagId']))
    throw new ApiError('BAD_REQUEST', `${query}\nparams: ${textOf(row, 'name')}`);
}

function checkProject(context: Context, input: Row): { projectId: Json } {
  const project = context.store.find('project', input['projectId']);
  if (project === undefined || project['organizationId'] !== callersOrganization(context))
    throw new ApiError('NOT_FOUND', `Project not found or you don't have permission to modify it`);
  return { projectId: project['projectId'] ?? null };
}

function find(context: Context, input: Row, also = ''): Row {
  const row = context.store.find('tag', input['tagId']);
  if (row === undefined || row['organizationId'] !== callersOrganization(context))
    throw also === '' ? notFound('Tag') : new ApiError('NOT_FOUND', `Tag not found${also}`);
  return row;
}
