import { listEvents } from '../webhooks.ts';
import { missing } from './errors.ts';
import { listOf, PAGE_PARAMETERS } from './lists.ts';
import { type Operation, succeeded } from './operation.ts';

const listAllEvents: Operation = {
  name: 'events.list',
  method: 'GET',
  path: '/v1/events',
  allowed: ['type', ...PAGE_PARAMETERS],
  run({ store, params }) {
    const type = params.text('type');
    const events = listEvents(store).map(({ event }) => event);
    const matching = events.filter((event) => type === undefined || event.type === type);
    return listOf(matching.reverse(), params, '/v1/events', 'event');
  },
};

const retrieveEvent: Operation = {
  name: 'events.retrieve',
  method: 'GET',
  path: '/v1/events/:id',
  allowed: [],
  run({ store, id }) {
    const stored = listEvents(store).find(({ event }) => event.id === id);
    if (stored === undefined) throw missing('event', id, 'id', true);
    return succeeded(stored.event);
  },
};

export const eventOperations = [listAllEvents, retrieveEvent];
