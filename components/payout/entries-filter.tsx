'use client';

import Form from 'next/form';
import { useEffect, useRef } from 'react';
import { useFormStatus } from 'react-dom';
import { Button } from '../ui/button.tsx';
import { formatMonth } from '../ui/dates.tsx';
import { Field, TextField } from '../ui/field.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { Pending } from '../ui/pending.tsx';
import { Select } from '../ui/select.tsx';
import { type EntriesQuery, entryKindNames } from './entries-address.ts';

/**
 * Narrows the entries down; a plain form, so that it works before and without scripts.
 * @param months the months to choose from, latest first, as `2026-11`
 */
export function EntriesFilter({ query, months }: { query: EntriesQuery; months: string[] }) {
  const isNarrowed = Boolean(query.kind || query.month || query.search);
  const form = useFieldsLikeTheAddress(query);
  return (
    <Form
      ref={form}
      action="/payout"
      scroll={false}
      className="mb-4 grid gap-3 sm:grid-cols-2 desk:grid-cols-[10rem_12rem_minmax(0,1fr)_auto] desk:items-end print:hidden"
    >
      <Field id="entries-kind" label="Kind">
        <Select id="entries-kind" name="kind" defaultValue={query.kind ?? ''}>
          <option value="">All kinds</option>
          {Object.entries(entryKindNames).map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <Field id="entries-month" label="Month">
        <Select id="entries-month" name="month" defaultValue={query.month ?? ''}>
          <option value="">All months</option>
          {months.map((month) => (
            <option key={month} value={month}>
              {formatMonth(`${month}-01T12:00:00Z`, 'UTC')}
            </option>
          ))}
        </Select>
      </Field>
      <TextField
        id="entries-search"
        name="search"
        type="search"
        label="Description or reference"
        defaultValue={query.search ?? ''}
        maxLength={100}
        autoComplete="off"
        className="sm:col-span-2 desk:col-span-1"
      />
      <div className="flex items-center gap-3 sm:col-span-2 desk:col-span-1">
        <ShowButton />
        {isNarrowed && (
          <PageLink href="/payout" scroll={false} className="hit inline-flex items-center px-1">
            <span className="link">Show all</span>
          </PageLink>
        )}
      </div>
    </Form>
  );
}

function ShowButton() {
  const { pending } = useFormStatus();
  return (
    <>
      <Button type="submit" isBusy={pending}>
        Show
      </Button>
      <Pending isPending={pending} />
    </>
  );
}

/** The address also changes without the form, by the way back for one: the fields follow it, and keep the focus. */
function useFieldsLikeTheAddress({ kind, month, search }: EntriesQuery) {
  const form = useRef<HTMLFormElement>(null);
  const isRendered = useRef(false);
  useEffect(() => {
    // What was typed before the scripts came stays.
    const isFirst = !isRendered.current;
    isRendered.current = true;
    if (isFirst) return;
    for (const [name, value] of Object.entries({ kind, month, search })) {
      const field = form.current?.elements.namedItem(name);
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value ?? '';
    }
  }, [kind, month, search]);
  return form;
}
