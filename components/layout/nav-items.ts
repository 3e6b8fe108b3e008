import type { IconName } from '../ui/icons.tsx';

export type Place = { href: string; name: string; icon: IconName };

export const places: Place[] = [
  { href: '/', name: 'Overview', icon: 'overview' },
  { href: '/payout', name: 'Payout', icon: 'payout' },
  { href: '/cards', name: 'Cards', icon: 'cards' },
  { href: '/service-area', name: 'Service area', icon: 'area' },
  { href: '/api-access', name: 'API access', icon: 'key' },
];
