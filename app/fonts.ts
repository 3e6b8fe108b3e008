import { GeistSans } from 'geist/font/sans';
import localFont from 'next/font/local';

/** Loaded where something is set in it, and not ahead of what every page needs, as the package's own would be. */
const geistMono = localFont({
  src: '../node_modules/geist/dist/fonts/geist-mono/GeistMono-Variable.woff2',
  variable: '--font-geist-mono',
  weight: '100 900',
  preload: false,
  adjustFontFallback: false,
});

/** The classes that define `--font-geist-sans` and `--font-geist-mono`; the files come from our own address. */
export const fontClasses = `${GeistSans.variable} ${geistMono.variable}`;
