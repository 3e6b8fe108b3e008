import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { Logo } from '#components/layout/logo.tsx';
import { SignInForm } from '#components/sign-in/sign-in-form.tsx';
import { sitePath } from '#components/sign-in/site-path.ts';
import { SupportContact } from '#components/ui/support-contact.tsx';
import { services } from '#src/api/services.ts';
import { readSessionWithinQuota } from '#src/api/session.ts';
import { signIn } from './actions.ts';

export const metadata: Metadata = { title: 'Sign in' };

export default async function SignInPage({ searchParams }: PageProps<'/sign-in'>) {
  const query = await searchParams;
  const next = sitePath(query.next);
  const requestHeaders = await headers();
  // The response to the action, after which the form loads the next page.
  const isAction = requestHeaders.has('next-action');
  const cookie = requestHeaders.get('cookie');
  // From a page whose account is not the one that the browser has signed in to since.
  const isAgain = 'again' in query;
  if (!isAction && !isAgain && (await readSessionWithinQuota(services(), cookie))) redirect(next);
  const { SERVICE_NAME } = services().settings;
  return (
    <main className="mx-auto grid min-h-dvh max-w-lg content-start gap-8 px-4 py-10 sm:pt-[16vh]">
      <header>
        <Logo className="size-9" />
        <h1 className="mt-5 text-page font-semibold tracking-tight text-balance">
          Sign in to {SERVICE_NAME}
        </h1>
        {'signed-out' in query && <p className="mt-1 text-muted">You’re signed out.</p>}
        {next !== '/' && <p className="mt-1 text-muted">Sign in to continue to the page you requested.</p>}
      </header>
      <SignInForm action={signIn} next={next} />
      <footer className="border-t border-line pt-5 text-muted">
        <p>
          <strong className="font-medium text-ink">No API key yet?</strong> Our support team issues API keys.
          Contact <SupportContact />.
        </p>
        <p className="mt-1">
          Building an integration? Read the{' '}
          <a href="/docs" className="link">
            API reference
          </a>
          .
        </p>
      </footer>
    </main>
  );
}
