import type { State } from './state.ts';

/** Whether a manifest that names its project so means the project of a state. */
export function isBoundTo(
  { projectId, projectName }: Partial<Pick<State, 'projectId' | 'projectName'>>,
  named: string,
): boolean {
  return named === projectId || named === projectName;
}

/**
 * A state that knows its project by the name in the manifest, so that the next run finds it without a request, and the root
 * file of the manifest.
 */
export function boundTo(
  state: State,
  { project: named, rootFile }: { readonly project: string; readonly rootFile?: string },
): State {
  const { projectName, ...rest } =
    rootFile === undefined || rootFile === state.rootFile ? state : { ...state, rootFile };
  const isId = named === state.projectId;
  if ((isId ? projectName === undefined : projectName === named) && rest.rootFile === state.rootFile) return state;
  return isId ? rest : { ...rest, projectName: named };
}

/** The project of a state, for messages. */
export function ownName({ projectId, projectName }: State): string {
  return projectName === undefined ? projectId : `${projectId} (${projectName})`;
}

/** The project of a state as the platform is asked for it: its id, or its name where a run ended before the state got the id. */
export function projectOf({ projectId, projectName = '' }: State): string {
  return projectId === '' ? projectName : projectId;
}
