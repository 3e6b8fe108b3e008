import { Command } from 'commander';
import { eraseCustomer, finishErasures } from '#src/customers/erase-customer.ts';
import { exportCustomer } from '#src/customers/export-customer.ts';
import { dollarsOf, exactNumber } from '#src/money.ts';
import { ProviderError } from '#src/payments/provider.ts';
import { SettingsError } from '#src/settings.ts';
import { type CommandContext, withDatabase } from '../command-context.ts';
import { printJson, printResult, type SharedOptions, success } from '../output.ts';
import { requireConfirmation } from '../prompts.ts';

export function exportCommand(): Command {
  return new Command('export')
    .description('Print everything that is stored about a customer, as JSON')
    .argument('<username>')
    .addHelpText('after', '\nExample:\n  $ operator customer export acme > acme.json')
    .action(async (username: string, _: unknown, self: Command) => {
      const { actor } = self.optsWithGlobals<SharedOptions>();
      printJson(await withDatabase(actor, ({ db }) => exportCustomer(db, username)));
    });
}

export function eraseCommand(): Command {
  return new Command('erase')
    .description("Erase a customer's personal data, here and at the payment provider; it can't be undone")
    .argument('<username>')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', eraseHelp)
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & { yes?: true }>();
      await requireConfirmation(
        `Erase the personal data of ${username}, including its cards and access? This can't be undone.`,
        options,
      );
      const { erased, problem } = await withDatabase(options.actor, async (context) => ({
        erased: await eraseCustomer(context, username),
        problem: await deleteAtProvider(context),
      }));
      const document = {
        username: erased.username,
        balance_cents: exactNumber(erased.balanceCents),
        provider_customer: problem === undefined ? 'deleted' : 'pending',
      };
      printResult(options, document, () => [
        success(`Erased the personal data of ${username}. The customer is now ${erased.username}`),
        `Its ledger stays, with a balance of ${dollarsOf(erased.balanceCents)}.`,
        problem === undefined
          ? 'The payment provider has no matching customer.'
          : `The payment provider's customer is not deleted yet: ${problem} The service tries again every minute.`,
      ]);
    });
}

/** @returns why it has to be done later */
async function deleteAtProvider({ db, openProvider }: CommandContext): Promise<string | undefined> {
  try {
    await finishErasures({ db, provider: await openProvider() });
    return undefined;
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    if (error instanceof ProviderError) return `the provider failed (${error.reason}).`;
    throw error;
  }
}

const eraseHelp = `
Example:
  $ operator customer export acme > acme.json
  $ operator customer erase acme
The ledger and the audit stay, and refer to the customer by its ID. Descriptions and references of transactions are
part of the accounts, so they stay too.`;
