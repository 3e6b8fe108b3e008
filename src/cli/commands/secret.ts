import { open, unlink } from 'node:fs/promises';
import type { Credentials } from '#src/customers/create-customer.ts';
import { revokeSecret } from '#src/customers/revoke-secret.ts';
import { rotateSecret } from '#src/customers/rotate-secret.ts';
import { DomainError } from '#src/errors.ts';
import { formatInstant } from '#src/instant.ts';
import { escapeControlChars } from '#src/text.ts';
import { durationOption } from '../arguments.ts';
import { existingFile } from '../backup-file.ts';
import { resolveFile } from '../command-context.ts';
import { OperatorCommand } from '../operator-command.ts';
import { counted, keyValueLines, success } from '../output.ts';

export const secretCommand = new OperatorCommand('secret').description('Rotate and revoke API secrets');

secretCommand
  .command('rotate')
  .description(
    'Issue a new secret; the one in use keeps working for an overlap period, and others are revoked',
  )
  .argument('<username>')
  .addOption(
    durationOption(
      '--overlap <time>',
      'how long the previous secret keeps working, such as 30m, 7d, or 0',
      '24h',
    ),
  )
  .option('--out <file>', 'also save the key and secret to a new file that only you can read')
  .addHelpText(
    'after',
    '\nThe overlap period ends early if the previous secret expires.\n\nExample:\n  $ operator secret rotate acme --overlap 2h --out acme.env',
  )
  .runOnDatabase(async (context, username: string, { overlap, out }: { overlap: number; out?: string }) => {
    const rotation = await issueCredentials(out, () =>
      rotateSecret(context, { username, overlapSeconds: overlap, mode: context.mode }),
    );
    const { issued, failures } = rotation;
    const expiresAt = issued.oldSecretExpiresAt && formatInstant(issued.oldSecretExpiresAt);
    return {
      document: { ...credentialsDocument(issued), old_secret_expires_at: expiresAt },
      lines: () => [
        ...credentialsLines(rotation),
        expiresAt ? `The previous secret expires at ${expiresAt}.` : 'No other secret is active.',
      ],
      failures,
    };
  });

secretCommand
  .command('revoke')
  .description('Revoke secrets and the browser sessions that they opened, effective immediately')
  .argument('<username>')
  .option('--old-only', 'only the previous secret, which is in its overlap period')
  .confirm((username: string, { oldOnly }: { oldOnly?: true }) =>
    oldOnly
      ? `Revoke the previous secret of ${username}? Requests that use it will fail immediately.`
      : `Revoke all secrets of ${username}? Requests that use them will fail immediately.`,
  )
  .addHelpText('after', '\nExample:\n  $ operator secret revoke acme --yes')
  .runOnDatabase(async (context, username: string, { oldOnly = false }: { oldOnly?: boolean }) => {
    const { revoked } = await revokeSecret(context, { username, isOldOnly: oldOnly });
    return {
      document: { username, revoked },
      lines: () => [success(`Revoked ${counted(revoked, 'secret')} of ${username}`)],
    };
  });

/** The file that the credentials were saved to, or the failure to save them. */
type Issue<Issued> = { issued: Issued; file?: string; failures?: string[] };

/**
 * Issues credentials and, if a file is named, writes them to it. The file is created first, so that a secret is issued
 * only if it can be written. A failure after that is returned, because the output is the only other copy.
 * @param name of a file that does not exist yet; it is created with mode 0600
 * @throws DomainError refused when the file exists or cannot be created
 */
export async function issueCredentials<Issued extends Credentials>(
  name: string | undefined,
  issue: () => Promise<Issued>,
): Promise<Issue<Issued>> {
  if (name === undefined) return { issued: await issue() };
  const file = resolveFile(name);
  const handle = await open(file, 'wx', 0o600).catch(notWritten(file));
  let issued: Issued | undefined;
  try {
    // Takes up the space, because a file can be created on a full disk.
    await handle.write(' '.repeat(bytesMax)).catch(notWritten(file));
    issued = await issue();
    const { bytesWritten } = await handle.write(
      `# ${issued.username}\nAPI_KEY=${issued.apiKey}\nAPI_SECRET=${issued.apiSecret}\n`,
      0,
    );
    await handle.truncate(bytesWritten);
    await handle.sync();
    await handle.close();
    return { issued, file };
  } catch (error) {
    await unlink(file).catch(() => {});
    if (!issued) throw error;
    const { message } = error as Error;
    return {
      issued,
      failures: [
        escapeControlChars(`${file} can't be written (${message}). The secret is only in this output.`),
      ],
    };
  } finally {
    await handle.close().catch(() => {});
  }
}

/** More than credentials have. */
const bytesMax = 4096;

function notWritten(file: string) {
  return ({ code }: NodeJS.ErrnoException): never => {
    throw code === 'EEXIST'
      ? existingFile(file)
      : new DomainError('refused', `${file} can't be written (${code}). Choose another file.`);
  };
}

export function credentialsDocument({ id, username, apiKey, apiSecret }: Credentials) {
  return { id, username, api_key: apiKey, api_secret: apiSecret };
}

export function credentialsLines({ issued, file }: Issue<Credentials>): string[] {
  return [
    ...keyValueLines(credentialsDocument(issued)),
    '',
    file === undefined
      ? "Copy the secret now and hand it over safely. It can't be shown again."
      : `The secret can't be shown again. It was saved to ${escapeControlChars(file)}, which only you can read.`,
  ];
}
