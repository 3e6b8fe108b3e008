'use client';

/** Also for errors in the dashboard's layout. */
export { StandaloneError as default } from '#components/layout/root-layout.tsx';
