import { Command } from 'commander';
import { revokeSecret } from '#src/customers/revoke-secret.ts';
import { defaultOverlapSeconds, rotateSecret } from '#src/customers/rotate-secret.ts';
import { readDuration } from '../arguments.ts';
import { confirmed } from '../confirm.ts';
import { credentialsDocument, credentialsLines, issuing } from '../credentials.ts';
import { withDatabase } from '../database.ts';
import { answer, type SharedOptions, tick } from '../output.ts';
import { timestamp } from '../timestamp.ts';

export function secretCommand(): Command {
  return new Command('secret')
    .description('API secrets: issue a new one, end old ones')
    .addCommand(rotateCommand())
    .addCommand(revokeCommand());
}

function rotateCommand(): Command {
  return new Command('rotate')
    .description('Issue a new secret; the one before stays valid for an overlap, any older one ends now')
    .argument('<username>')
    .option(
      '--overlap <time>',
      'how long the old secret stays valid: 30m, 24h, 7d, or 0',
      readDuration,
      defaultOverlapSeconds,
    )
    .option('--out <file>', 'keep key and secret in a new file too, readable by its owner alone')
    .addHelpText(
      'after',
      '\nThe overlap is 24h unless said otherwise, and never outlasts the old secret’s own end.\n\nExample:\n  $ operator secret rotate acme --overlap 2h --out acme.env',
    )
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & { overlap: number; out?: string }>();
      const issued = await withDatabase(options.actor, (workplace) =>
        issuing(options.out, () =>
          rotateSecret(workplace, { username, overlapSeconds: options.overlap, mode: workplace.mode }),
        ),
      );
      const end = issued.oldSecretExpiresAt;
      const document = { ...credentialsDocument(issued), old_secret_expires_at: end ? timestamp(end) : null };
      answer(options, document, () => [
        ...credentialsLines(issued, options.out),
        end ? `The old secret is valid until ${timestamp(end)}.` : 'No other secret is valid.',
      ]);
    });
}

function revokeCommand(): Command {
  return new Command('revoke')
    .description('End secrets from the next request on, and the browser sessions that they opened')
    .argument('<username>')
    .option('--old-only', 'only the secret that a rotation left an overlap')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  $ operator secret revoke acme --yes')
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & { oldOnly?: true; yes?: true }>();
      const which = options.oldOnly ? 'the old secret' : 'every secret';
      await confirmed(`End ${which} of ${username} now? Whatever uses it is refused at once.`, options);
      const { revoked } = await withDatabase(options.actor, (workplace) =>
        revokeSecret(workplace, { username, isOldOnly: options.oldOnly ?? false }),
      );
      answer(options, { username, revoked }, () => [
        tick(`${revoked} secret${revoked === 1 ? '' : 's'} of ${username} ended`),
      ]);
    });
}
