import { once } from 'node:events';
import { Option } from 'commander';
import { customers } from '#db/schema.ts';
import { createCustomer } from '#src/customers/create-customer.ts';
import type { CustomerFields } from '#src/customers/customer-fields.ts';
import { eraseCustomer, finishErasures } from '#src/customers/erase-customer.ts';
import { exportCustomer } from '#src/customers/export-customer.ts';
import { listCustomers, showCustomer } from '#src/customers/get-customer.ts';
import { setStatus, updateCustomer } from '#src/customers/update-customer.ts';
import { dollarsOf, exactNumber } from '#src/money.ts';
import { ProviderError } from '#src/payments/provider.ts';
import { parseCount } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { customerDocument, customerLines, listedDocument } from '../customer-output.ts';
import { rootCause } from '../failures.ts';
import { OperatorCommand, OutputCutOff, type SharedOptions } from '../operator-command.ts';
import { moreLines, pageOf, success, table } from '../output.ts';
import { credentialsDocument, credentialsLines, issueCredentials } from './secret.ts';

type CustomerOptions = Omit<CustomerFields, 'isEmailConfirmed'> & { city: string; emailConfirmed?: boolean };

const profileTypeOption = () =>
  new Option('--profile-type <type>', 'type of account').choices(customers.profileType.enumValues);

export const customerCommand = new OperatorCommand('customer').description(
  'Create, list, show, update, suspend, export, and erase customers',
);

const createHelp = `
Example:
  $ operator customer create --username acme --email ops@acme.example.com --first-name Ada --last-name Lee \\
      --name "Acme Bakery" --country-code 1 --phone 555-0142 --city san-jose --out acme.env
The customer can now sign in, or call the API with X-AUTH-APIKEY and X-AUTH-APISECRET.`;

customerCommand
  .command('create')
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
  .runOnDatabase(async (context, options: CustomerOptions & { username: string; out?: string }) => {
    const { city, emailConfirmed, out, ...fields } = options;
    const creation = await issueCredentials(out, () =>
      createCustomer(context, {
        ...fields,
        citySlug: city,
        mode: context.mode,
        ...(emailConfirmed !== undefined && { isEmailConfirmed: emailConfirmed }),
      }),
    );
    const { issued, failures } = creation;
    return { document: credentialsDocument(issued), lines: () => credentialsLines(creation), failures };
  });

customerCommand
  .command('list')
  .description('List customers by username')
  .option('--limit <number>', 'maximum number of customers', parseCount, 100)
  .option('--after <username>', 'continue after this customer')
  .runOnDatabase(async ({ db }, { limit, after }: { limit: number; after?: string }) => {
    const found = await listCustomers(db, { limit: limit + 1, after });
    const { rows, next } = pageOf(found, limit, ({ customer }) => customer.username);
    return {
      document: { customers: rows.map(listedDocument), next },
      lines: () => [
        ...table(rows, {
          username: ({ customer }) => customer.username,
          name: ({ customer }) => customer.name,
          status: ({ customer }) => customer.status,
          city: ({ citySlug }) => citySlug,
          email: ({ customer }) => customer.email,
        }),
        ...moreLines(next),
      ],
    };
  });

customerCommand
  .command('show')
  .description('Show a customer and when each active secret was last used, without the secrets')
  .argument('<username>')
  .runOnDatabase(async ({ db }, username: string) => {
    const customer = await showCustomer(db, username);
    return { document: { customer: customerDocument(customer) }, lines: () => customerLines(customer) };
  });

