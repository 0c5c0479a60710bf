import { recordedIds, replays } from '../extension-samples.ts';

const { application: applicationId } = recordedIds;
const [first, second] = ['dtkHIFdDfUsmN1dslrDP7', 't5_-TAjr7szd1WtyS6eu7'];

replays('patch', {
  rows: [
    ['patch', { patchId: first, filePath: 'first.txt', content: 'x', applicationId, createdAt: '', updatedAt: '' }],
    ['patch', { patchId: second, filePath: 'z', content: 'x', applicationId, createdAt: '', updatedAt: '' }],
  ],
  preparations: {
    'patch.create/the same path again': (emulator) =>
      emulator.act('patch.create', { filePath: 'src/a.txt', content: 'x', applicationId }),
    'patch.delete/again': (emulator) => emulator.act('patch.delete', { patchId: second }),
  },
});
