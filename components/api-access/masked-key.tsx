'use client';

import { createContext, type ReactNode, useContext, useState } from 'react';

type ShownKey = { isShown: boolean; setShown: (isShown: boolean) => void };

// Where nothing is masked, all is shown.
const Context = createContext<ShownKey>({ isShown: true, setShown: () => undefined });

/** Within it the key is masked everywhere until asked for: a screen is often shared. */
export function KeyMask({ children }: { children: ReactNode }) {
  const [isShown, setShown] = useState(false);
  return <Context value={{ isShown, setShown }}>{children}</Context>;
}

export const useShownKey = (): ShownKey => useContext(Context);

/** A text with the key in it. */
export function TextWithKey({ text, apiKey }: { text: string; apiKey: string }) {
  return useShownKey().isShown ? text : text.replaceAll(apiKey, masked(apiKey));
}

/** `key_test_••••••••4fQ2`: enough to tell two keys apart. */
function masked(apiKey: string): string {
  const prefix = /^[a-z]+_[a-z]+_/.exec(apiKey)?.[0] ?? '';
  return `${prefix}${'•'.repeat(12)}${apiKey.slice(-4)}`;
}
