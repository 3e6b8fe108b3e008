'use client';

import Form from 'next/form';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { useFormStatus } from 'react-dom';
import { Button } from '../ui/button.tsx';
import { monthTitle } from '../ui/dates.tsx';
import { Field, Select, TextField } from '../ui/field.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { Pending } from '../ui/pending.tsx';
import { type TransactionFilter, transactionTypeNames } from './transactions-url.ts';

/**
 * A plain form, so that it works without JavaScript.
 * @param months latest first, as `2026-11`
 */
export function TransactionsFilter({ filter, months }: { filter: TransactionFilter; months: string[] }) {
  const isFiltered = Boolean(filter.type || filter.month || filter.search);
  const { isEdited, ...fields } = useFieldsFromUrl(filter);
  return (
    <Form
      {...fields}
      action="/payout"
      scroll={false}
      className="mb-4 grid gap-3 sm:grid-cols-2 desk:grid-cols-[10rem_12rem_minmax(0,1fr)_auto] desk:items-end print:hidden"
    >
      <Field id="transaction-type" label="Type">
        <Select id="transaction-type" name="type" defaultValue={filter.type ?? ''}>
          <option value="">All types</option>
          {Object.entries(transactionTypeNames).map(([type, name]) => (
            <option key={type} value={type}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <Field id="transaction-month" label="Month">
        <Select id="transaction-month" name="month" defaultValue={filter.month ?? ''}>
          <option value="">All months</option>
          {(!filter.month || months.includes(filter.month) ? months : [...months, filter.month]).map(
            (month) => (
              <option key={month} value={month}>
                {monthTitle(month)}
              </option>
            ),
          )}
        </Select>
      </Field>
      <TextField
        id="transaction-search"
        name="search"
        type="search"
        label="Description or reference (any part)"
        defaultValue={filter.search ?? ''}
        maxLength={100}
        className="sm:col-span-2 desk:col-span-1"
      />
      <div className="flex items-center gap-3 sm:col-span-2 desk:col-span-1">
        <SubmitButton isEdited={isEdited} />
        {isFiltered && (
          <PageLink href="/payout" scroll={false} className="hit inline-flex items-center px-1">
            <span className="link">Clear filter</span>
          </PageLink>
        )}
      </div>
    </Form>
  );
}

/** @param props.isEdited since the last submission, so that another one is not a repetition */
function SubmitButton({ isEdited }: { isEdited: boolean }) {
  const { pending } = useFormStatus();
  return (
    <>
      <Button type="submit" isBusy={pending && !isEdited}>
        Filter
      </Button>
      <Pending isPending={pending} />
    </>
  );
}

/** Updates the fields when the URL changes without the form, such as by the Back button. */
function useFieldsFromUrl({ type, month, search }: TransactionFilter) {
  const form = useRef<HTMLFormElement>(null);
  const [isEdited, setEdited] = useState(false);
  /** As rendered or submitted, so that what was typed since, also before hydration, is kept. */
  const known = useRef([type, month, search].join());
  useEffect(() => {
    const current = [type, month, search].join();
    if (current === known.current) return;
    known.current = current;
    for (const [name, value] of Object.entries({ type, month, search })) {
      const field = form.current?.elements.namedItem(name);
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value ?? '';
    }
  }, [type, month, search]);
  const rememberSubmitted = ({ currentTarget }: SubmitEvent<HTMLFormElement>) => {
    setEdited(false);
    const values = [...new FormData(currentTarget).values()];
    known.current = values.map((value) => String(value).trim()).join();
  };
  return { isEdited, ref: form, onInput: () => setEdited(true), onSubmit: rememberSubmitted };
}
