import { recordedIds, replays } from '../extension-samples.ts';

const { application: applicationId } = recordedIds;
const [first, second] = ['4Ycd1331j3WbdgQ3aDARq', 'JGaMUsfEmBWLltEV12O3P'];

replays('security', {
  rows: [
    ['security', { securityId: first, username: 'u0', password: 'fake-password', applicationId }],
    ['security', { securityId: second, username: 'u3', password: 'fake-password', applicationId }],
  ],
  preparations: {
    'security.create/the same user name': (emulator) =>
      emulator.act('security.create', { applicationId, username: 'u1', password: 'fake-password' }),
    'security.update/user name of another': (emulator) =>
      emulator.act('security.create', { applicationId, username: 'u2', password: 'fake-password' }),
    'security.delete/again': (emulator) => emulator.act('security.delete', { securityId: first }),
  },
});
