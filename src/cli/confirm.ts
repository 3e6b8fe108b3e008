import { confirm, isCancel } from '@clack/prompts';
import { DomainError } from '#src/errors.ts';

/**
 * Asks before what cannot be undone: only a person at a terminal, and not with `--yes` or `--json`.
 * @throws DomainError refused when the answer is no
 */
export async function confirmed(question: string, options: { yes?: true; json?: true }): Promise<void> {
  if (options.yes || options.json || !process.stdin.isTTY || !process.stdout.isTTY) return;
  const reply = await confirm({ message: question, initialValue: false });
  if (isCancel(reply) || !reply) throw new DomainError('refused', 'Nothing was changed.');
}
