/** The first of many names, and how many more there are: `a, b, c and 5 more`. */
export function someOf(names: readonly string[], max = 10): string {
  const more = names.length - max;
  return `${names.slice(0, max).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
