import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import type { ObservedObject } from '../../src/observe/observed.ts';
import type { Action } from '../../src/plan/action.ts';
import { withUsers } from '../../src/plan/in-use.ts';
import { kinds } from '../../src/resources/index.ts';
import { project as projectKind } from '../../src/resources/top/project.ts';
import type { ActionMembers } from '../support/plan-values.ts';
import { actionOf, attributeChange, changeAt, declared, inputOf, kindNamed, objectOf } from '../support/plan-values.ts';

/** What others name does not go from under them. */

const key = actionOf('sshKeys.deploy', { kind: kindNamed('sshKey'), action: 'delete', id: 'key_1' });
const compose = (name: string, more: ActionMembers = {}) =>
  actionOf(`production.compose.${name}`, { kind: kindNamed('compose'), ...more });
const fetched: Row = { sourceType: 'git', customGitSSHKeyId: 'key_1' };

const noted = (
  actions: readonly Action[],
  objects: ReadonlyMap<string, ObservedObject> = new Map(),
  all: readonly Kind[] = kinds,
) => withUsers({ ...inputOf(Object.fromEntries(objects)), kinds: all }, actions);

/** What is said of the deletion of a key, beside services with their rows. */
function saidOf(...users: readonly (readonly [Action, Row | undefined])[]): string[] {
  const actions = [key, ...users.map(([action]) => action)];
  const objects = new Map(
    users.flatMap(([{ address }, row]) => (row === undefined ? [] : [[address, objectOf(address, row)] as const])),
  );
  const [deletion, ...rest] = noted(actions, objects);
  expect(rest).toEqual(actions.slice(1));
  return deletion?.notes.map(({ code, message }) => `${code} ${message}`) ?? [];
}

const loses = ['goes-along what uses sshKeys.deploy and is not in this manifest loses it'];

test('the deletion of an object that another one still uses is refused, and names the field', () => {
  expect(saidOf([compose('a'), fetched], [compose('b'), fetched])).toEqual([
    'cannot-change sshKeys.deploy is still used: source.sshKey of production.compose.a, source.sshKey of production.compose.b',
  ]);
  const [deletion] = noted([key, compose('a')], new Map([['production.compose.a', objectOf('c', fetched)]]));
  expect(deletion?.notes).toMatchObject([
    { address: 'sshKeys.deploy', remedy: 'Lead these to something else first, or put the block back.' },
  ]);
});

test('a deletion reports that undeclared objects may use it', () => {
  expect(saidOf([compose('a'), { ...fetched, customGitSSHKeyId: null }])).toEqual(loses);
  const [deletion] = noted([key]);
  expect(deletion?.notes).toMatchObject([{ address: 'sshKeys.deploy', severity: 'warning' }]);
});

test('what is said already of the deletion is said all the same', () => {
  const [first] = noted([key]).flatMap(({ notes }) => notes);
  const again = noted([{ ...key, notes: first === undefined ? [] : [first] }]);
  expect(again[0]?.notes).toEqual([first, first]);
});

test.each<[string, readonly [Action, Row | undefined]]>([
  ['goes too', [compose('a', { action: 'delete' }), fetched]],
  ['is replaced', [compose('a', { action: 'replace' }), fetched]],
  ['is only created', [compose('a', { action: 'create' }), undefined]],
  ['is led to another one', [compose('a', { changes: [changeAt('source.sshKey')] }), fetched]],
  ['is not fetched with it any more', [compose('a', { changes: [changeAt('source.type')] }), fetched]],
  ['is not fetched with it as it is', [compose('a'), { ...fetched, sourceType: 'raw' }]],
  ['only has a text like its id', [compose('a'), { ...fetched, customGitSSHKeyId: 'key_2', name: 'key_1' }]],
])('what %s does not use it', (_what, user) => {
  expect(saidOf(user)).toEqual(loses);
});

test('a set that the platform itself adds to and takes from uses nothing', () => {
  const server = actionOf('servers.build', { kind: kindNamed('server'), action: 'delete', id: 'srv_1' });
  const member = actionOf('members.ann', { kind: kindNamed('memberPermissions') });
  const web = actionOf('production.application.web', { kind: kindNamed('application') });
  const said = (one: Action, row: Row) =>
    noted([server, one], new Map([[one.address, objectOf(one.address, row)]]))[0]?.notes.map(({ message }) => message);
  expect(said(member, { accessedServers: ['srv_1'] })).toEqual([
    'what uses servers.build and is not in this manifest loses it',
  ]);
  expect(said(web, { serverId: 'srv_1' })).toEqual([
    'servers.build is still used: serverId of production.application.web',
  ]);
});

