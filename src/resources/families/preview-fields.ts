import * as z from 'zod';
import { stringList } from '../../api/member-types.ts';
import { text, idSet } from '../../kind/codecs.ts';
import type { Field } from '../../kind/field.ts';
import { port } from '../../kind/value-forms.ts';
import { env } from './service-fields.ts';

/** A map of variables that only previews have. */
const variables = (what: string): Field => {
  const { appliesAt: _, ...rest } = env;
  return { ...rest, schema: () => z.string().describe(`${what}: a map, or the text of an env file.`) };
};

/** Previews of an application: deployments of branches with an open pull request. A change holds for later previews. */
export const previewFields = {
  isPreviewDeploymentsActive: {
    schema: () => z.boolean().describe('Whether pull requests get previews.'),
    inPreviews: 'never',
    otherwise: false,
    examples: [true, false],
  },
  previewWildcard: {
    schema: () => z.string().min(1).describe('Domain of previews, with a star in the place of their name.'),
    codec: text,
    examples: ['*.preview.example.com', '*.next.example.com'],
  },
  previewPort: { schema: () => port.describe('Port of the container.'), otherwise: 3000, examples: [8080, 8081] },
  previewHttps: {
    schema: () => z.boolean().describe('Whether previews have HTTPS.'),
    otherwise: false,
    examples: [true, false],
  },
  previewPath: {
    schema: () => z.string().min(1).describe('Path of previews.'),
    otherwise: '/',
    examples: ['/shop', '/store'],
  },
  previewCertificateType: {
    schema: () => z.enum(['letsencrypt', 'none', 'custom']).describe('Where their certificates come from.'),
    words: {
      letsencrypt: 'Made by the platform.',
      none: 'None.',
      custom: 'Made by previewCustomCertResolver.',
    },
    otherwise: 'none',
    examples: ['letsencrypt', 'custom'],
  },
  previewCustomCertResolver: {
    schema: () => z.string().min(1).describe('Resolver of the proxy that makes their certificates.'),
    codec: text,
    examples: ['internal', 'public'],
  },
  previewLimit: {
    schema: () => z.int32().min(0).describe('Most previews at a time.'),
    otherwise: 3,
    examples: [5, 6],
  },
  previewLabels: {
    schema: () => stringList.describe('Labels that a pull request needs; any of them is enough.'),
    codec: idSet,
    examples: [['preview'], ['preview', 'shop']],
  },
  previewRequireCollaboratorPermissions: {
    schema: () => z.boolean().describe('Whether only pull requests of collaborators get previews.'),
    otherwise: true,
    examples: [false, true],
  },
  previewEnv: variables('Environment variables of previews'),
  previewBuildArgs: variables('Build arguments of previews'),
  previewBuildSecrets: { ...variables('Secrets that only the build of previews sees'), secrecy: 'secret' },
} satisfies Record<string, Field>;
