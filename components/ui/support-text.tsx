import { contactHref } from './contact-href.ts';

/** Words that name the support contact: it is a link where it is an e-mail address or a web address. */
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
