import { contactHref } from '#src/contact-href.ts';

/** Links the contact within the text if it is an email address or a URL. */
export function SupportText({ text, contact }: { text: string; contact: string }) {
  const href = contactHref(contact);
  const start = text.indexOf(contact);
  if (!href || start < 0) return text;
  return (
    <>
      {text.slice(0, start)}
      <a href={href} className="link">
        {contact}
      </a>
      {text.slice(start + contact.length)}
    </>
  );
}
