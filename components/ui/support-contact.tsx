'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { SupportText } from './support-text.tsx';

const Contact = createContext<string | undefined>(undefined);

/** Whom the failures on the pages within tell people to write to. */
export function SupportContact({ contact, children }: { contact: string; children: ReactNode }) {
  return <Contact value={contact}>{children}</Contact>;
}

/** What to do about a failure that stays; `number` finds its cause in the server's log. */
export function TellSupport({ number }: { number: string }) {
  const contact = useContext(Contact);
  return (
    <>
      If it stays, tell{' '}
      {contact ? <SupportText text={`support (${contact})`} contact={contact} /> : 'support'} this number:{' '}
      <span className="font-mono">{number}</span>
    </>
  );
}
