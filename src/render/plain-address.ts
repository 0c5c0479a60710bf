/** Whether a text is an address without anything that Markdown or a page could read in another way. */
export function isPlainAddress(text: string): boolean {
  return /^https?:\/\/[a-z0-9.-]{1,253}(?::\d{1,5})?(?:\/[\w./-]*)?$/i.test(text);
}
