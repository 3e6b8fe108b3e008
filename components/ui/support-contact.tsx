'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { SupportText } from './support-text.tsx';

// Empty in global-error.tsx, which replaces the layout.
const Contact = createContext('');

export function SupportContact({ contact, children }: { contact: string; children: ReactNode }) {
  return <Contact value={contact}>{children}</Contact>;
}

/** @returns '' when unknown */
export const useSupportContact = (): string => useContext(Contact);

/** @param id identifies the failure in the server's log */
export function ContactSupport({ id }: { id: string }) {
  const contact = useSupportContact();
  return (
    <>
      If this keeps happening, contact{' '}
      {contact ? <SupportText text={`support (${contact})`} contact={contact} /> : 'support'} and include this
      ID: <span className="font-mono">{id}</span>
    </>
  );
}
