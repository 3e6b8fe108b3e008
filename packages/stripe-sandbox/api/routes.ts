import { customerOperations } from './customers.ts';
import { unknownUrl } from './errors.ts';
import type { Operation } from './operation.ts';
import { paymentMethodOperations } from './payment-methods.ts';
import { setupIntentOperations } from './setup-intents.ts';
import { tokenOperations } from './tokens.ts';

const operations = [
  ...tokenOperations,
  ...customerOperations,
  ...paymentMethodOperations,
  ...setupIntentOperations,
].map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replace(':id', '([^/]+)')}$`),
}));

/** @returns the operation at an address, and the id in it; @throws ApiError 404 where there is none */
export function operationAt(method: string, path: string): { operation: Operation; id: string } {
  for (const { operation, pattern } of operations) {
    const match = operation.method === method ? pattern.exec(path) : null;
    if (match) return { operation, id: match[1] ?? '' };
  }
  throw unknownUrl(method, path);
}

/** @returns whether a name is an operation's */
export function isOperationName(name: unknown): name is Operation['name'] {
  return operations.some(({ operation }) => operation.name === name);
}
