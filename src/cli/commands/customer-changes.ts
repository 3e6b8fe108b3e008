import { Command, Option } from 'commander';
import { showCustomer } from '#src/customers/get-customer.ts';
import { setStatus, updateCustomer } from '#src/customers/update-customer.ts';
import { withDatabase } from '../command-context.ts';
import { customerDocument } from '../customer-output.ts';
import { printResult, type SharedOptions, success } from '../output.ts';

export type CustomerFields = {
  email: string;
  firstName: string;
  lastName: string;
  name: string;
  countryCode: string;
  phone: string;
  city: string;
  profileType?: 'Business' | 'Personal';
  emailConfirmed?: boolean;
};

export const profileTypeOption = () =>
  new Option('--profile-type <type>', 'type of account').choices(['Business', 'Personal']);

export function updateCommand(): Command {
  return new Command('update')
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
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & Partial<CustomerFields>>();
      const { city, emailConfirmed, json: __, actor: ___, ...fields } = options;
      if (Object.values({ ...fields, city, emailConfirmed }).every((value) => value === undefined)) {
        self.error('error: specify what to change, for example --phone 555-0142');
      }
      const { hasChanged, customer } = await withDatabase(options.actor, async (context) => {
        const outcome = await updateCustomer(context, {
          ...fields,
          username,
          ...(city !== undefined && { citySlug: city }),
          ...(emailConfirmed !== undefined && { isEmailConfirmed: emailConfirmed }),
        });
        return { ...outcome, customer: await showCustomer(context.db, username) };
      });
      printResult(options, { changed: hasChanged, customer: customerDocument(customer) }, () => [
        success(hasChanged ? `Updated ${username}` : `${username} is unchanged`),
      ]);
    });
}

export function statusCommand(
  verb: string,
  status: 'Active' | 'Inactive' | 'Suspended',
  description: string,
): Command {
  return new Command(verb)
    .description(description)
    .argument('<username>')
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const { hasChanged } = await withDatabase(options.actor, (context) =>
        setStatus(context, { username, status }),
      );
      printResult(options, { username, status, changed: hasChanged }, () => [
        success(`${username} is ${hasChanged ? 'now' : 'already'} ${status}`),
      ]);
    });
}
