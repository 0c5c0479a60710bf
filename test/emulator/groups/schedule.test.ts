import type { Row } from '../../../src/emulator/json-rows.ts';
import type { TableName } from '../../../src/emulator/tables.ts';
import { recordedIds, replays } from '../extension-samples.ts';

const { application: applicationId, compose: composeId } = recordedIds;

const row = (scheduleId: string, values: Row): [TableName, Row] => [
  'schedule',
  { scheduleId, name: 's', cronExpression: '0 3 * * *', command: 'echo', appName: `schedule-${scheduleId}`, ...values },
];
const ofApplications = [
  'wRDOHABViB2WHGRViNPxS',
  'cPU5AtVg7pU7p8-Y8hT3l',
  'm0hVVHCBIAjrHpTrjMK1-',
  '3dMMbmlIJqH8U03iRaHRK',
];
const ofMachines = ['6F9GKsZcWJd-Z6sxam0fO', 'bvfgW--UElX3IcihEI3aR', 'abwxleaxdXI-vnpaIqhPX'];
const coerced = 'the platform turns a null into false; the contract has a boolean, and the emulator refuses null';

replays('schedule', {
  rows: [
    ...ofApplications.map((id) => row(id, { applicationId })),
    ...ofMachines.map((id) => row(id, { scheduleType: 'dokploy-server', organizationId: 'org_1' })),
    row('MFu1WVNIEn3KPzgfLSlRF', { scheduleType: 'compose', composeId, serviceName: 'web' }),
  ],
  preparations: {
    'schedule.delete/again': (emulator) => emulator.act('schedule.delete', { scheduleId: 'm0hVVHCBIAjrHpTrjMK1-' }),
  },
  differences: { 'schedule.update/enabled null': coerced },
});
