import { HttpProblem } from '#src/api/problems.ts';
import type { Services } from '#src/api/services.ts';
import type { HtmlRewriter, Middleware } from './middleware.ts';
import { busyPage } from './plain-page.ts';

type Message = { title: string; text: string; link: string; href: string };

const failed: Message = {
  title: 'This page didn’t load',
  text: 'Something went wrong on our side. Your cards, balance, and keys are safe.',
  link: 'Try again',
  href: '',
};

const notFound: Message = {
  title: 'Page not found',
  text: 'The link may be outdated or mistyped.',
  link: 'Go to the quickstart',
  href: '/docs',
};

/**
 * Next sends 500 for every failure, and for that of a route handler, such as a download, an empty body. Like the API, both are
 * unavailable while their database is. Delete when Next lets pages set their status.
 */
export function sendUnavailable({ page }: Pick<Services, 'page'>): Middleware {
  return (_request, response, next) => {
    const { writeHead, end } = response;
    const render = { isUnavailable: false };
    response.writeHead = (status: number, ...rest: unknown[]) => {
      const problem = status === 500 && render.isUnavailable ? new HttpProblem('unavailable') : undefined;
      for (const [name, value] of Object.entries(problem?.headers ?? {})) response.setHeader(name, value);
      return Reflect.apply(writeHead, response, [problem ? 503 : status, ...rest]);
    };
    response.end = (...rest: unknown[]) => {
      const isEmpty = rest.length === 0 && !response.headersSent;
      if (!isEmpty || !render.isUnavailable) return Reflect.apply(end, response, rest);
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      return Reflect.apply(end, response, [busyPage]);
    };
    page.run(render, next);
  };
}

/**
 * Next sends an empty body for a page that failed, or that turned out to be missing during rendering, and fills it by
 * script. This adds the message and a link for browsers without scripts. Delete when Next renders error pages
 * on the server (e2e/dashboard/server-error.spec.ts).
 */
export const addErrorMessage: HtmlRewriter = (response) => {
  let isErrorPage = false;
  return (html) => {
    isErrorPage ||= html.includes('id="__next_error__"');
    if (!isErrorPage || response.statusCode < 404) return html;
    const styles = /<(\/_next\/static\/[^>"]+\.css)>/.exec(String(response.getHeader('link')))?.[1];
    const message = noscript(response.statusCode < 500 ? notFound : failed, styles);
    return html.replace('</body>', () => `${Buffer.from(message).toString('latin1')}</body>`);
  };
};

const noscript = ({ title, text, link, href }: Message, styles: string | undefined) => `<noscript>
${styles ? `<link rel="stylesheet" href="${styles}">` : ''}
<main class="mx-auto grid min-h-dvh max-w-md content-center gap-7 px-4 py-10">
<img src="/icon.svg" alt="" class="size-9">
<div class="grid justify-items-start gap-3">
<h1 class="text-page font-semibold tracking-tight text-balance">${title}</h1>
<p class="text-muted">${text}</p>
<a class="mt-3 hit inline-grid place-items-center rounded-control bg-accent px-4 font-medium text-on-accent hover:bg-accent-hover" href="${href}">${link}</a>
</div>
</main>
</noscript>`;
