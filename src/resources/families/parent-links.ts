import type { Kind } from '../../kind/kind.ts';
import type { ParentLink } from '../../kind/parent.ts';

/** How the objects of a kind hang on what many kinds hang on. */

/** In the organization of the API key: one list has all of them. */
export function inOrganization(
  call: Extract<ParentLink['listed'], { call: unknown }>['call'],
  set: ParentLink['set'] = {},
): Kind['parents'] {
  return { root: { listed: { call }, rows: 'whole', set, idAt: 'organizationId' } };
}

/** Below an object that lists them in its row, and that they name by its id. */
export function listedBelow(parent: string, at: string, set: ParentLink['set'] = {}): ParentLink {
  return { listed: { at }, rows: 'whole', set: { [`${parent}Id`]: { parent: 'id' }, ...set }, idAt: `${parent}Id` };
}
