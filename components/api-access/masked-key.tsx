'use client';

import { createContext, type ReactNode, useContext, useState } from 'react';

type Mask = { isRevealed: boolean; setRevealed: (isRevealed: boolean) => void };

// Outside a MaskProvider, keys are shown.
const Context = createContext<Mask>({ isRevealed: true, setRevealed: () => undefined });

/** Masks the key until the reader reveals it, because screens are often shared. */
export function MaskProvider({ children, isOpen = false }: { children: ReactNode; isOpen?: boolean }) {
  const [isRevealed, setRevealed] = useState(isOpen);
  return <Context value={{ isRevealed, setRevealed }}>{children}</Context>;
}

export const useMask = (): Mask => useContext(Context);

export function MaskedText({ text, apiKey }: { text: string; apiKey: string }) {
  return useMask().isRevealed ? text : text.replaceAll(apiKey, masked(apiKey));
}

/** `key_test_••••••••••••4fQ2` */
function masked(apiKey: string): string {
  const prefix = /^[a-z]+_[a-z]+_/.exec(apiKey)?.[0] ?? '';
  return `${prefix}${'•'.repeat(12)}${apiKey.slice(-4)}`;
}
