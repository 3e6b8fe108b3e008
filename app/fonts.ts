import localFont from 'next/font/local';

// Latin subsets from @fontsource-variable/geist and geist-mono 5.3.0. One variable font is smaller than three weights.

const geistSans = localFont({
  src: './fonts/geist-latin.woff2',
  variable: '--font-geist-sans',
  weight: '100 900',
  // A font that swapped in late would move lines while they are read. The fallback is in fonts/fallback-fonts.css.
  display: 'optional',
  adjustFontFallback: false,
});

/** For names such as Łódź; loaded only when one of these characters is shown. */
const geistSansExtended = localFont({
  src: './fonts/geist-latin-ext.woff2',
  variable: '--font-geist-sans-extended',
  weight: '100 900',
  preload: false,
  adjustFontFallback: false,
  declarations: [
    {
      prop: 'unicode-range',
      value:
        'U+0100-02BA, U+02BD-02C5, U+02C7-02CC, U+02CE-02D7, U+02DD-02FF, U+0304, U+0308, U+0329, U+1D00-1DBF, U+1E00-1E9F, U+1EF2-1EFF, U+2020, U+20A0-20AB, U+20AD-20C0, U+2113, U+2C60-2C7F, U+A720-A7FF',
    },
  ],
});

/** Not preloaded. The letters of its fallback are as wide, so text does not move if it loads late. */
const geistMono = localFont({
  src: './fonts/geist-mono-latin.woff2',
  variable: '--font-geist-mono',
  weight: '100 900',
  preload: false,
  adjustFontFallback: false,
});

/** The classes that define the fonts' variables for the stylesheet. */
export const fontClasses = `${geistSans.variable} ${geistSansExtended.variable} ${geistMono.variable}`;
