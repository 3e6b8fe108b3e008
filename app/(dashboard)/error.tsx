'use client';

export { PageError as default } from '#components/layout/root-layout.tsx';
