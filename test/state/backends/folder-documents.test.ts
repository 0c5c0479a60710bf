import { expect, test } from 'vitest';
import { folderDocuments } from '../../../src/state/backends/folder-documents.ts';
import { localStore } from '../../../src/state/backends/local.ts';
import { stopOf } from '../../../src/state/conformance/states.ts';
import { diskError, hooked } from '../faulty-disk.ts';
import { losingDisk } from '../losing-disk.ts';

/** Documents as files in a folder; what every backend promises of them is in conformance.ts. */

test('are files of a folder of their own, without the drafts of killed runs', async () => {
  const { disk } = losingDisk();
  const { documents } = localStore('/state', { disk });
  await documents.put('report.json', 'new');
  const draft = await disk.create('/state/documents/report.json.7-abc.tmp');
  await draft.append('half');
  expect(await documents.list()).toEqual(['report.json']);
  expect(await disk.read('/state/documents/report.json')).toBe('new');
});

test('lose the drafts of killed runs after a day, when no run writes them any more', async () => {
  const { disk } = losingDisk();
  const ageOf = (path: string) => Promise.resolve(path.endsWith('-old.tmp') ? 25 * 3_600_000 : 3_600_000);
  const { documents } = localStore('/state', { disk: { ...disk, ageOf } });
  for (const name of ['report.json.7-old.tmp', 'report.json.7-new.tmp', 'gone.json.7-old.tmp']) {
    await disk.makeFolder('/state/documents');
    await disk.create(`/state/documents/${name}`);
  }
  await documents.put('report.json', 'new');
  expect((await disk.list('/state/documents')).toSorted()).toEqual(['report.json', 'report.json.7-new.tmp']);
});

test('stop a run whose draft is taken away before it has its name', async () => {
  const { disk } = losingDisk();
  const losing = hooked(disk, ({ name }, work) => (name === 'rename' ? Promise.reject(diskError('ENOENT')) : work()));
  const { message } = await stopOf(folderDocuments('/documents', losing).put('a', 'new'));
  expect(message).toBe('the state /documents/a cannot be written (ENOENT)');
});

test.each(['create', 'append', 'sync', 'rename'] as const)(
  'keep the old text where the disk fails at %s, and leave no draft',
  async (name) => {
    const { disk } = losingDisk();
    await folderDocuments('/documents', disk).put('a', 'old');
    const full = hooked(disk, (operation, work) =>
      operation.name === name ? Promise.reject(diskError('ENOSPC')) : work(),
    );
    const { failure, message, diagnostics } = await stopOf(folderDocuments('/documents', full).put('a', 'new'));
    expect([failure, message]).toEqual([
      'state',
      'the state /documents/a cannot be written (ENOSPC: the disk is full)',
    ]);
    expect(diagnostics[0]?.remedy).toBe(
      'Make room on the disk, or allow this user more of it. Then run again. Nothing was overwritten.',
    );
    expect(await folderDocuments('/documents', disk).list()).toEqual(['a']);
    expect(await folderDocuments('/documents', disk).get('a')).toBe('old');
  },
);

test.each([
  ['read', () => folderDocumentsOf('read').get('a'), '/documents/a'],
  ['list', () => folderDocumentsOf('list').list(), '/documents'],
] as const)('stop a run that cannot %s them', async (_name, work, path) => {
  expect((await stopOf(work())).message).toBe(`the state ${path} cannot be read (EACCES: this user may not)`);
});

test('are none where the folder or the file is missing', async () => {
  const { disk } = losingDisk();
  const empty = hooked(disk, ({ name }, work) => (name === 'list' ? Promise.reject(diskError('ENOENT')) : work()));
  expect(await folderDocuments('/documents', empty).list()).toEqual([]);
  expect(await folderDocuments('/documents', disk).get('a')).toBeUndefined();
});

test('survive a loss of power once they are put', async () => {
  const { disk, lose } = losingDisk();
  await folderDocuments('/documents', disk).put('a', 'text');
  lose('nothing');
  expect(await folderDocuments('/documents', disk).get('a')).toBe('text');
});

function folderDocumentsOf(failing: 'read' | 'list') {
  const { disk } = losingDisk();
  const broken = hooked(disk, ({ name }, work) => (name === failing ? Promise.reject(diskError('EACCES')) : work()));
  return folderDocuments('/documents', broken);
}
