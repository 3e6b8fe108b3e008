import { and, eq, lt } from 'drizzle-orm';
import { cards } from '#db/schema.ts';
import type { CardContext } from '#src/cards/card.ts';
import { retryCards } from '#src/cards/complete-cards.ts';
import { findCards, isNamed, isStuck, listCardAudit } from '#src/cards/list-cards.ts';
import { type NamedDifference, reconcileCards } from '#src/cards/reconcile-cards.ts';
import { reconcileCustomer } from '#src/cards/reconcile-customer.ts';
import { getCustomerByUsername } from '#src/customers/get-customer.ts';
import { DomainError } from '#src/errors.ts';
import { ProviderError } from '#src/payments/provider.ts';
import { parseCount } from '../arguments.ts';
import {
  cardDocument,
  cardLines,
  cardTable,
  differenceDocument,
  differenceTable,
  isOpen,
  unfinishedTable,
} from '../card-output.ts';
import type { CommandContext } from '../command-context.ts';
import { errorDocument, providerFailure } from '../failures.ts';
import { OperatorCommand, type PageOptions } from '../operator-command.ts';
import { counted, moreLines, pageOf, printError, success } from '../output.ts';
import { auditDocument, auditTable } from './audit.ts';

export const cardCommand = new OperatorCommand('card').description(
  'List cards, sync them with the payment provider, and retry stuck ones',
);

cardCommand
  .command('list')
  .description("List a customer's cards in every state, latest first")
  .argument('<username>')
  .option('--limit <number>', 'maximum number of cards', parseCount, 100)
  .option('--after <id>', 'continue after the card with this ID', parseCount)
  .addHelpText('after', '\nExample:\n  $ operator card list acme')
  .runOnDatabase(async ({ db }, username: string, { after, limit }: PageOptions) => {
    const { customer } = await getCustomerByUsername(db, username);
    const isAfter = after === undefined ? undefined : lt(cards.id, after);
    const found = await findCards(db, and(eq(cards.customerId, customer.id), isAfter)).limit(limit + 1);
    const { rows, next } = pageOf(found, limit, ({ card }) => card.id);
    return {
      document: { username, cards: rows.map(cardDocument), next },
      lines: () => [...cardTable(rows), ...moreLines(next)],
    };
  });

cardCommand
  .command('show')
  .description('Show a card and its audit')
  .argument('<card>', "the card's uuid, or a payment method of the provider")
  .addHelpText('after', '\nExample:\n  $ operator card show pm_1Q2w3E4r5T6y7U8i')
  .runOnDatabase(async ({ db }, name: string) => {
    // A payment method can have been posted by several customers.
    const named = await findCards(db, isNamed(name));
    if (named.length === 0)
      throw new DomainError('not_found', 'There is no card with this uuid or payment method.');
    const found = await Promise.all(
      named.map(async (listed) => ({ listed, audit: await listCardAudit(db, listed.card) })),
    );
    return {
      document: {
        cards: found.map(({ listed, audit }) => ({
          ...cardDocument(listed),
          audit: audit.map(auditDocument),
        })),
      },
      lines: () =>
        found.flatMap(({ listed, audit }, index) => [
          ...(index > 0 ? [''] : []),
          ...cardLines(listed),
          '',
          ...auditTable(audit),
        ]),
    };
  });

const syncHelp = `
A card that is detached at the provider is removed here, and changed details are copied. A payment method that is
attached at the provider is detached if its card was removed here. Any other one is only listed, and so is a card that
the provider's account does not have.

Example:
  $ operator card sync acme`;

cardCommand
  .command('sync')
  .description("Compare a customer's cards with the payment provider, and update them to match")
  .argument('<username>')
  .addHelpText('after', syncHelp)
  .runOnDatabase(async (context, username: string) => {
    const { customer } = await getCustomerByUsername(context.db, username);
    const found = await reconcileCustomer(await withProvider(context), customer.id);
    const differences = found.map((difference) => ({ ...difference, username }));
    return {
      document: { username, differences: differences.map(differenceDocument) },
      lines: () =>
        found.length === 0 ? [success(`The cards of ${username} match`)] : differenceTable(differences),
      failures: openDifferences(differences, 'payment method'),
    };
  });

