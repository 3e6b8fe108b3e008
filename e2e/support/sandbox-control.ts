import { readFile } from 'node:fs/promises';
import path from 'node:path';

type Answer = { data: Record<string, unknown>[] } & Record<string, unknown>;

const ofSharedService = () => ({
  dataDir: process.env.E2E_DATA_DIR ?? '',
  port: Number(process.env.E2E_SANDBOX_PORT),
});

/**
 * The switches of a running service's payment sandbox: `sandboxControl('POST payment_methods/pm_…/detach')`.
 * @param sandbox that of the service which all tests share, unless given
 */
export async function sandboxControl(
  action: string,
  body?: object,
  { dataDir, port } = ofSharedService(),
): Promise<Answer> {
  const [method = 'GET', rest] = action.split(' ');
  const secrets = await readFile(path.join(dataDir, 'secrets.json'), 'utf8');
  const { sandboxSecretKey } = JSON.parse(secrets) as { sandboxSecretKey: string };
  const response = await fetch(`http://127.0.0.1:${port}/_sandbox/${rest}`, {
    method,
    headers: { Authorization: `Bearer ${sandboxSecretKey}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${action}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}
