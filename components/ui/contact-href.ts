/** Where a contact leads that is an address and nothing else. */
export function contactHref(contact: string): string | undefined {
  if (/^[\w.+-]+@[\w-]+(\.[\w-]+)+$/.test(contact)) return `mailto:${contact}`;
  return /^https:\/\/[^\s()[\]`*]+$/.test(contact) && URL.canParse(contact) ? contact : undefined;
}
