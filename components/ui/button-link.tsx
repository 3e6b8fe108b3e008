import type { ComponentProps } from 'react';
import { type ButtonLook, buttonClass } from './button.tsx';
import { PageLink } from './page-link.tsx';

/** Apart from the button, so that what only needs a button does not bring the router's links along. */
export function ButtonLink({
  look = 'plain',
  className,
  ...rest
}: ComponentProps<typeof PageLink> & { look?: ButtonLook }) {
  return <PageLink {...rest} className={buttonClass(look, className)} />;
}