customerCommand
  .command('update')
  .description("Change a customer's details; those not specified stay the same")
  .argument('<username>')
  .option('--email <address>', 'email address')
  .option('--first-name <text>', 'first name of the contact')
  .option('--last-name <text>', 'last name of the contact')
  .option('--name <text>', 'business or display name')
  .option('--country-code <digits>', 'telephone country code, digits only')
  .option('--phone <text>', 'telephone number, without the country code')
  .option('--city <slug>', 'another city; monthly sums are rebuilt in its time zone')
  .addOption(profileTypeOption())
  .option('--email-confirmed', 'mark the email address as confirmed')
  .option('--no-email-confirmed', 'mark the email address as unconfirmed')
  .addHelpText('after', '\nExample:\n  $ operator customer update acme --phone 555-0142 --city honolulu')
  .validate(({ json, actor, ...fields }: SharedOptions & Partial<CustomerOptions>) =>
    Object.values(fields).every((value) => value === undefined)
      ? 'specify what to change, for example --phone 555-0142'
      : undefined,
  )
  .runOnDatabase(async (context, username: string, options: Partial<CustomerOptions>) => {
    const { city, emailConfirmed, ...fields } = options;
    const { hasChanged } = await updateCustomer(context, {
      ...fields,
      username,
      ...(city !== undefined && { citySlug: city }),
      ...(emailConfirmed !== undefined && { isEmailConfirmed: emailConfirmed }),
    });
    const customer = customerDocument(await showCustomer(context.db, username));
    return {
      document: { changed: hasChanged, customer },
      lines: () => [success(hasChanged ? `Updated ${username}` : `${username} is unchanged`)],
    };
  });

const statusCommands = [
  ['activate', 'Active', 'Restore access to the API and the dashboard'],
  ['deactivate', 'Inactive', 'Block access to the API and the dashboard, effective immediately'],
  ['suspend', 'Suspended', 'Block access temporarily, effective immediately'],
] as const;

for (const [verb, status, description] of statusCommands) {
  customerCommand
    .command(verb)
    .description(description)
    .argument('<username>')
    .runOnDatabase(async (context, username: string) => {
      const { hasChanged } = await setStatus(context, { username, status });
      return {
        document: { username, status, changed: hasChanged },
        lines: () => [success(`${username} is ${hasChanged ? 'now' : 'already'} ${status}`)],
      };
    });
}

customerCommand
  .command('export')
  .description('Print everything that is stored about a customer, as JSON')
  .argument('<username>')
  .addHelpText('after', '\nExample:\n  $ operator customer export acme > acme.json')
  .runOnDatabase(async ({ db }, username: string): Promise<undefined> => {
    let isStarted = false;
    const write = async (text: string) => {
      isStarted = true;
      if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    };
    await exportCustomer(db, username, write).catch((cause: unknown) => {
      throw isStarted ? new OutputCutOff('The export is incomplete.', { cause }) : cause;
    });
  });

const eraseHelp = `
Example:
  $ operator customer export acme > acme.json
  $ operator customer erase acme
The ledger and the audit stay, and refer to the customer by its ID. Descriptions and references of transactions are
part of the accounts, so they stay too.`;

customerCommand
  .command('erase')
  .description("Erase a customer's personal data, here and at the payment provider; it can't be undone")
  .argument('<username>')
  .confirm(
    (username: string) =>
      `Erase the personal data of ${username}, including its cards and access? This can't be undone.`,
  )
  .addHelpText('after', eraseHelp)
  .runOnDatabase(async (context, username: string) => {
    const erased = await eraseCustomer(context, username);
    const problem = await deleteAtProvider(context, erased.id);
    return {
      document: {
        username: erased.username,
        balance_cents: exactNumber(erased.balanceCents),
        provider_customer: problem === undefined ? 'deleted' : 'pending',
      },
      lines: () => [
        success(`Erased the personal data of ${username}. The customer is now ${erased.username}`),
        `Its ledger stays, with a balance of ${dollarsOf(erased.balanceCents)}.`,
        problem === undefined
          ? 'Every matching customer that the payment provider found is deleted. Its search can miss new ones, so the service repeats it for 24 hours.'
          : `The payment provider's customer is not deleted yet: ${problem} The service tries again every minute. If that takes more than 24 hours, erase ${erased.username} again.`,
      ],
    };
  });

/** @returns why it has to be done later */
async function deleteAtProvider(
  { db, openProvider }: CommandContext,
  customerId: number,
): Promise<string | undefined> {
  try {
    await finishErasures({ db, provider: await openProvider() }, { customerId });
    return undefined;
  } catch (error) {
    if (error instanceof ProviderError) return `the provider failed (${error.reason}).`;
    // Not a failure of the command: the customer is erased.
    const message = error instanceof Error ? rootCause(error).message : String(error);
    return message.endsWith('.') ? message : `${message}.`;
  }
}
