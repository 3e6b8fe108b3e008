import { GeistMono } from 'geist/font/mono';
import { GeistSans } from 'geist/font/sans';

/** The classes that define `--font-geist-sans` and `--font-geist-mono`; the files come from our own address. */
export const fontClasses = `${GeistSans.variable} ${GeistMono.variable}`;
