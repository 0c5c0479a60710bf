import type { Checks } from '../../kind/checks.ts';

/**
 * The ports of its server that a database publishes, by the fields that name them. Docker starts no second database of a
 * machine on one port.
 */
export const externalPorts =
  (...fields: readonly string[]): NonNullable<Checks['publishes']> =>
  ({ address, values, unknown }) =>
    unknown?.includes('serverId') === true
      ? []
      : fields.flatMap((field) => {
          const { [field]: port, serverId: server = null } = values;
          return typeof port !== 'number' ? [] : [{ field, port, protocol: 'tcp', server, service: address }];
        });
