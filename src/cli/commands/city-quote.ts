import { Command } from 'commander';
import { quote } from '#src/cities/quote.ts';
import { decimalOf, dollarsOf } from '#src/money.ts';
import { readMiles } from '../arguments.ts';
import { withDatabase } from '../database.ts';
import { answer, type SharedOptions } from '../output.ts';

export function quoteCommand(): Command {
  return new Command('quote')
    .description('Say what a delivery over a distance costs, and how that comes about')
    .argument('<slug>', 'the city')
    .requiredOption('--miles <number>', 'the distance', readMiles)
    .addHelpText('after', '\nExample:\n  $ operator city quote san-jose --miles 12.4')
    .action(async (slug: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & { miles: number }>();
      const found = await withDatabase(options.actor, ({ db }) => quote(db, slug, options.miles));
      const [base, step, total] = [found.baseCents, found.stepCents, found.totalCents].map(BigInt) as [
        bigint,
        bigint,
        bigint,
      ];
      const document = {
        city: slug,
        miles: found.miles,
        base_price: Number(decimalOf(base)),
        step: { mile: found.stepMile, amount: Number(decimalOf(step)) },
        amount: Number(decimalOf(total)),
        amount_cents: found.totalCents,
      };
      answer(options, document, () => [
        `${dollarsOf(total)} for ${found.miles} miles in ${slug}:`,
        `  base price ${dollarsOf(base)}`,
        `  plus ${dollarsOf(step)}, the step of the price table up to ${found.stepMile} miles`,
      ]);
    });
}
