import { expect, it } from 'vitest';
import { contactHref } from './contact-href.ts';

it.each([
  ['support@example.com', 'mailto:support@example.com'],
  ['help+cards@mail.example.co.uk', 'mailto:help+cards@mail.example.co.uk'],
  ['https://example.com/help?from=dashboard', 'https://example.com/help?from=dashboard'],
  ['Springfield Deliveries, +1 (415) 555-0100', undefined],
  ['write to support@example.com', undefined],
  ['a@example.com?bcc=b@example.com', undefined],
  ['http://example.com/help', undefined],
  ['https://', undefined],
  ['https://example.com/help or call us', undefined],
  ['javascript:alert(1)', undefined],
])('%s leads to %s', (contact, href) => {
  expect(contactHref(contact)).toBe(href);
});
