import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A key with a certificate that it signed itself. PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** The file of the certificate, as NODE_EXTRA_CA_CERTS takes it. */
  readonly file: string;
}

/** Makes a certificate for hosts, by openssl. `lastDay`: `YYMMDD`. */
export function certificateFor(hosts: string | readonly string[], lastDay = '491231'): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-test-'));
  const at = (name: string) => join(folder, name);
  writeFileSync(at('index'), '');
  writeFileSync(at('serial'), '01');
  const names = `subjectAltName = ${[hosts]
    .flat()
    .map((host) => `DNS:${host}`)
    .join(', ')}`;
  const signing = `database = ${at('index')}\nserial = ${at('serial')}\nnew_certs_dir = ${folder}\ndefault_md = sha256\npolicy = any`;
  writeFileSync(
    at('conf'),
    `[ca]\ndefault_ca = own\n[own]\n${signing}\n[any]\ncommonName = supplied\n[san]\n${names}\n`,
  );
  const openssl = (command: string) => execFileSync('openssl', command.split(' '), { stdio: 'ignore', cwd: folder });
  openssl('req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out csr -subj /CN=test');
  const valid = `-startdate 200101000000Z -enddate ${lastDay}000000Z`;
  openssl(`ca -batch -selfsign -notext -config conf -extensions san -keyfile key -in csr -out cert ${valid}`);
  return { key: readFileSync(at('key'), 'utf8'), cert: readFileSync(at('cert'), 'utf8'), file: at('cert') };
}
