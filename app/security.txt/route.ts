import { plainText } from '#app/responses.ts';
import { services } from '#src/api/services.ts';
import { contactHref } from '#src/contact-href.ts';

/** RFC 9116 recommends less than a year. */
const validDays = 180;

/** Served at `/.well-known/security.txt`. Not there if the contact is not an email address or a URL. */
export function GET(): Response {
  const { publicUrl, SUPPORT_CONTACT } = services().settings;
  const contact = contactHref(SUPPORT_CONTACT);
  if (!contact) return plainText(404, 'No contact is set.');
  const expires = new Date(Date.now() + validDays * 86_400_000).toISOString().replace(/T.*/, 'T00:00:00Z');
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}/.well-known/security.txt`,
  ];
  return plainText(200, lines.join('\n'));
}
