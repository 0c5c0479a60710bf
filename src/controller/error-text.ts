/** What an error says. The connections to a host with several addresses fail with a message each, and with none of their own. */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(errorText).join('; ');
  return error instanceof Error ? error.message : String(error);
}
