import { stringify } from 'yaml';
import { textOf, textOr, type Json, type Row } from './json-rows.ts';
import type { Store } from './table-store.ts';

/** The file with the routes of an application, as its domains, redirects and users make it; undefined: there is none. */
export function traefikConfig(store: Store, row: Row): string | undefined {
  const id = row['applicationId'];
  const appName = textOf(row, 'appName');
  const domains = store.children('domain', 'applicationId', id).filter(({ enabled }) => enabled === true);
  if (domains.length === 0) return undefined;
  const guards = [
    ...store.children('redirect', 'applicationId', id).map((one) => `redirect-${appName}-${keyOf(one)}`),
    ...(store.children('security', 'applicationId', id).length > 0 ? [`auth-${appName}`] : []),
  ];
  const routers = domains.flatMap((domain): [string, Json][] => {
    const entrypoint = textOr(domain, 'customEntrypoint');
    const [plain, secure] = [`${appName}-router-${keyOf(domain)}`, `${appName}-router-websecure-${keyOf(domain)}`];
    const isDouble = entrypoint === '' && domain['https'] === true;
    const first = routerOf(appName, domain, { entrypoint: entrypoint || 'web', guards });
    return [
      [plain, first],
      ...(isDouble ? [[secure, routerOf(appName, domain, { entrypoint: 'websecure', guards })] as [string, Json]] : []),
    ];
  });
  const services = domains.map((domain) => [
    `${appName}-service-${keyOf(domain)}`,
    { loadBalancer: { servers: [{ url: `http://${appName}:${Number(domain['port']) || 80}` }], passHostHeader: true } },
  ]);
  return stringify({ http: { routers: Object.fromEntries(routers), services: Object.fromEntries(services) } });
}

interface Entry {
  readonly entrypoint: string;
  /** The redirects and the basic authentication of the application. */
  readonly guards: readonly string[];
}

function routerOf(appName: string, domain: Row, { entrypoint, guards }: Entry): Row {
  const [path, internalPath] = [textOr(domain, 'path', '/'), textOr(domain, 'internalPath')];
  const isSecure = domain['https'] === true;
  const isCustom = textOr(domain, 'customEntrypoint') !== '';
  const gate = `forward-auth-${appName}-${keyOf(domain)}`;
  // The plain router of a domain with https only redirects.
  const middlewares =
    entrypoint === 'web' && isSecure && !isCustom
      ? ['redirect-to-https']
      : [
          ...(domain['stripPath'] === true && path !== '' && path !== '/'
            ? [`stripprefix-${appName}-${keyOf(domain)}`]
            : []),
          ...(internalPath !== '' && internalPath !== '/' && internalPath !== path
            ? [`addprefix-${appName}-${keyOf(domain)}`]
            : []),
          ...guards,
          ...(domain['forwardAuthEnabled'] === true ? [`${gate}-errors`, gate] : []),
          ...(Array.isArray(domain['middlewares']) ? domain['middlewares'] : []),
        ];
  return {
    rule: `Host(\`${asciiHost(textOf(domain, 'host'))}\`)${path === '/' ? '' : ` && PathPrefix(\`${path}\`)`}`,
    service: `${appName}-service-${keyOf(domain)}`,
    middlewares,
    entryPoints: [entrypoint],
    ...(entrypoint === 'websecure' || (isCustom && isSecure) ? tlsOf(domain) : {}),
  };
}

function tlsOf({ certificateType = null, customCertResolver = null }: Row): Row {
  if (certificateType === 'letsencrypt') return { tls: { certResolver: 'letsencrypt' } };
  const isNamed = certificateType === 'custom' && customCertResolver !== null && customCertResolver !== '';
  return isNamed ? { tls: { certResolver: customCertResolver } } : {};
}

function keyOf(row: Row): string {
  return String(Number(row['uniqueConfigKey']));
}

function asciiHost(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host;
}
