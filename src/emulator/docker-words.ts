/** How docker words a span of time: `Less than a second`, `3 seconds`, `About a minute`. */
export function duration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const [minutes, hours] = [Math.floor(seconds / 60), Math.round(seconds / 3600)];
  const days = Math.floor(hours / 24);
  if (seconds < 1) return 'Less than a second';
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  if (minutes < 60) return minutes === 1 ? 'About a minute' : `${minutes} minutes`;
  if (hours < 48) return hours === 1 ? 'About an hour' : `${hours} hours`;
  if (days < 14) return `${days} days`;
  if (days < 60) return `${Math.floor(days / 7)} weeks`;
  return days < 730 ? `${Math.floor(days / 30)} months` : `${Math.floor(days / 365)} years`;
}
