import { servicesNamed } from './compose-checks.ts';
import { serviceMaps } from './compose-text.ts';
import { textOr, type Row } from './json-rows.ts';

/**
 * A compose file with the services alone that compose starts: those without a profile, and those with one that is on, by the flags
 * of the command, or else by COMPOSE_PROFILES. Of a command that names services these alone, their profiles on, and all that
 * they need. Source: compose-go, WithDefaultProfiles, HasProfile, WithServicesEnabled and WithSelectedServices.
 */
export function startedIn(content: Row, row: Row, variables: Readonly<Record<string, string>>): Row {
  const services = serviceMaps(content);
  const command = textOr(row, 'command');
  const flags = [...command.matchAll(/--profile(?:=|\s+)(\S+)/g)].map(([, name = '']) => name);
  const given = flags.length > 0 ? flags : (variables['COMPOSE_PROFILES'] ?? '').split(',').map((name) => name.trim());
  const named = namesBehindUp(command).filter((name) => Object.hasOwn(services, name));
  const on = [...given, ...named.flatMap((name) => profilesOf(services[name]))];
  const isEnabled = (service: Row | undefined) => {
    const profiles = profilesOf(service);
    return profiles.length === 0 || on.includes('*') || profiles.some((name) => on.includes(name));
  };
  const wanted = new Set(named.length > 0 ? named : Object.keys(services));
  for (const name of wanted)
    if (named.length > 0) for (const { other } of servicesNamed(services[name] ?? {})) wanted.add(other);
  const started = Object.entries(services).filter(([name, service]) => wanted.has(name) && isEnabled(service));
  return { ...content, services: Object.fromEntries(started) };
}

function profilesOf(service: Row | undefined): string[] {
  const profiles = service?.['profiles'];
  return Array.isArray(profiles) ? profiles.map(String) : [];
}

/** What is no option behind `up`, in each command of a chain, and no service whose log alone is shown. */
function namesBehindUp(command: string): string[] {
  return command
    .replaceAll(/--(?:attach|no-attach|exit-code-from)\s+\S+/g, '')
    .split('&&')
    .flatMap((one) => (/\sup(\s.*)?$/.exec(one.trim())?.[1] ?? '').split(/\s+/));
}
