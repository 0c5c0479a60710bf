import { serviceMaps } from './compose-text.ts';
import { textOr, type Row } from './json-rows.ts';

/**
 * A compose file with the services alone that compose starts: those without a profile, and those with one that is on, by the flags
 * of the command, or else by COMPOSE_PROFILES. Source: compose-go, WithDefaultProfiles and HasProfile.
 */
export function startedIn(content: Row, row: Row, variables: Readonly<Record<string, string>>): Row {
  const flags = [...textOr(row, 'command').matchAll(/--profile(?:=|\s+)(\S+)/g)].map(([, name = '']) => name);
  const on = flags.length > 0 ? flags : (variables['COMPOSE_PROFILES'] ?? '').split(',').map((name) => name.trim());
  const isStarted = ({ profiles }: Row) =>
    !Array.isArray(profiles) ||
    profiles.length === 0 ||
    on.includes('*') ||
    profiles.some((name) => on.includes(String(name)));
  const started = Object.entries(serviceMaps(content)).filter(([, service]) => isStarted(service));
  return { ...content, services: Object.fromEntries(started) };
}
