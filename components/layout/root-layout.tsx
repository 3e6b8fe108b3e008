'use client';

// One module, so that the error pages and the root layout share a script. Every page loads both.
export { SupportContactProvider } from '../ui/support-contact.tsx';
export { Toaster } from '../ui/toast.tsx';
export { PageError, PageNotFound, StandaloneError } from './error-pages.tsx';
