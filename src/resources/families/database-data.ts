import type { Lifecycle } from '../../kind/lifecycle.ts';
import type { ImageFamily } from './image-version.ts';
import { because, versionRisk } from './image-version.ts';

/** The data of a database: it goes with the database, and an image of another major version may not read it. */
export function databaseData(family: ImageFamily): Lifecycle {
  const what = 'the data of this database';
  return {
    dataAtRisk: () => ({ of: 'data', what }),
    changeAtRisk: {
      version: {
        dockerImage: ({ before, after }) => {
          if (typeof before !== 'string' || before === '') return undefined;
          return because(what, versionRisk(before, String(after), family));
        },
      },
    },
  };
}
