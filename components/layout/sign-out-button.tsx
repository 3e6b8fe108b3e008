'use client';

import type { MouseEvent } from 'react';
import { useFormStatus } from 'react-dom';

/** Sends the form that it stands in, once: what is pressed while it is sent would be sent after it. */
export function SignOutButton() {
  const { pending } = useFormStatus();
  const handleClick = (event: MouseEvent) => {
    if (pending) event.preventDefault();
  };
  return (
    <button
      type="submit"
      aria-disabled={pending || undefined}
      onClick={handleClick}
      className="hit w-full rounded-control px-3 text-left hover:bg-sunken aria-disabled:opacity-70"
    >
      {pending ? 'Signing out…' : 'Sign out'}
    </button>
  );
}
