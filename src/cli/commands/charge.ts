import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { quoteOf } from '#src/cities/quote.ts';
import { requireCustomer } from '#src/customers/show-customer.ts';
import { readLocalInstant } from '#src/instant.ts';
import { addEntry } from '#src/ledger/add-entry.ts';
import type { EntryKind } from '#src/ledger/entry.ts';
import { defaultDescription } from '#src/ledger/import-row.ts';
import { reverseEntry } from '#src/ledger/reverse-entry.ts';
import { dollarsOf } from '#src/money.ts';
import { readAmount, readKind, readMiles } from '../arguments.ts';
import { confirmed } from '../confirm.ts';
import { withDatabase } from '../database.ts';
import { entryDocument } from '../entry-output.ts';
import { answer, type SharedOptions, tick } from '../output.ts';
import { localTime } from '../timestamp.ts';
import { importCommand } from './charge-import.ts';
import { listCommand } from './charge-list.ts';

type AddOptions = SharedOptions & {
  amount?: bigint;
  miles?: number;
  at: string;
  kind: EntryKind;
  description?: string;
  reference?: string;
};

export function chargeCommand(): Command {
  return new Command('charge')
    .description('What customers owe: add, import, take back and list entries of the ledger')
    .addCommand(addCommand())
    .addCommand(importCommand())
    .addCommand(listCommand())
    .addCommand(reverseCommand());
}

function addCommand(): Command {
  return new Command('add')
    .description('Add an entry to the ledger of a customer')
    .argument('<username>')
    .option(
      '--amount <dollars>',
      'such as 12.50; positive but for an adjustment, the kind turns the sign',
      readAmount,
    )
    .option('--miles <number>', 'price a delivery by the table of the customer’s city instead', readMiles)
    .option('--at <time>', 'when it takes effect: an offset may be given, else the city’s clock holds', 'now')
    .option('--kind <kind>', 'delivery, adjustment, credit or payment', readKind, 'delivery')
    .option('--description <text>', 'what the customer reads')
    .option('--reference <text>', 'unique among the customer’s entries; made up when not given')
    .addHelpText('after', addHelp)
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<AddOptions>();
      if ((options.amount === undefined) === (options.miles === undefined)) {
        self.error('error: give either --amount or --miles');
      }
      if (options.miles !== undefined && options.kind !== 'delivery') {
        self.error('error: only a delivery is priced by --miles');
      }
      const { entry, city } = await withDatabase(options.actor, async (workplace) => {
        const found = await requireCustomer(workplace.db, username);
        const takesEffectAt = readLocalInstant(options.at, found.city.timezone);
        if (typeof takesEffectAt === 'string') self.error(`error: option '--at': ${takesEffectAt}`);
        const amountCents = options.amount ?? BigInt(quoteOf(found.city, options.miles ?? 0).totalCents);
        const added = await addEntry(workplace, {
          username,
          kind: options.kind,
          amountCents,
          takesEffectAt: new Date(takesEffectAt),
          description: options.description ?? defaultDescription(options.kind, options.miles ?? null),
          reference: options.reference ?? `ref-${randomBytes(8).toString('hex')}`,
        });
        return { entry: added, city: found.city };
      });
      answer(options, { username, entry: entryDocument(entry, city.timezone) }, () => [
        tick(
          `${entry.kind} of ${dollarsOf(entry.amountCents)} on ${localTime(entry.takesEffectAt, city.timezone)} (${city.timezone})`,
        ),
        `  reference ${entry.reference}`,
      ]);
    });
}

function reverseCommand(): Command {
  return new Command('reverse')
    .description(
      'Take an entry back by its opposite, at the instant of the original; both stay in the ledger',
    )
    .argument('<username>')
    .argument('<reference>', 'of the entry; see: operator charge list')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  $ operator charge reverse acme INV-1042')
    .action(async (username: string, reference: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & { yes?: true }>();
      await confirmed(
        `Take back ${reference} of ${username}? A reversal itself cannot be taken back.`,
        options,
      );
      const { entry, timezone } = await withDatabase(options.actor, async (workplace) => {
        const { city } = await requireCustomer(workplace.db, username);
        return { entry: await reverseEntry(workplace, { username, reference }), timezone: city.timezone };
      });
      answer(options, { username, entry: entryDocument(entry, timezone) }, () => [
        tick(`${reference} taken back by ${entry.reference}`),
      ]);
    });
}

const addHelp = `
Deliveries and adjustments raise what is owed, payments and credits lower it. Entries are never changed:
a mistake is taken back with charge reverse.

Examples:
  $ operator charge add acme --amount 12.50 --at 2026-11-20T14:30:00-08:00 --reference INV-1042
  $ operator charge add acme --miles 12.4 --at "2026-11-28 09:00" --description "To the fair"
  $ operator charge add acme --kind payment --amount 250 --description "Bank transfer"`;
