'use client';

// The error pages and the page of a 404 take these from the root layout's script. Otherwise each of them would have a copy in its own, and
// every page loads both.
export { SupportContactProvider } from '../ui/support-contact.tsx';
export { Toaster } from '../ui/toast.tsx';
export { PageError, PageNotFound, StandaloneError } from './error-pages.tsx';
