const loopback = /^https?:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/;

/** Whether a message to a frame comes from the page around it. Any page on this computer may use the sandbox, so that people can try forms of their own. */
export function isFromPage({ source, origin }: MessageEvent): boolean {
  const pageOrigins = document.querySelector<HTMLMetaElement>('meta[name="page-origins"]')?.content ?? '';
  return source === window.parent && (loopback.test(origin) || pageOrigins.split(' ').includes(origin));
}
