/** What errors mean: those of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html), postgres.js, and the operating system. */

/** The queue for the database is full, or the database did not respond in time or cannot be reached. */
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError';
  /** Identifies the error where `instanceof` does not, in Next's bundle. */
  readonly code = 'DATABASE_BUSY';
}

type Failure = Error & {
  code?: unknown;
  syscall?: unknown;
  constraint_name?: unknown;
  column_name?: unknown;
};

/** @returns the error and all its causes: Drizzle's has PostgreSQL's, and a connection to several addresses has one of each */
function causesOf(error: unknown): Failure[] {
  if (!(error instanceof Error)) return [];
  const attempts: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...[error.cause, ...attempts].flatMap(causesOf)];
}

/** @param pattern a regular expression of whole codes */
function hasCode(pattern: string): (error: unknown) => boolean {
  const codes = new RegExp(`^(${pattern})$`);
  return (error) => causesOf(error).some(({ code }) => codes.test(String(code)));
}

/** By the statement timeout, or by an administrator. */
export const isCanceled = hasCode('57014');
/** A serialization failure or a deadlock: https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html */
export const isConflict = hasCode('40001|40P01');
export const isLockTimeout = hasCode('55P03');
/** Of a function. */
export const isNoDataFound = hasCode('P0002');
/** No free connection, or another resource that is used up. */
export const isServerFull = hasCode('53\\w{3}');
export const isUniqueViolation = hasCode('23505');
/** A statement before it has failed. */
export const isTransactionFailed = hasCode('25P02');
/** In a read-only transaction, such as on a standby. */
export const isWriteRefused = hasCode('25006');
export const isWrongPassword = hasCode('28P01');

export const violatesConstraint = (error: unknown, name: string) =>
  causesOf(error).some(({ constraint_name }) => constraint_name === name);

export const violatesNotNull = (error: unknown, column: string) =>
  causesOf(error).some(
    ({ code, column_name, message }) =>
      // Citus may pass on only the message.
      code === '23502' && (column_name === column || message.includes(`"${column}"`)),
  );

const isBusy = hasCode('DATABASE_BUSY');
const isClosed = hasCode(
  'CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|E(HOST|NET)UNREACH|08\\w{3}|25P04|57P\\d{2}',
);

/** A connection failed or was closed, as by a shutdown or the timeout of a transaction. */
export function isConnectionLost(error: unknown): boolean {
  // The latter has any code, such as ENOENT for the socket file of a local server that is down.
  return isClosed(error) || causesOf(error).some(({ syscall }) => syscall === 'connect');
}

/** By a certificate (https://nodejs.org/api/tls.html#x509-certificate-error-codes), or by the role or its password. */
export const isLoginRefused = hasCode(
  'CERT_\\w+|DEPTH_ZERO_\\w+|ERR_(SSL|TLS)_\\w+|HOSTNAME_MISMATCH|SELF_SIGNED_\\w+|UNABLE_TO_\\w+|28\\w{3}',
);

/** Says something about the database's state at the time, and nothing about the statement. */
export function isTransient(error: unknown): boolean {
  return [
    isBusy,
    isConnectionLost,
    isLoginRefused,
    isCanceled,
    isConflict,
    isLockTimeout,
    isServerFull,
    isWriteRefused,
  ].some((is) => is(error));
}