test('a list that changes uses what it is to hold still', () => {
  const live = actionOf('tags.live', { kind: kindNamed('tag'), action: 'delete', id: 'tag_1' });
  const row = { projectTags: [{ tagId: 'tag_1' }, { tagId: 'tag_2' }] };
  const saidBeside = (...tagIds: readonly string[]) => {
    const attributes = [attributeChange('tagIds', { wanted: declared(tagIds) })];
    const project = actionOf('project', { kind: projectKind, attributes, changes: [changeAt('tags')] });
    const [deletion] = noted([live, project], new Map([['project', objectOf('prj_1', row)]]), [projectKind, ...kinds]);
    return deletion?.notes.map(({ message }) => message);
  };
  expect(saidBeside('tag_1', 'tag_3')).toEqual(['tags.live is still used: tags of project']);
  expect(saidBeside('tag_2')).toEqual(['what uses tags.live and is not in this manifest loses it']);
});

test('another change of what uses it takes nothing from that', () => {
  expect(saidOf([compose('a', { changes: [changeAt('description'), changeAt('env.A')] }), fetched])).toHaveLength(1);
  expect(saidOf([compose('a', { changes: [changeAt('description')] }), fetched])[0]).toMatch(/^cannot-change/);
});

test('no note for kinds that no field refers to, and none without a deletion', () => {
  const database = actionOf('production.redis.main', { action: 'delete' });
  const stays = actionOf(key.address, { ...key, action: 'update' });
  expect(noted([database, stays])).toEqual([database, stays]);
  const [, both] = noted([key, database]);
  expect(both).toBe(database);
});

describe('a replacement on purpose that deletes first', () => {
  const tag = actionOf('tags.live', { kind: kindNamed('tag'), action: 'replace', id: 'tag_1', isRequested: true });
  const lab = actionOf('gitlab.lab', { kind: kindNamed('gitlab'), action: 'replace', id: 'lab_1', isRequested: true });
  const app = (more: ActionMembers = {}) =>
    actionOf('production.application.web', { kind: kindNamed('application'), ...more });
  const project = (more: ActionMembers = {}) => actionOf('project', { kind: projectKind, ...more });
  const kindsWithTop = [projectKind, ...kinds];

  /** The errors of the first of some actions; the others stay as they are. */
  function refusals(actions: readonly Action[], rows: Readonly<Record<string, Row>>): string[] {
    const objects = new Map(Object.entries(rows).map(([address, row]) => [address, objectOf(address, row)]));
    const [first, ...rest] = noted(actions, objects, kindsWithTop);
    expect(rest).toEqual(actions.slice(1));
    return first?.notes.map(({ code, message }) => `${code}: ${message}`) ?? [];
  }

  test('is refused while a field holds the object, also one that follows it to the new one', () => {
    const used = ['cannot-change: tags.live cannot be replaced while it is used: tags of project'];
    const rows = { project: { projectTags: [{ tagId: 'tag_1' }] } };
    expect(refusals([tag, project()], rows)).toEqual(used);
    expect(refusals([tag, project({ changes: [changeAt('tags')] })], rows)).toEqual(used);
    expect(refusals([tag, project({ action: 'delete' })], rows)).toEqual([]);
    expect(refusals([tag, project()], { project: { projectTags: [{ tagId: 'tag_2' }] } })).toEqual([]);
  });

  test('is refused while anything refers to a new one that has no id before a person connects it', () => {
    const rows = { 'production.application.web': { sourceType: 'gitlab', gitlabId: 'lab_1' } };
    const web = app({ dependsOn: ['gitlab.lab'] });
    expect(refusals([lab, web], rows)).toEqual([
      'cannot-change: gitlab.lab cannot be replaced while it is used: source.provider of production.application.web',
    ]);
    expect(refusals([lab, web], {})).toEqual([
      'cannot-change: gitlab.lab cannot be replaced while it is used: production.application.web',
    ]);
    expect(refusals([lab, app()], {})).toEqual([]);
    expect(refusals([tag, app({ dependsOn: ['tags.live'] })], {})).toEqual([]);
  });

  test('is one of those that a person asked for, and that do not create first', () => {
    const rows = { project: { projectTags: [{ tagId: 'tag_1' }] } };
    const also = (more: ActionMembers) => actionOf(tag.address, { ...tag, ...more });
    expect(refusals([also({ isRequested: false }), project()], rows)).toEqual([]);
    expect(refusals([also({ order: 'create first' }), project()], rows)).toEqual([]);
  });
});
