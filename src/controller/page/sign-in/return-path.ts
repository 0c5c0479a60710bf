/** Where a sign-in leads to: a path of this page, or `/` where what was asked for may be anything else. */
export function returnPath(asked: unknown, address: string): string {
  if (typeof asked !== 'string' || !/^\/(?!\/)[!-[\]-~]*$/.test(asked) || asked.length > 2_000) return '/';
  if (!URL.canParse(asked, address)) return '/';
  const { origin, pathname, search } = new URL(asked, address);
  // Dots in a path may end in two slashes, with which the address of another host begins.
  if (origin !== new URL(address).origin || pathname.startsWith('//') || /^\/sign-(?:in|out)\b/.test(pathname))
    return '/';
  return `${pathname}${search}`;
}
