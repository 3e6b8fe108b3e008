import { resource } from '#src/api/resource.ts';
import { receiveEvent } from '#src/api/stripe-webhook.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = resource({ POST: receiveEvent });
