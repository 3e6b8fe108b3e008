import { ScheduleClient, ScheduleError } from '@scheduling-service/client';

// The client retries with the same Idempotency-Key.
const client = new ScheduleClient({
  baseUrl: process.env.BASE_URL,
  apiKey: process.env.API_KEY,
  apiSecret: process.env.API_SECRET,
});

try {
  const payout = await client.getPayout();
  console.log(`Balance due: ${payout.amount_cents} cents`);

  const result = await client.addCard({ token: process.env.CARD_TOKEN ?? 'tok_visa' });
  if (result.added) {
    console.log(`Added ${result.card.brand} ending in ${result.card.last4}`);
    await client.removeCard(result.card.uuid);
    console.log('Removed the card');
  } else {
    // The message is for the cardholder.
    console.log(`Not added: ${result.code}: ${result.message}`);
  }
} catch (error) {
  if (!(error instanceof ScheduleError)) throw error;
  console.error(
    error.type ? `${error.type}: ${error.message} (request ID ${error.requestId})` : error.message,
  );
  process.exitCode = 1;
}
