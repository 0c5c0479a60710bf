/** A duration in whole units: `61s`, `2m 5s`, `1h 4m`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 90) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** A finished duration: short ones to the tenth of a second. */
export function timeTaken(milliseconds: number): string {
  return milliseconds < 89_950 ? `${(milliseconds / 1_000).toFixed(1)}s` : duration(milliseconds);
}
