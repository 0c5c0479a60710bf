import type { Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { pick } from '../json-rows.ts';

const { find, add, update, remove } = rowsOf('port', 'Port');

/** The `port` group. Any number is taken for a port, and one port twice. */
export const port: Group = {
  'port.create': add,

  'port.one'({ store }, input) {
    const row = find({ store }, input);
    return { ...row, application: pick(row, ['applicationId']) };
  },

  'port.update': update,

  'port.delete': remove,
};
