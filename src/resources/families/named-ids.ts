import * as z from 'zod';
import type { Field } from '../../kind/field.ts';

/** Fields that hold the id of an object of the organization: users write its name. */

/** The field of the API, and the key without `Id` that means the same. */
const named = (refersTo: string, alsoWritten: string, what: string, examples: Field['examples']): Field => ({
  schema: () => z.string().min(1).describe(`${what}, by its key in this manifest, its name on the platform or its id.`),
  refersTo,
  alsoWritten,
  examples,
});

/** The bucket that backups go to. */
export const destinationId: Field = named('destination', 'destination', 'Destination', ['dst_1', 'dst_2']);

/** The server that something stands on; a new object replaces one on another server. */
export const onServer = (what: string): Field => ({
  ...named('server', 'server', what, ['srv_1', 'srv_2']),
  onChange: 'replace',
});

/** The server that builds something. */
export const buildingOn = (what: string): Field => ({
  ...named('server', 'buildServer', what, ['srv_1', 'srv_2']),
  appliesAt: 'deploy',
});

/** A registry of images, for one purpose. */
export const registryFor = (alsoWritten: string, what: string): Field => ({
  ...named('registry', alsoWritten, what, ['reg_1', 'reg_2']),
  appliesAt: 'deploy',
});
