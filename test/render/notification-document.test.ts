import { describe, expect, it } from 'vitest';
import { driftNotificationDocument } from '../../src/render/document-schemas.ts';
import { shortened } from '../../src/render/notification-document.ts';
import { documentOf, finding, messageOf } from '../support/notifications.ts';
import { hostileNames } from './hostile.ts';

describe('a notification', () => {
  it('has the members of its schema, the new findings first, and no value', () => {
    const message = messageOf(
      [
        finding({ id: 'known', status: 'known' }),
        finding({ id: 'pending', status: 'not yet applied', is: 'not yet applied' }),
        finding({ id: 'new', position: { file: 'trueup.yaml', line: 3, column: 5 } }),
        finding({ id: 'expired', status: 'expired' }),
      ],
      { run: 'https://git.example.com/shop/infra/actions/runs/7' },
    );
    expect(driftNotificationDocument.strict().parse(message)).toEqual(message);
    expect(message.findings.map(({ id }) => id)).toEqual(['new', 'expired', 'known']);
    expect(message).toMatchObject({
      exitCode: 2,
      omitted: { findings: 1, resolved: 0 },
      run: message.run,
    });
    expect(JSON.stringify(message)).not.toMatch(/value-|remedy/);
  });

  it('lists 100 findings of 500, and counts the others', () => {
    const resolved = [...Array(120).keys()].map((at) => ({ id: `r${at}`, is: 'drifted' as const, kind: 'redis' }));
    const findings = [...Array(500).keys()].map((at) => finding({ id: `f${at}` }));
    const message = messageOf(findings, { document: documentOf(findings, { resolved }) });
    expect([message.findings.length, message.resolved.length]).toEqual([100, 100]);
    expect(message).toMatchObject({ omitted: { findings: 400, resolved: 20 }, summary: { new: 500, resolved: 120 } });
  });

  it('has each foreign text on one line, without control characters and cut', () => {
    for (const name of [...hostileNames, 'x'.repeat(10_000), '😀'.repeat(600)]) {
      const findings = [finding({ address: name, name, path: name, objectId: name })];
      const document = documentOf(findings, {
        platform: name,
        project: { id: name, name },
        resolved: [{ id: 'r', is: 'missing', kind: 'redis', address: name, path: name }],
      });
      const message = messageOf(findings, { document });
      const [{ address = '', path = '' } = {}] = message.findings;
      for (const text of [address, path, message.platform ?? '', message.project?.name ?? ''])
        expect(text).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Bidi_Control}]/u);
      const text = JSON.stringify(message);
      expect(text.length).toBeLessThan(12_000);
    }
  });
});

it('a text that is too long ends before a character that has two halves', () => {
  expect(shortened('ab😀cd', 4)).toBe('ab…');
  expect(shortened('ab😀', 4)).toBe('ab😀');
});
