import Link from 'next/link';
import type { ComponentProps } from 'react';
import { type ButtonLook, buttonClass } from './button.tsx';

/** Apart from the button, so that what only needs a button does not bring the router's links along. */
export function ButtonLink({
  look = 'plain',
  className,
  ...rest
}: ComponentProps<typeof Link> & { look?: ButtonLook }) {
  return <Link {...rest} className={buttonClass(look, className)} />;
}
