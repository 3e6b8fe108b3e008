/** @returns undefined unless the contact is just an email address or an HTTPS URL */
export function contactHref(contact: string): string | undefined {
  if (/^[\w.+-]+@[\w-]+(\.[\w-]+)+$/.test(contact)) return `mailto:${contact}`;
  return /^https:\/\/[^\s()[\]`*]+$/.test(contact) && URL.canParse(contact) ? contact : undefined;
}
