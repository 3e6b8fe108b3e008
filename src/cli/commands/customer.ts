import { Command } from 'commander';
import { createCustomer } from '#src/customers/create-customer.ts';
import { listCustomers, showCustomer } from '#src/customers/get-customer.ts';
import { parseCount } from '../arguments.ts';
import { withDatabase } from '../command-context.ts';
import { credentialsDocument, credentialsLines, writeCredentialsFile } from '../credentials.ts';
import { customerDocument, customerLines, listedDocument } from '../customer-output.ts';
import { printResult, type SharedOptions, table } from '../output.ts';
import { type CustomerFields, profileTypeOption, statusCommand, updateCommand } from './customer-changes.ts';
import { eraseCommand, exportCommand } from './customer-data.ts';

export function customerCommand(): Command {
  return new Command('customer')
    .description('Create, list, show, update, suspend, export, and erase customers')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(updateCommand())
    .addCommand(statusCommand('activate', 'Active', 'Restore access to the API and the dashboard'))
    .addCommand(
      statusCommand(
        'deactivate',
        'Inactive',
        'Block access to the API and the dashboard, effective immediately',
      ),
    )
    .addCommand(statusCommand('suspend', 'Suspended', 'Block access temporarily, effective immediately'))
    .addCommand(exportCommand())
    .addCommand(eraseCommand());
}

function createCommand(): Command {
  return new Command('create')
    .description('Create a customer and issue an API key and secret; the secret is shown only once')
    .requiredOption('--username <text>', 'unique and permanent: letters, digits, and . _ @ + -')
    .requiredOption('--email <address>', 'email address')
    .requiredOption('--first-name <text>', 'first name of the contact')
    .requiredOption('--last-name <text>', 'last name of the contact')
    .requiredOption('--name <text>', 'business or display name')
    .requiredOption('--country-code <digits>', 'telephone country code, digits only')
    .requiredOption('--phone <text>', 'telephone number, without the country code')
    .requiredOption('--city <slug>', 'see: operator city list')
    .addOption(profileTypeOption())
    .option('--email-confirmed', 'mark the email address as confirmed')
    .option('--out <file>', 'also save the key and secret to a new file that only you can read')
    .addHelpText('after', createHelp)
    .action(async (_: unknown, self: Command) => {
      const options = self.optsWithGlobals<
        SharedOptions & CustomerFields & { username: string; out?: string }
      >();
      const { city, profileType: type, emailConfirmed, out, ...fields } = options;
      const issued = await withDatabase(options.actor, (context) =>
        writeCredentialsFile(out, () =>
          createCustomer(context, {
            ...fields,
            citySlug: city,
            mode: context.mode,
            ...(type && { profileType: type }),
            ...(emailConfirmed !== undefined && { isEmailConfirmed: emailConfirmed }),
          }),
        ),
      );
      printResult(options, credentialsDocument(issued), () => credentialsLines(issued, out));
    });
}

function listCommand(): Command {
  return new Command('list')
    .description('List customers by username')
    .option('--limit <number>', 'maximum number of customers', parseCount, 100)
    .option('--after <username>', 'continue after this customer')
    .action(async (_: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & { limit: number; after?: string }>();
      const listed = await withDatabase(options.actor, ({ db }) =>
        listCustomers(db, { limit: options.limit, ...(options.after && { after: options.after }) }),
      );
      printResult(options, { customers: listed.map(listedDocument) }, () =>
        table(
          ['username', 'name', 'status', 'city', 'email'],
          listed.map(({ customer, citySlug }) => [
            customer.username,
            customer.name,
            customer.status,
            citySlug,
            customer.email,
          ]),
        ),
      );
    });
}

function showCommand(): Command {
  return new Command('show')
    .description('Show a customer and when each active secret was last used, without the secrets')
    .argument('<username>')
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const customer = await withDatabase(options.actor, ({ db }) => showCustomer(db, username));
      printResult(options, { customer: customerDocument(customer) }, () => customerLines(customer));
    });
}

const createHelp = `
Example:
  $ operator customer create --username acme --email ops@acme.example.com --first-name Ada --last-name Lee \\
      --name "Acme Bakery" --country-code 1 --phone 555-0142 --city san-jose --out acme.env
The customer can now sign in, or call the API with X-AUTH-APIKEY and X-AUTH-APISECRET.`;
