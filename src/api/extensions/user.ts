import { get } from '../endpoint.ts';

/** Operations of the `user` group beyond the API document. */
export const user = {
  'user.session': get(() => ({})),
  'user.getPermissions': get(() => ({})),
};
