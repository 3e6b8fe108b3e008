import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { NotFoundError, ScheduleClient } from '@scheduling-service/client';

@Injectable()
class Cards {
  constructor(private readonly client: ScheduleClient) {}

  async callAll() {
    const { username } = await this.client.getCustomer();
    const { amount_cents } = await this.client.getPayout();
    const added = await this.client.addCard({ token: 'tok_visa' });
    if (!added.added) throw new Error(added.message);
    await this.client.removeCard(added.card.uuid);
    const refused: unknown = await this.client.removeCard(added.card.uuid).catch((error) => error);
    return [username, amount_cents, added.card.last4, refused instanceof NotFoundError];
  }
}

const { BASE_URL: baseUrl, API_KEY: apiKey, API_SECRET: apiSecret } = process.env;
const client = {
  provide: ScheduleClient,
  useFactory: () => new ScheduleClient({ baseUrl, apiKey, apiSecret }),
};

@Module({ providers: [Cards, client] })
class Application {}

void NestFactory.createApplicationContext(Application, { logger: false }).then(async (application) => {
  console.log(JSON.stringify(await application.get(Cards).callAll()));
  await application.close();
});
