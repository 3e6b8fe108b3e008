'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { SupportText } from './support-text.tsx';

// Nobody's on the page of last resort, which stands in the layout's place.
const Contact = createContext('');

/** Whom the failures on the pages within tell people to write to. */
export function SupportContact({ contact, children }: { contact: string; children: ReactNode }) {
  return <Contact value={contact}>{children}</Contact>;
}

/** @returns whom to write to, or '' where that is not known */
export const useSupportContact = (): string => useContext(Contact);

/** What to do about a failure that stays; `number` finds its cause in the server's log. */
export function TellSupport({ number }: { number: string }) {
  const contact = useSupportContact();
  return (
    <>
      If it stays, tell{' '}
      {contact ? <SupportText text={`support (${contact})`} contact={contact} /> : 'support'} this number:{' '}
      <span className="font-mono">{number}</span>
    </>
  );
}
