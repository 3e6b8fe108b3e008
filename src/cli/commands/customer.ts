import { Command } from 'commander';
import { createCustomer } from '#src/customers/create-customer.ts';
import { listCustomers, showCustomer } from '#src/customers/show-customer.ts';
import { readCount } from '../arguments.ts';
import { credentialsDocument, credentialsLines, issuing } from '../credentials.ts';
import { customerDocument, customerLines, listedDocument } from '../customer-output.ts';
import { withDatabase } from '../database.ts';
import { answer, type SharedOptions, table } from '../output.ts';
import { type Fields, profileType, statusCommand, updateCommand } from './customer-changes.ts';

export function customerCommand(): Command {
  return new Command('customer')
    .description('Customers: create, show, change, activate and suspend')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(updateCommand())
    .addCommand(statusCommand('activate', 'Active', 'Let a customer use the API and the dashboard again'))
    .addCommand(statusCommand('deactivate', 'Inactive', 'Shut a customer out, from the next request on'))
    .addCommand(
      statusCommand('suspend', 'Suspended', 'Shut a customer out for a time, from the next request on'),
    );
}

function createCommand(): Command {
  return new Command('create')
    .description('Create a customer and issue an API key and secret; the secret is shown this once')
    .requiredOption('--username <text>', 'unique, and never changed: letters, digits and . _ @ + -')
    .requiredOption('--email <address>', 'e-mail address')
    .requiredOption('--first-name <text>', 'first name of the contact')
    .requiredOption('--last-name <text>', 'last name of the contact')
    .requiredOption('--name <text>', 'business or display name')
    .requiredOption('--country-code <digits>', 'telephone country code, digits only')
    .requiredOption('--phone <text>', 'telephone number, without the country code')
    .requiredOption('--city <slug>', 'see: operator city list')
    .addOption(profileType())
    .option('--email-confirmed', 'the address is known to be theirs')
    .option('--out <file>', 'keep key and secret in a new file too, readable by its owner alone')
    .addHelpText('after', createHelp)
    .action(async (_: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & Fields & { username: string; out?: string }>();
      const { city, profileType: type, emailConfirmed, out, ...fields } = options;
      const issued = await withDatabase(options.actor, (workplace) =>
        issuing(out, () =>
          createCustomer(workplace, {
            ...fields,
            citySlug: city,
            mode: workplace.mode,
            ...(type && { profileType: type }),
            ...(emailConfirmed !== undefined && { isEmailConfirmed: emailConfirmed }),
          }),
        ),
      );
      answer(options, credentialsDocument(issued), () => credentialsLines(issued, out));
    });
}

function listCommand(): Command {
  return new Command('list')
    .description('List customers by username')
    .option('--limit <number>', 'customers at most', readCount, 100)
    .option('--after <username>', 'go on after this one')
    .action(async (_: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & { limit: number; after?: string }>();
      const found = await withDatabase(options.actor, ({ db }) =>
        listCustomers(db, { most: options.limit, ...(options.after && { after: options.after }) }),
      );
      answer(options, { customers: found.map(listedDocument) }, () =>
        table(
          ['username', 'name', 'status', 'city', 'e-mail'],
          found.map(({ customer, citySlug }) => [
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
    .description('Show a customer, and when each valid secret was last used; never a secret')
    .argument('<username>')
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const shown = await withDatabase(options.actor, ({ db }) => showCustomer(db, username));
      answer(options, { customer: customerDocument(shown) }, () => customerLines(shown));
    });
}

const createHelp = `
Example:
  $ operator customer create --username acme --email ops@acme.example.com --first-name Ada --last-name Lee \\
      --name "Acme Bakery" --country-code 1 --phone 555-0142 --city san-jose --out acme.env
The customer then signs in, or calls the API with X-AUTH-APIKEY and X-AUTH-APISECRET.`;
