/** An address or a path without slashes at its end; in linear time, unlike an expression that tries each slash. */
export function withoutSlash(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}
