import { recordedIds, replays } from '../extension-samples.ts';

const { project: projectId } = recordedIds;
const [first, second] = ['iid4Z3aCEDROv1-lHqL9z', 'ianUxL8qBvuBvXpjyVuYA'];

replays('tag', {
  rows: [
    ['tag', { tagId: first, name: 't0', organizationId: 'org_1' }],
    ['tag', { tagId: second, name: 'a0', organizationId: 'org_1' }],
  ],
  preparations: {
    'tag.create/duplicate name': (emulator) => emulator.act('tag.create', { name: 't1' }),
    'tag.update/name taken': (emulator) => emulator.act('tag.create', { name: 'a2' }),
    'tag.remove/again': (emulator) => emulator.act('tag.remove', { tagId: first }),
    'tag.assignToProject/again': (emulator) => emulator.act('tag.assignToProject', { projectId, tagId: first }),
  },
});
