import { Command } from 'commander';
import { revokeSecret } from '#src/customers/revoke-secret.ts';
import { defaultOverlapSeconds, rotateSecret } from '#src/customers/rotate-secret.ts';
import { formatInstant } from '#src/instant.ts';
import { parseDuration } from '../arguments.ts';
import { withDatabase } from '../command-context.ts';
import { credentialsDocument, credentialsLines, writeCredentialsFile } from '../credentials.ts';
import { counted, printResult, type SharedOptions, success } from '../output.ts';
import { requireConfirmation } from '../prompts.ts';

export function secretCommand(): Command {
  return new Command('secret')
    .description('Rotate and revoke API secrets')
    .addCommand(rotateCommand())
    .addCommand(revokeCommand());
}

function rotateCommand(): Command {
  return new Command('rotate')
    .description(
      'Issue a new secret; the previous one keeps working for an overlap period, and older ones are revoked',
    )
    .argument('<username>')
    .option(
      '--overlap <time>',
      'how long the previous secret keeps working, such as 30m, 24h, 7d, or 0',
      parseDuration,
      defaultOverlapSeconds,
    )
    .option('--out <file>', 'also save the key and secret to a new file that only you can read')
    .addHelpText(
      'after',
      '\nThe overlap period is 24h by default and ends early if the previous secret expires.\n\nExample:\n  $ operator secret rotate acme --overlap 2h --out acme.env',
    )
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & { overlap: number; out?: string }>();
      const issued = await withDatabase(options.actor, (context) =>
        writeCredentialsFile(options.out, () =>
          rotateSecret(context, { username, overlapSeconds: options.overlap, mode: context.mode }),
        ),
      );
      const { oldSecretExpiresAt } = issued;
      const document = {
        ...credentialsDocument(issued),
        old_secret_expires_at: oldSecretExpiresAt && formatInstant(oldSecretExpiresAt),
      };
      printResult(options, document, () => [
        ...credentialsLines(issued, options.out),
        oldSecretExpiresAt
          ? `The previous secret expires at ${formatInstant(oldSecretExpiresAt)}.`
          : 'No other secret is active.',
      ]);
    });
}

function revokeCommand(): Command {
  return new Command('revoke')
    .description('Revoke secrets and the browser sessions that they opened, effective immediately')
    .argument('<username>')
    .option('--old-only', 'only the previous secret, which is in its overlap period')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', '\nExample:\n  $ operator secret revoke acme --yes')
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & { oldOnly?: true; yes?: true }>();
      const which = options.oldOnly ? 'the previous secret' : 'all secrets';
      await requireConfirmation(
        `Revoke ${which} of ${username}? Requests that use ${options.oldOnly ? 'it' : 'them'} will fail immediately.`,
        options,
      );
      const { revoked } = await withDatabase(options.actor, (context) =>
        revokeSecret(context, { username, isOldOnly: options.oldOnly ?? false }),
      );
      printResult(options, { username, revoked }, () => [
        success(`Revoked ${counted(revoked, 'secret')} of ${username}`),
      ]);
    });
}
