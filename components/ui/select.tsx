import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';
import { controlClass } from './field.tsx';
import { chevronsIcon, Icon } from './icons.tsx';

export function Select(props: ComponentProps<'select'>) {
  return (
    <span className="relative grid items-center">
      <select {...props} className={classNames(controlClass, 'appearance-none pr-9')} />
      <Icon path={chevronsIcon} className="pointer-events-none absolute right-3 size-4 text-muted" />
    </span>
  );
}
