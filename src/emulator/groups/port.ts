import type { Group } from '../context.ts';
import { notFound } from '../errors.ts';
import { omit, pick, type Row } from '../json.ts';
import type { Store } from '../store.ts';

/** The `port` group. Any number is taken for a port, and one port twice. */
export const port: Group = {
  'port.create': ({ store, newId }, input) => store.insert('port', { ...input, portId: newId() }),

  'port.one'({ store }, input) {
    const row = find(store, input);
    return { ...row, application: pick(row, ['applicationId']) };
  },

  'port.update'({ store }, input) {
    const row = find(store, input);
    return store.update('port', row['portId'], omit(input, ['portId']));
  },

  'port.delete'({ store }, input) {
    const row = find(store, input);
    store.remove('port', row['portId']);
    return row;
  },
};

function find(store: Store, input: Row): Row {
  const row = store.find('port', input['portId']);
  if (row === undefined) throw notFound('Port');
  return row;
}