cardCommand
  .command('retry')
  .description("Try to finish a customer's unfinished cards now, including stuck ones")
  .argument('<username>')
  .addHelpText('after', '\nExample:\n  $ operator card retry acme')
  .runOnDatabase(async (context, username: string) => {
    const { customer } = await getCustomerByUsername(context.db, username);
    const retried = await retryCards(await withProvider(context), customer.id);
    const unfinished = retried.filter(({ isUnfinished }) => isUnfinished);
    return {
      document: { username, cards: retried.map(cardDocument) },
      lines: () => {
        if (retried.length === 0) return [success(`${username} has no unfinished cards`)];
        return unfinished.length === 0 ? cardTable(retried) : unfinishedTable(unfinished);
      },
      failures: failuresOf(
        unfinished.length,
        'card',
        'not finished. The service tries again; see the last error.',
      ),
    };
  });

cardCommand
  .command('stuck')
  .description(
    'List all cards that are stuck because their retries are used up; exits with 1 if there are any',
  )
  .addHelpText('after', '\nTo retry them, run: operator card retry <username>')
  .runOnDatabase(async ({ db }) => {
    const stuck = await findCards(db, isStuck);
    return {
      document: { cards: stuck.map(cardDocument) },
      lines: () => (stuck.length === 0 ? [success('No cards are stuck')] : unfinishedTable(stuck)),
      failures: failuresOf(stuck.length, 'card', 'stuck. To retry, run: operator card retry'),
    };
  });

const reconcileHelp = `
Differences are handled as in "operator card sync". Exits with 1 if a difference is left unchanged.`;

cardCommand
  .command('reconcile')
  .description("Compare all customers' cards with the payment provider now, as the service does once a day")
  .addHelpText('after', reconcileHelp)
  .runOnDatabase(async (context) => {
    const { counts, differences, problem } = await reconcileNow(await withProvider(context));
    const found = counted(differences.length, 'difference');
    return {
      document: {
        ...counts,
        differences: differences.map(differenceDocument),
        ...(problem && { error: errorDocument(problem) }),
      },
      lines: () => [
        ...(differences.length === 0 ? [] : [...differenceTable(differences), '']),
        ...(counts ? [success(`Compared ${counted(counts.customers, 'customer')}: ${found}`)] : []),
      ],
      failures: [
        ...openDifferences(differences, 'difference'),
        ...(problem ? [problem.message] : notCompared(counts?.failed ?? 0)),
      ],
    };
  });

/** The leases of a command run out by their time. */
export async function withProvider({ db, actor, openProvider }: CommandContext) {
  return { db, actor, provider: await openProvider(), instanceId: () => null };
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** @returns the counts, or the problem that ended the comparison; and the differences that were handled until then */
export async function reconcileNow(context: CardContext) {
  const differences: NamedDifference[] = [];
  let problem: DomainError | undefined;
  // Otherwise, its lease would keep the service from going on.
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  for (const signal of signals) process.once(signal, interrupt);
  const counts = await reconcileCards(context, {
    isByHand: true,
    signal: interruption.signal,
    onDifference: (difference) => differences.push(difference),
    onFailure: (customerId, error) => printError(`Customer ${customerId}: ${error.message}`),
  })
    .catch((error: unknown) => {
      if (!(error instanceof ProviderError)) throw error;
      problem = providerFailure(error);
      return undefined;
    })
    .finally(() => {
      for (const signal of signals) process.off(signal, interrupt);
    });
  if (!counts) problem ??= new DomainError('refused', interruption.signal.aborted ? interrupted : underWay);
  return { counts, differences, problem };
}

const interrupted = 'The comparison was interrupted. The service goes on with it.';
const underWay =
  'The cards were not compared, because a comparison is running, or failed less than 10 minutes ago. Try again later.';

const failuresOf = (count: number, noun: string, sentence: string) =>
  count > 0 ? [`${counted(count, noun)} ${sentence}`] : [];

export const openDifferences = (differences: NamedDifference[], noun: string) =>
  failuresOf(differences.filter(isOpen).length, noun, "left unchanged. Check the provider's dashboard.");

export const notCompared = (customers: number) =>
  failuresOf(customers, 'customer', 'not compared because the provider failed.');
