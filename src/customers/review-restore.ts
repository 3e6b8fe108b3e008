import { sql } from 'drizzle-orm';
import { oneRow } from '#db/one-row.ts';
import { auditInsert, type Context } from '#src/audit.ts';
import { DomainError } from '#src/errors.ts';
import { isSecretLive } from './get-customer.ts';

export type RestoreReview = {
  /** The time whose rows the database had after the restore. */
  backupAt: Date;
  /** Of that time. Some may have been signed out after it, which the database does not know. */
  endedSessions: number;
  /** Of that time and not expired or revoked now. Some may have been revoked after it. */
  validSecrets: number;
  /** Refused since for a wrong secret: they may have a secret that was issued after that time. */
  refused: { username: string; failures: number }[];
};

/**
 * Ends the sessions of a backup, and finds what is known of changes to secrets that the restore lost.
 * @param since the time of the backup; by default, of the last one that was restored by command
 * @throws DomainError refused when it is not known
 */
export async function reviewRestore({ db, actor }: Context, since?: Date): Promise<RestoreReview> {
  const [restored] = await db.execute<{ backup_at: string | null }>(sql`
    select after ->> 'backupAt' as backup_at from audit
    where customer_id = 0 and action = 'database.restored' order by id desc limit 1`);
  const backupAt = since ?? (restored?.backup_at ? new Date(restored.backup_at) : undefined);
  if (!backupAt) {
    throw new DomainError(
      'refused',
      'No restore is recorded. Pass the time that the database was restored to as --since.',
    );
  }
  const until = sql`${backupAt.toISOString()}::timestamptz`;
  const audit = auditInsert({
    actor,
    action: 'session.closed',
    customerId: sql`id`,
    from: sql`customers where id in (select customer_id from ended)`,
  });
  const { ended, secrets, refused } = await oneRow(
    db.execute<{ ended: string; secrets: string; refused: RestoreReview['refused'] }>(sql`
    with ended as (delete from sessions where created_at <= ${until} returning customer_id), audited as (${audit})
    select (select count(*) from ended) as ended,
      (select count(*) from secrets where created_at <= ${until} and ${isSecretLive}) as secrets,
      (select coalesce(json_agg(json_build_object('username', username, 'failures', failures) order by username), '[]')
        from (select customer_id, count(*) as failures from security_events
          where reason = 'secret_invalid' and at > ${until} group by 1) f
        join customers on customers.id = f.customer_id) as refused`),
  );
  return { backupAt, endedSessions: Number(ended), validSecrets: Number(secrets), refused };
}
