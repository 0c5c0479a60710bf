import { describe, expect, it } from 'vitest';
import { graphDocument } from '../../../src/render/document-schemas.ts';
import { project, trueup } from '../process.ts';

const manifest = `trueup: 1
platform: { url: "http://127.0.0.1:9" }
project: prj_1
sshKeys:
  deploy: { name: deploy }
certificates:
  '"\\x&amp;': { certificateData: a, privateKey: "\${secret:K}" }
environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: s, databaseUser: s, databasePassword: "\${secret:DB}" }
      other: { dockerImage: "postgres:17", databaseName: s, databaseUser: s, databasePassword: "\${secret:DB}" }
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        env: { HOST: "\${ref:postgres.main.host}" }
        domains: { shop.example.com: { serviceName: web, port: 80 } }
        after: [postgres.other]
`;

const graph = (...args: readonly string[]) => trueup(['graph', ...args, '-C', project(manifest)]);

describe('graph, without a platform that answers and without secrets', () => {
  it('prints every resource, with what it needs beside its parent', async () => {
    const { code, out } = await graph();
    expect(code).toBe(0);
    expect(out).toContain(
      'production.compose.shop (compose)\n  needs production.postgres.main\n  deploys after production.postgres.other\n',
    );
    expect(out).toContain('sshKeys.deploy (sshKey)\n');
    expect(out).not.toContain('needs production\n');
  });

  it('prints a document of its own form', async () => {
    const { out } = await graph('--format', 'json');
    const { resources } = graphDocument.parse(JSON.parse(out));
    expect(resources.find(({ address }) => address === 'production.compose.shop')).toMatchObject({
      kind: 'compose',
      parent: 'production',
      dependsOn: ['production', 'production.postgres.main'],
      after: ['production.postgres.other'],
      position: { file: 'trueup.yaml', line: 14 },
    });
  });

  it('prints the language of Graphviz, in which names mean nothing', async () => {
    const { out } = await graph('--format', 'dot');
    expect(out).toMatch(/^digraph trueup \{\n {2}rankdir=RL;\n/);
    expect(out).toContain(String.raw`[label="certificates[\"\\\"\\\\x&amp;amp;\"]", tooltip="certificate"];`);
    expect(out.match(/^ {2}r\d+ -> r\d+;$/gm)).toHaveLength(6);
  });

  it('prints a picture', async () => {
    const { out } = await graph('--format', 'svg');
    expect(out).toMatch(/^<svg .*<\/svg>\n$/s);
    expect(out).toContain('>compose.shop</text>');
  });

  it('narrows it to targets, what is below them and what they need', async () => {
    const { out } = await graph('--target', 'production.compose.shop');
    expect(out.match(/^\S+/gm)).toEqual([
      'production',
      'production.postgres.main',
      'production.compose.shop',
      'production.compose.shop.domains["shop.example.com"]',
    ]);
    expect((await graph('--target', '*.other')).out.match(/^\S+/gm)).toEqual([
      'production',
      'production.postgres.other',
    ]);
    expect((await graph('--target', 'sshKeys')).out).toMatch(/^sshKeys\.deploy \(sshKey\)\n$/);
  });

  it('refuses a target that names nothing', async () => {
    const { code, out, err } = await graph('--target', 'production.compose.shp');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('--target production.compose.shp: the manifest has nothing there');
    expect(err).toContain('Did you mean production.compose.shop?');
  });
});
