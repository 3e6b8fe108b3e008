import { Command } from 'commander';
import { and, eq, lt } from 'drizzle-orm';
import { cards } from '#db/schema.ts';
import { retryCards } from '#src/cards/complete-cards.ts';
import { findCards, isNamed, isStuck, listCardAudit } from '#src/cards/list-cards.ts';
import { type NamedDifference, reconcileCards } from '#src/cards/reconcile-cards.ts';
import { reconcileCustomer } from '#src/cards/reconcile-customer.ts';
import { getCustomerByUsername } from '#src/customers/get-customer.ts';
import { DomainError } from '#src/errors.ts';
import { parseCount } from '../arguments.ts';
import { auditDocument, auditTable } from '../audit-output.ts';
import {
  cardDocument,
  cardLines,
  cardTable,
  differenceDocument,
  differenceTable,
  isOpen,
  unfinishedTable,
} from '../card-output.ts';
import { type CommandContext, withDatabase } from '../command-context.ts';
import { counted, printError, printResult, type SharedOptions, success } from '../output.ts';

export function cardCommand(): Command {
  return new Command('card')
    .description('List cards, sync them with the payment provider, and retry stuck ones')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(syncCommand())
    .addCommand(retryCommand())
    .addCommand(stuckCommand())
    .addCommand(reconcileCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description("List a customer's cards in every state, latest first")
    .argument('<username>')
    .option('--limit <number>', 'maximum number of cards', parseCount, 100)
    .option('--after <id>', 'continue after the card with this ID', parseCount)
    .addHelpText('after', '\nExample:\n  $ operator card list acme')
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & { limit: number; after?: number }>();
      const { after, limit } = options;
      const listed = await withDatabase(options.actor, async ({ db }) => {
        const { customer } = await getCustomerByUsername(db, username);
        const isAfter = after === undefined ? undefined : lt(cards.id, after);
        return findCards(db, and(eq(cards.customerId, customer.id), isAfter), limit);
      });
      printResult(options, { username, cards: listed.map(cardDocument) }, () => cardTable(listed));
    });
}

function showCommand(): Command {
  return new Command('show')
    .description('Show a card and its audit')
    .argument('<card>', "the card's uuid, or a payment method of the provider")
    .addHelpText('after', '\nExample:\n  $ operator card show pm_1Q2w3E4r5T6y7U8i')
    .action(async (name: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const found = await withDatabase(options.actor, async ({ db }) => {
        // A payment method can have been posted by several customers.
        const named = await findCards(db, isNamed(name));
        return Promise.all(
          named.map(async (listed) => ({ listed, audit: await listCardAudit(db, listed.card) })),
        );
      });
      if (found.length === 0)
        throw new DomainError('not_found', 'There is no card with this uuid or payment method.');
      const document = found.map(({ listed, audit }) => ({
        ...cardDocument(listed),
        audit: audit.map(auditDocument),
      }));
      printResult(options, { cards: document }, () =>
        found.flatMap(({ listed, audit }, index) => [
          ...(index > 0 ? [''] : []),
          ...cardLines(listed),
          '',
          ...auditTable(audit),
        ]),
      );
    });
}

function syncCommand(): Command {
  return new Command('sync')
    .description("Compare a customer's cards with the payment provider, and update them to match")
    .argument('<username>')
    .addHelpText('after', syncHelp)
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const differences = await withDatabase(options.actor, async (context) => {
        const { customer } = await getCustomerByUsername(context.db, username);
        return reconcileCustomer(await withProvider(context), customer.id, true);
      });
      const named = differences.map((difference) => ({ ...difference, username }));
      printResult(options, { username, differences: named.map(differenceDocument) }, () =>
        named.length === 0 ? [success(`The cards of ${username} match`)] : differenceTable(named),
      );
      const open = named.filter(isOpen).length;
      if (open > 0)
        fail(`${counted(open, 'payment method')} left unchanged. Check the provider's dashboard.`);
    });
}

function retryCommand(): Command {
  return new Command('retry')
    .description("Try to finish a customer's unfinished cards now, including stuck ones")
    .argument('<username>')
    .addHelpText('after', '\nExample:\n  $ operator card retry acme')
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const retried = await withDatabase(options.actor, async (context) => {
        const { customer } = await getCustomerByUsername(context.db, username);
        return retryCards(await withProvider(context), customer.id);
      });
      const unfinished = retried.filter(({ card }) =>
        ['pending', 'authenticating', 'removing'].includes(card.state),
      );
      printResult(options, { username, cards: retried.map(cardDocument) }, () => {
        if (retried.length === 0) return [success(`${username} has no unfinished cards`)];
        return unfinished.length === 0 ? cardTable(retried) : unfinishedTable(unfinished);
      });
      if (unfinished.length > 0)
        fail(
          `${counted(unfinished.length, 'card')} not finished. The service tries again; see the last error.`,
        );
    });
}

function stuckCommand(): Command {
  return new Command('stuck')
    .description(
      'List all cards that are stuck because their retries are used up; exits with 1 if there are any',
    )
    .addHelpText('after', '\nTo retry them, run: operator card retry <username>')
    .action(async (_: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const stuck = await withDatabase(options.actor, ({ db }) => findCards(db, isStuck));
      printResult(options, { cards: stuck.map(cardDocument) }, () =>
        stuck.length === 0 ? [success('No cards are stuck')] : unfinishedTable(stuck),
      );
      if (stuck.length > 0)
        fail(`${counted(stuck.length, 'card')} stuck. To retry, run: operator card retry`);
    });
}

function reconcileCommand(): Command {
  return new Command('reconcile')
    .description("Compare all customers' cards with the payment provider now, as the service does once a day")
    .addHelpText('after', reconcileHelp)
    .action(async (_: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const differences: NamedDifference[] = [];
      const counts = await withDatabase(options.actor, async (context) =>
        reconcileCards(await withProvider(context), {
          isByHand: true,
          onDifference: (difference) => differences.push(difference),
          onFailure: (customerId, error) => printError(`Customer ${customerId}: ${error.message}`),
        }),
      );
      if (!counts) {
        throw new DomainError(
          'refused',
          'A reconciliation is running. Wait for it to finish, and then try again.',
        );
      }
      const { customers, failed, ...byKind } = counts;
      const document = { customers, failed, ...byKind, differences: differences.map(differenceDocument) };
      printResult(options, document, () => [
        ...(differences.length === 0 ? [] : [...differenceTable(differences), '']),
        success(`Compared ${counted(customers, 'customer')}: ${counted(differences.length, 'difference')}`),
      ]);
      const open = differences.filter(isOpen).length;
      if (open > 0) fail(openSentence(open));
      if (failed > 0) fail(`${counted(failed, 'customer')} not compared because the provider failed.`);
    });
}

/** The leases of a command run out by their time. */
export async function withProvider({ db, actor, openProvider }: CommandContext) {
  return { db, actor, provider: await openProvider(), instanceId: () => null };
}

const openSentence = (count: number) =>
  `${counted(count, 'difference')} left unchanged. Check the provider's dashboard.`;

function fail(message: string): void {
  printError(message);
  process.exitCode = 1;
}

const reconcileHelp = `
Differences are handled as in "operator card sync", except that a card that is not in the provider's account is kept,
because with the keys of another account, every card would be missing. Exits with 1 if a difference is left unchanged.`;

const syncHelp = `
A card that is detached at the provider is removed here, and changed details are copied. A payment method that is
attached at the provider is detached if its card was removed here. Any other one is only listed.

Example:
  $ operator card sync acme`;
