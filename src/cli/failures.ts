import { DomainError } from '#src/errors.ts';
import type { ProviderError } from '#src/payments/provider.ts';
import { SettingsError } from '#src/settings.ts';

export function providerFailure(error: ProviderError): DomainError {
  const sentences: Record<string, string> = {
    denied: "The payment provider rejected the service's key. Check STRIPE_SECRET_KEY.",
    not_reached:
      "The payment provider couldn't be reached. Check the connection. The sandbox runs only while the service does.",
  };
  const sentence =
    sentences[error.kind] ??
    sentences[error.reason] ??
    'The payment provider failed. Try again in a minute, and look at its status page.';
  return new DomainError('provider_unavailable', `${sentence} (${error.message})`, [], { cause: error });
}

/** Drizzle wraps the database's error, whose message says more. */
export function rootCause(error: Error): Error {
  const isWrapper = !(error instanceof DomainError) && !(error instanceof SettingsError);
  return isWrapper && error.cause instanceof Error ? rootCause(error.cause) : error;
}

/** The `error` of a document that also has what was done before the failure. */
export const errorDocument = ({ code, message }: DomainError) => ({ code, message });
