import { CreditCard, House, KeyRound, type LucideIcon, MapPinned, ReceiptText } from 'lucide-react';

export type Place = { href: string; name: string; Icon: LucideIcon };

export const places: Place[] = [
  { href: '/', name: 'Overview', Icon: House },
  { href: '/payout', name: 'Payout', Icon: ReceiptText },
  { href: '/cards', name: 'Cards', Icon: CreditCard },
  { href: '/service-area', name: 'Service area', Icon: MapPinned },
  { href: '/api-access', name: 'API access', Icon: KeyRound },
];
