'use client';

// The error pages take these from the root layout's script. Otherwise each of them would have a copy in its own, and
// every page loads both.
export { SupportContact } from '../ui/support-contact.tsx';
export { Toaster } from '../ui/toast.tsx';
export { digestOf, PageError } from './page-error.tsx';
export { StandalonePage } from './standalone-page.tsx';
