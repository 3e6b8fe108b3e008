import type { Credentials } from '#e2e/dashboard/sign-in-form.ts';
import { withSignedInPage } from './signed-in.ts';

const loads = 10;

/**
 * How long the map of a city takes to be drawn: from the browser's load event to the first frame with the outline, in ms
 * for each of ten loads. Zero where it was drawn before the event.
 * @param baseUrl of the running service, production build
 * @param credentials of a customer whose city has the polygon of `toothedRing()` in e2e/factories.ts
 * @param browserPath of the Chromium to use, as `findOrInstallBrowser` gives it
 */
export async function polygonDrawnMs(
  baseUrl: string,
  credentials: Credentials,
  browserPath: string,
): Promise<number[]> {
  return withSignedInPage(baseUrl, credentials, browserPath, async (page) => {
    await page.addInitScript(noteFirstDrawing);
    const times: number[] = [];
    while (times.length < loads) {
      await page.goto(`${baseUrl}/service-area`);
      const drawnAt = await page.waitForFunction(
        () => performance.getEntriesByName('polygon drawn')[0]?.startTime,
      );
      const loadedAt = await page.evaluate(() => {
        const [navigation] = performance.getEntriesByType('navigation');
        return navigation instanceof PerformanceNavigationTiming ? navigation.loadEventEnd : Number.NaN;
      });
      times.push(Math.max(0, Math.round(Number(await drawnAt.jsonValue()) - loadedAt)));
    }
    return times;
  });
}

/** Runs in the page, before its own scripts. */
function noteFirstDrawing(): void {
  const look = () => {
    const outline = document.querySelector('.leaflet-container path.map-area')?.getAttribute('d') ?? '';
    if (outline.length > 10) performance.mark('polygon drawn');
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
