import { expect, test } from 'vitest';
import { brokenRules } from './distribution-rules.ts';

test.each([
  [
    'an upsert by the clock',
    'insert into "idempotency_keys" ("key") values ($1) on conflict ("key") do update set "locked_until" = now() returning 1',
    'insert into "idempotency_keys" ("key", "at") values ($1, now()) on conflict do nothing returning 1',
  ],
  [
    'the clock in case or coalesce',
    'update "cards" set "updated_at" = case when failure_code is null then now() else updated_at end where id = $1',
    'update "cards" set "updated_at" = now(), "last_error" = coalesce("last_error", $2) where customer_id = $1',
  ],
  [
    'a change by the JSON of a row',
    'update cities c set name = w.name from wanted w where not to_jsonb(c) @> to_jsonb(w)',
    'update cities c set name = w.name from wanted w where row(c.name) is distinct from row(w.name)',
  ],
  [
    'rows locked among all customers',
    'update cards set state = $1 where id in (select id from cards where state = $2 limit $3 for update skip locked)',
    'select id from "cards" where ("cards"."customer_id" = $1 and "cards"."id" = $2) for update skip locked',
  ],
  [
    'a lock of rows that are joined with those of another part',
    'with added as (select 1), c as (select id from customers where id in (select customer_id from added) order by id for key share) select 1',
    'with added as (select 1), c as (select id from customers where id = any(array(select customer_id from added)) order by id for key share) select 1',
  ],
  [
    'the place of a row',
    'delete from "sessions" where ctid = any(array(select ctid from sessions limit $1))',
    'select concat_ws($1, customers.ctid) from customers',
  ],
  [
    'a random value of the server',
    'update cards set next_attempt_at = make_interval(secs => random()) where customer_id = $1',
    'update cards set next_attempt_at = make_interval(secs => $2) where customer_id = $1',
  ],
  [
    'a lock of the coordinator in a condition',
    'select id from cards where pg_try_advisory_xact_lock_shared(7348150, leased_by)',
    'select id from unnest($1) id where pg_try_advisory_xact_lock_shared(7348150, id)',
  ],
  [
    'a function of a column that depends on settings',
    'update cards set updated_at = updated_at - interval $1 where customer_id = $2',
    'update cards set updated_at = now() - interval $1 where customer_id = $2',
  ],
  [
    'a function that reads tables, of the columns of a row',
    'select card_refusal(cards.customer_id, cards.fingerprint) from cards where cards.customer_id = $1',
    'select card_refusal($1, v_card.fingerprint, $2)',
  ],
  [
    'a join without the customer',
    'select 1 from sessions s left join ledger_entries r on r.reverses_id = s.id where s.customer_id = $1',
    'select 1 from ledger_entries e left join ledger_entries r on r.customer_id = e.customer_id and r.reverses_id = e.id',
  ],
  [
    'a column without a type',
    'with opened as (select open_session($1, (select $2::bytea))) select 1',
    'with opened as (select open_session($1, (select $2::bytea)) is null as is_open) select 1',
  ],
  [
    'a change of tables of both kinds',
    'with old as (update audit_personal set address = $1 returning 1) update customers set client_ip = $2',
    'update customers set client_ip = $2 where id in (select customer_id from audit_personal)',
  ],
  [
    'a subquery beside values of all customers',
    'select count(*), coalesce((select finished_at from reconciliations limit $1), $2) from "cards" where state = $3',
    'with backlog as (select count(*) from cards), run as (select 1 from reconciliations) select * from backlog, run',
  ],
])('brokenRules: finds %s', (rule, refused, accepted) => {
  expect(brokenRules(refused)).toEqual([rule]);
  expect(brokenRules(accepted)).toEqual([]);
});

test.each([
  [
    'an upsert by the clock',
    'insert into cards (id) values ($1) on conflict (id) do update set updated_at = current_timestamp',
  ],
  [
    'the clock in case or coalesce',
    'update cards set updated_at = coalesce(updated_at, statement_timestamp()) where customer_id = $1',
  ],
  [
    'rows locked among all customers',
    'select 1 from cities join cards on cards.id = cities.id where cards.state = $2 for update of cards',
  ],
  [
    'a join without the customer',
    'select 1 from public.sessions s left join public.ledger_entries r on r.reverses_id = s.id',
  ],
  [
    'a join without the customer',
    'select 1 from sessions s, ledger_entries r where r.reverses_id = s.id order by 1',
  ],
  ['a join without the customer', 'update cards set state = $1 from sessions s where s.id = cards.id'],
  ['a join without the customer', 'delete from cards c using sessions s where s.id = c.id'],
])('brokenRules: finds %s in %s', (rule, refused) => {
  expect(brokenRules(refused)).toContain(rule);
});

test.each([
  'select 1 from sessions s, ledger_entries r where r.customer_id = s.customer_id',
  'update cards set state = $1 from sessions s where s.customer_id = cards.customer_id',
  'with s as (select 1 from sessions) delete from cards using s where cards.customer_id = $1',
])('brokenRules: accepts %s', (accepted) => {
  expect(brokenRules(accepted)).toEqual([]);
});
