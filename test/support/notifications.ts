import type { DriftDocument, DriftNotificationDocument } from '../../src/render/document-schemas.ts';
import { notificationOf } from '../../src/render/notification-document.ts';

/** Messages about drift, for tests. */

type Finding = DriftDocument['findings'][number];

/** A finding of a field, with values that no message may hold. */
export function finding(about: Partial<Finding> = {}): Finding {
  return {
    id: 'a1b2c3',
    is: 'drifted',
    address: 'production.compose.shop',
    kind: 'compose',
    objectId: 'cmp_1',
    path: 'env.REGION',
    applied: { is: 'value', value: 'value-that-was-applied' },
    platform: { is: 'value', value: 'value-of-the-platform' },
    status: 'new',
    since: '2026-03-01',
    remedy: 'remedy',
    ...about,
  };
}

/** A drift document with these findings, its numbers counted. */
export function documentOf(
  findings: readonly Finding[],
  about: Partial<Parameters<typeof notificationOf>[0]['document']> = {},
): Parameters<typeof notificationOf>[0]['document'] {
  const count = (status: Finding['status']) => findings.filter((one) => one.status === status).length;
  const fresh = count('new') + count('expired');
  return {
    exitCode: fresh > 0 ? 2 : count('known') + count('accepted') > 0 ? 8 : 0,
    platform: 'https://deploy.example.com',
    project: { id: 'prj_1', name: 'shop' },
    findings: [...findings],
    resolved: [],
    ...about,
    summary: {
      new: count('new'),
      known: count('known'),
      accepted: count('accepted'),
      expired: count('expired'),
      'not yet applied': count('not yet applied'),
      ignored: 0,
      resolved: about.resolved?.length ?? 0,
    },
  };
}

/** The message about such a document. */
export function messageOf(
  findings: readonly Finding[],
  about: Partial<Parameters<typeof notificationOf>[0]> = {},
): DriftNotificationDocument {
  return notificationOf({
    document: documentOf(findings),
    time: '2026-03-01T03:00:00.000Z',
    ...about,
  });
}
