'use client';

// The error pages and the page of a 404 take these from the root layout's script. Otherwise each of them would have a copy in its own, and
// every page loads both.
export { SupportContact } from '../ui/support-contact.tsx';
export { Toaster } from '../ui/toast.tsx';
export { digestOf, PageError, StandaloneError } from './page-error.tsx';
export { PageNotFound } from './page-not-found.tsx';
