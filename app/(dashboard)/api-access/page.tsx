import type { Metadata } from 'next';
import { ApiKey, CopyableText, MaskedText } from '#components/api-access/api-key.tsx';
import { CodeBlock } from '#components/api-access/code-block.tsx';
import { codeSamples } from '#components/api-access/code-samples.ts';
import { MaskProvider } from '#components/api-access/copy-button.tsx';
import { RequestsTable } from '#components/api-access/requests-table.tsx';
import { RotateSecretForm } from '#components/api-access/rotate-secret-form.tsx';
import { CodeTabs } from '#components/docs/code-tabs.tsx';
import { SameAccount } from '#components/layout/app-shell.tsx';
import { DateWithZone, formatDateTime, zoneName } from '#components/ui/dates.tsx';
import { pageCursor } from '#components/ui/page-cursor.ts';
import { PageLink } from '#components/ui/page-link.tsx';
import { PagedRegion } from '#components/ui/paged-region.tsx';
import { Pager } from '#components/ui/pager.tsx';
import { Empty, PageHeader, Panel } from '#components/ui/panel.tsx';
import { SupportContact } from '#components/ui/support-contact.tsx';
import { listApiRequests } from '#src/api/api-requests.ts';
import { services } from '#src/api/services.ts';
import { clientPackage } from '#src/client-package.ts';
import { listSecrets } from '#src/customers/get-customer.ts';
import { requireSession } from '../session.ts';
import { rotateSecret } from './actions.ts';

export const metadata: Metadata = { title: 'API access' };

/** Also the target of the pager's links. */
const requestsPageId = 'requests-page';

export default async function ApiAccessPage({ searchParams }: PageProps<'/api-access'>) {
  const { customerId, customer, city } = await requireSession();
  const after = pageCursor.parse((await searchParams).after);
  const { publicUrl, STRIPE_PUBLISHABLE_KEY } = services().settings;
  const languages = codeSamples(publicUrl, customer.apiKey, clientPackage);
  const secrets = await listSecrets(services().db, customerId);
  return (
    <MaskProvider>
      <SameAccount customerId={customerId} />
      <PageHeader title="API access">
        For developers. Read the{' '}
        <a href="/docs" className="link">
          API reference
        </a>{' '}
        or download the{' '}
        <a href="/openapi.json" className="link">
          OpenAPI document
        </a>
        .
      </PageHeader>
      <div className="grid items-start gap-4 sm:gap-6 desk:grid-cols-12">
        <div className="grid gap-4 sm:gap-6 desk:col-span-7">
          <Panel id="key" title="API key">
            <ApiKey apiKey={customer.apiKey} />
            <p className="mt-3 text-muted">Identifies your account. It doesn’t work without the secret.</p>
          </Panel>
          {STRIPE_PUBLISHABLE_KEY && (
            <Panel id="publishable-key" title="Publishable key">
              <CopyableText text={STRIPE_PUBLISHABLE_KEY} name="publishable key" />
              <p className="mt-3 text-muted">
                Lets your web page create card tokens. It isn’t secret, and it’s the same for every customer.
                See{' '}
                <PageLink href="/docs/collect-a-card" className="link">
                  how to collect a card
                </PageLink>
                .
              </p>
            </Panel>
          )}
        </div>
        <Panel id="secret" title="API secret" className="desk:col-span-5">
          <Secrets secrets={secrets} timeZone={city.timezone} />
          <p className="mt-3 text-muted">
            A secret is shown once, when it’s issued. If you’ve lost yours, contact <SupportContact />. If it
            has leaked, ask them to revoke it.
          </p>
          <RotateSecretForm
            action={rotateSecret}
            customerId={customerId}
            hasPrevious={secrets.length > 1}
            newestSecretId={secrets.at(-1)?.id}
          />
        </Panel>
        <Panel id="lines" title="Quickstart" className="desk:col-span-12">
          <p className="mb-5 text-muted">
            <span className="noscript:hidden">Your API key is filled in.</span>
            <noscript>Replace the masked key with your API key.</noscript> In curl, replace YOUR_API_SECRET
            with your secret. The other samples read it from the environment variable API_SECRET. Never ship
            your secret in a web page or app.
          </p>
          <CodeTabs titles={languages.map(({ language }) => language)}>
            {languages.map(({ language, samples }) => (
              <div key={language} className="grid gap-6">
                {samples.map((sample) => (
                  <CodeBlock key={sample.name} {...sample}>
                    <MaskedText text={sample.code} apiKey={customer.apiKey} />
                  </CodeBlock>
                ))}
              </div>
            ))}
          </CodeTabs>
          <p className="mt-5 text-muted">
            For complete programs in nine languages, see{' '}
            <a href="/docs/quickstarts" className="link">
              quickstarts
            </a>
            .
          </p>
        </Panel>
        <Panel id="requests" title="Requests" className="desk:col-span-12">
          <Requests customerId={customerId} timeZone={city.timezone} after={after} />
        </Panel>
      </div>
    </MaskProvider>
  );
}

type SecretsProps = { secrets: Awaited<ReturnType<typeof listSecrets>>; timeZone: string };

function Secrets({ secrets, timeZone }: SecretsProps) {
  return (
    <ul className="grid gap-3">
      {secrets.toReversed().map(({ id, expiresAt, lastUsedAt }) => (
        <li key={id}>
          <p className="font-medium">
            {expiresAt ? (
              <>
                Previous secret, works until <DateWithZone instant={expiresAt} timeZone={timeZone} withTime />
              </>
            ) : (
              'Current secret'
            )}
          </p>
          <p>
            Last used to call the API or sign in:{' '}
            {lastUsedAt ? `${formatDateTime(lastUsedAt, timeZone)}, ${zoneName(timeZone)}` : 'never'}
          </p>
        </li>
      ))}
    </ul>
  );
}

type RequestsProps = { customerId: number; timeZone: string; after: number | undefined };

async function Requests({ customerId, timeZone, after }: RequestsProps) {
  const { requests, next } = await listApiRequests(services().db, customerId, { after, limit: 20 });
  if (requests.length === 0 && after === undefined)
    return <Empty title="No requests in the last 7 days">Requests with your API key appear here.</Empty>;
  return (
    <>
      <p className="mb-3 text-muted">
        Requests with your API key in the last 7 days. Include the request ID when you contact support.
      </p>
      <PagedRegion
        id={requestsPageId}
        label={after === undefined ? 'Latest requests' : 'Older requests'}
        url={`${after}`}
      >
        {requests.length === 0 ? (
          <Empty title="No requests on this page">Go back to the latest requests.</Empty>
        ) : (
          <RequestsTable requests={requests} timeZone={timeZone} />
        )}
      </PagedRegion>
      <Pager
        label="Request pages"
        latestUrl={after === undefined ? undefined : `/api-access#${requestsPageId}`}
        olderUrl={next === null ? undefined : `/api-access?after=${next}#${requestsPageId}`}
      />
    </>
  );
}
