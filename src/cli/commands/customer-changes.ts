import { Command, Option } from 'commander';
import { setStatus } from '#src/customers/set-status.ts';
import { showCustomer } from '#src/customers/show-customer.ts';
import { updateCustomer } from '#src/customers/update-customer.ts';
import { customerDocument } from '../customer-output.ts';
import { withDatabase } from '../database.ts';
import { answer, type SharedOptions, tick } from '../output.ts';

export type Fields = {
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

export const profileType = () =>
  new Option('--profile-type <type>', 'the kind of account').choices(['Business', 'Personal']);

export function updateCommand(): Command {
  return new Command('update')
    .description('Change what is known of a customer; what is not given stays')
    .argument('<username>')
    .option('--email <address>', 'e-mail address')
    .option('--first-name <text>', 'first name of the contact')
    .option('--last-name <text>', 'last name of the contact')
    .option('--name <text>', 'business or display name')
    .option('--country-code <digits>', 'telephone country code, digits only')
    .option('--phone <text>', 'telephone number, without the country code')
    .option('--city <slug>', 'another city; the months of the ledger are then summed by its clock')
    .addOption(profileType())
    .option('--email-confirmed', 'the address is known to be theirs')
    .option('--no-email-confirmed', 'the address is not known to be theirs')
    .addHelpText('after', '\nExample:\n  $ operator customer update acme --phone 555-0142 --city honolulu')
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & Partial<Fields>>();
      const { city, emailConfirmed, json: __, actor: ___, ...fields } = options;
      if (Object.values({ ...fields, city, emailConfirmed }).every((value) => value === undefined)) {
        self.error('error: say what to change, for example --phone 555-0142');
      }
      const { hasChanged, shown } = await withDatabase(options.actor, async (workplace) => {
        const outcome = await updateCustomer(workplace, {
          ...fields,
          username,
          ...(city !== undefined && { citySlug: city }),
          ...(emailConfirmed !== undefined && { isEmailConfirmed: emailConfirmed }),
        });
        return { ...outcome, shown: await showCustomer(workplace.db, username) };
      });
      answer(options, { changed: hasChanged, customer: customerDocument(shown) }, () => [
        tick(hasChanged ? `${username} updated` : `${username} is as it was`),
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
      const { hasChanged } = await withDatabase(options.actor, (workplace) =>
        setStatus(workplace, { username, status }),
      );
      answer(options, { username, status, changed: hasChanged }, () => [
        tick(`${username} is ${status}${hasChanged ? '' : ', as before'}`),
      ]);
    });
}
