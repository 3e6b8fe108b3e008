import type { ReactNode } from 'react';

export type DescriptionItem = { name: string; value: ReactNode };

export function DescriptionList({ items }: { items: DescriptionItem[] }) {
  return (
    <dl className="divide-y divide-line">
      {items.map(({ name, value }) => (
        <div key={name} className="grid gap-x-4 py-2.5 first:pt-0 last:pb-0 sm:grid-cols-[max(5rem,20%)_1fr]">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
