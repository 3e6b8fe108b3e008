'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { contactHref } from '#src/contact-href.ts';

// Empty in global-error.tsx, which replaces the layout.
const Contact = createContext('');

export function SupportContactProvider({ contact, children }: { contact: string; children: ReactNode }) {
  return <Contact value={contact}>{children}</Contact>;
}

/** A link if the contact is an email address or a URL. */
export function SupportContact() {
  const contact = useContext(Contact);
  const href = contactHref(contact);
  if (!href) return contact;
  return (
    <a href={href} className="link">
      {contact}
    </a>
  );
}

/** @param id identifies the failure in the server's log */
export function ContactSupport({ id }: { id: string }) {
  const hasContact = useContext(Contact) !== '';
  return (
    <>
      If this keeps happening, contact support
      {hasContact && (
        <>
          {' '}
          (<SupportContact />)
        </>
      )}{' '}
      and include this ID: <span className="font-mono">{id}</span>
    </>
  );
}
