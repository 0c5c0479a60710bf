import { recordedIds, replays } from '../extension-samples.ts';

const { application: applicationId } = recordedIds;
const ids = ['gKeq4mDk7YwkhltrxhlJ1', 'FkLMpKq3g5REiuXGSEWiL', 'HkLV3vA2wqRDnWvns9tso'];

replays('port', {
  rows: ids.map((portId) => ['port', { portId, publishedPort: 18080, targetPort: 80, applicationId }]),
  preparations: {
    'port.delete/again': (emulator) => emulator.act('port.delete', { portId: 'HkLV3vA2wqRDnWvns9tso' }),
  },
});
