/** Secrets from the environment: `${secret:NAME}` is the variable TRUEUP_SECRET_NAME. */
export function envSecrets(env: Readonly<Record<string, string | undefined>>): (name: string) => string | undefined {
  // Only this prefix: a manifest from a pull request must not be able to name any other variable of the run.
  // A pipeline passes a secret that is not set as an empty one; an empty secret is never meant.
  return (name) => env[`TRUEUP_SECRET_${name}`] || undefined;
}

/** The remedy for secrets that a run does not have. */
export function howToGive(names: readonly string[]): string {
  return `Set ${names.map((name) => `TRUEUP_SECRET_${name}`).join(', ')}, or name a source under secrets: that has it.`;
}
