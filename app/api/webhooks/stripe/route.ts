import { resource } from '#http/resource.ts';
import { receiveEvent } from '#http/webhook.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = resource({ POST: receiveEvent });
