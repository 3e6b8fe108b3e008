import type { CardContext } from './context.ts';
import { cardColumns } from './normalise.ts';
import {
  forgetDeletedCustomer,
  isEventHandled,
  keepEvent,
  markDetached,
  refreshActiveCard,
} from './provider-event-queries.ts';

type Event = { id: string; type: string; paymentMethodId: string | null; providerCustomerId: string | null };

const cardEvents = new Set([
  'payment_method.updated',
  'payment_method.automatically_updated',
  'payment_method.detached',
]);

/**
 * Brings the cards here in line with the provider. The event only says where to look: the provider's truth of now is
 * taken, so that events may come twice and in any order.
 * @throws ProviderError when the truth could not be read; the provider then delivers the event again
 */
export async function applyEvent(ctx: CardContext, event: Event): Promise<void> {
  if (await isEventHandled(ctx.db, event.id)) return;
  if (event.type === 'customer.deleted' && event.providerCustomerId) {
    await forgetDeletedCustomer(ctx.db, event.providerCustomerId);
  } else if (cardEvents.has(event.type) && event.paymentMethodId) {
    await followCard(ctx, event.paymentMethodId);
  }
  // Only now: an event whose work was cut off is to be delivered again.
  await keepEvent(ctx.db, event);
}

async function followCard(ctx: CardContext, paymentMethodId: string): Promise<void> {
  const truth = await ctx.provider.findCard(paymentMethodId);
  if (!truth?.attachedTo) return markDetached(ctx.db, paymentMethodId);
  const { addressCountry, addressZip, ...values } = cardColumns(truth, {});
  const address = { ...(addressCountry && { addressCountry }), ...(addressZip && { addressZip }) };
  await refreshActiveCard(ctx.db, paymentMethodId, { ...values, ...address });
}
