import type { Operation } from '../../api/contract.ts';
import { databasePassword } from '../../api/values.ts';
import type { Field } from '../../kind/field.ts';
import type { Json, Row } from '../../formats/json.ts';
import type { Kind } from '../../kind/kind.ts';
import { fieldOf } from '../../kind/wire.ts';

/** A password that an operation changes in the running database, and in the row. */
export function changeablePassword(
  what: string,
  call: Operation,
  constants: Readonly<Record<string, Json>> = {},
): Field {
  const through = (row: Row) =>
    row.applicationStatus === 'done'
      ? { call, as: 'password', with: constants }
      : {
          note: 'the database does not run, so the password is stored for its first start; if it was started before, its data keep the old password, and it has to be changed there by hand',
        };
  return {
    // The platform quotes the password in a shell command, where a backtick would run a program.
    schema: () =>
      databasePassword
        .min(1, 'may not be empty: the platform would make one up')
        .refine((password) => !password.includes('`'), 'may not hold a backtick: the platform cannot change it later')
        .describe(what),
    secrecy: 'secret',
    onChange: { through },
    examples: ['correct-horse-1', 'battery-staple-2'],
  };
}

/** The kind where the platform lacks that operation. */
export function withFixedPasswords(...names: readonly string[]): (kind: Kind) => Kind {
  return (kind) => {
    const fixed = names.map((name) => [name, { ...fieldOf(kind, name), ...fixedPassword }] as const);
    return { ...kind, fields: { ...kind.fields, ...Object.fromEntries(fixed) } };
  };
}

/** Of a password that no operation changes in the running database. */
const fixedPassword = {
  onChange: {
    refuse:
      'the platform has no operation that changes a password of this database while it runs; change it in the database by hand and set the same one in the platform, then write it here',
  },
  rowOnly: true,
} as const;
