import { recordedIds, replays } from '../extension-samples.ts';

const { application: applicationId } = recordedIds;
const [first, second] = ['v9iX7u9lxyWctx-5qm2IN', 'knEHY8KGvUkeyzex-c_l-'];

replays('redirects', {
  rows: [first, second].map((redirectId) => [
    'redirect',
    { redirectId, regex: '^a$', replacement: 'b', applicationId },
  ]),
  preparations: {
    'redirects.delete/again': (emulator) => emulator.act('redirects.delete', { redirectId: first }),
  },
});
