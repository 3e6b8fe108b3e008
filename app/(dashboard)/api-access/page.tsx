import type { Metadata } from 'next';
import { ApiKey } from '#components/api-access/api-key.tsx';
import { CodeBlock } from '#components/api-access/code-block.tsx';
import { codeSamples } from '#components/api-access/code-samples.ts';
import { MaskedText, MaskProvider } from '#components/api-access/masked-key.tsx';
import { DateWithZone } from '#components/ui/dates.tsx';
import { PageHeader, Panel } from '#components/ui/panel.tsx';
import { SupportText } from '#components/ui/support-text.tsx';
import { settings } from '#src/settings.ts';
import { requireSession } from '../session.ts';

export const metadata: Metadata = { title: 'API access' };

export default async function ApiAccessPage() {
  const { customer, city, secretLastUsedAt } = await requireSession();
  const { publicUrl, SUPPORT_CONTACT } = settings();
  return (
    <MaskProvider>
      <PageHeader title="API access">
        For the developer who connects your shop.{' '}
        <a href="/docs" className="link">
          Read the reference
        </a>{' '}
        or take the{' '}
        <a href="/openapi.json" className="link">
          OpenAPI document
        </a>
        .
      </PageHeader>
      <div className="grid gap-4 sm:gap-6 desk:grid-cols-12">
        <Panel id="key" title="API key" className="desk:col-span-7">
          <ApiKey apiKey={customer.apiKey} />
          <p className="mt-3 text-muted">
            Tells the service who is calling. It is worth nothing without the secret.
          </p>
        </Panel>
        <Panel id="secret" title="API secret" className="desk:col-span-5">
          <p>
            Last used:{' '}
            {secretLastUsedAt ? (
              <DateWithZone instant={secretLastUsedAt} timeZone={city.timezone} withTime />
            ) : (
              'not yet'
            )}
          </p>
          <p className="mt-3 text-muted">
            <SupportText
              text={`It was shown once, when it was issued, and can’t be shown again. To have it replaced, write to ${SUPPORT_CONTACT}: the old one then works for another day beside the new one, so that nothing stops.`}
              contact={SUPPORT_CONTACT}
            />
          </p>
        </Panel>
        <Panel id="lines" title="Lines to start with" className="desk:col-span-12">
          <p className="mb-5 text-muted">
            <span className="noscript:hidden">Your key is filled in: Copy takes all of it.</span>
            <noscript>Put the key you sign in with where it is masked.</noscript> Put your secret where they
            say so, and never into a page or an app.
          </p>
          <div className="grid gap-6">
            {codeSamples(publicUrl, customer.apiKey).map((sample) => (
              <CodeBlock key={sample.name} {...sample}>
                <MaskedText text={sample.code} apiKey={customer.apiKey} />
              </CodeBlock>
            ))}
          </div>
        </Panel>
      </div>
    </MaskProvider>
  );
}
