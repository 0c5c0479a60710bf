import { isMarked } from './mark.ts';
import { services, topLists } from './places.ts';
import type { Direct, Row } from './platform.ts';
import { Refused, rowsIn, textIn } from './platform.ts';

/** What these tests made and what still has to go, by name. */
export interface Removal {
  readonly removed: readonly string[];
  /** Whatever could not be removed, with the reason. */
  readonly left: readonly string[];
}

/**
 * Removes everything with a marked name: whole projects, environments of the one project that the tests may use, and
 * objects of the organization. Services go before their project, because the platform leaves their containers running.
 * `isUnderWay`: the run goes on, so only environments go.
 */
export async function removeMarked(
  platform: Direct,
  projectId: string | undefined,
  { isUnderWay = false }: { readonly isUnderWay?: boolean } = {},
): Promise<Removal> {
  const removed: string[] = [];
  const left: string[] = [];
  const attempt = async (title: string, operation: string, input: Row): Promise<void> => {
    try {
      await platform.post(operation, input);
      removed.push(title);
    } catch (error) {
      left.push(`${title}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const list = async (operation: string, input: Readonly<Record<string, string>> = {}): Promise<Row[]> => {
    try {
      return rowsIn(await platform.get(operation, input));
    } catch (error) {
      if (error instanceof Refused && error.isRight) return [];
      throw error;
    }
  };
  const empty = async (environment: Row): Promise<void> => {
    const whole = (await platform.get('environment.one', {
      environmentId: textIn(environment, 'environmentId'),
    })) as Row;
    for (const { listed, id, remove, more } of services)
      for (const row of rowsIn(whole[listed])) {
        const title = `${listed} ${textIn(row, 'name')}`;
        await attempt(title, remove, { ...more, [id]: row[id] });
      }
  };
  const removeEnvironment = async (environment: Row): Promise<void> => {
    await empty(environment);
    if (environment['isDefault'] === true) return;
    const environmentId = textIn(environment, 'environmentId');
    await attempt(`environment ${textIn(environment, 'name')}`, 'environment.remove', { environmentId });
  };
  for (const project of isUnderWay ? [] : await list('project.all')) {
    if (!isMarked(textIn(project, 'name'))) continue;
    const id = textIn(project, 'projectId');
    for (const environment of await list('environment.byProjectId', { projectId: id }))
      await removeEnvironment(environment);
    await attempt(`project ${textIn(project, 'name')}`, 'project.remove', { projectId: id });
  }
  if (projectId !== undefined)
    for (const environment of await list('environment.byProjectId', { projectId }))
      if (isMarked(textIn(environment, 'name'))) await removeEnvironment(environment);
  for (const { list: operation, id, name, remove } of isUnderWay ? [] : topLists) {
    if (remove === undefined) continue;
    for (const row of await list(operation))
      if (isMarked(textIn(row, name)))
        await attempt(`${operation.split('.')[0] ?? ''} ${textIn(row, name)}`, remove, { [id]: row[id] });
  }
  return { removed, left };
}
