import { installationSecrets } from '#src/installation-secrets.ts';
import { sandboxControl as controlOf } from '#tools/testing/sandbox-control.ts';
import type { OwnService } from './own-service.ts';

const sharedService = () => ({
  dataDir: process.env.E2E_DATA_DIR ?? '',
  sandboxPort: Number(process.env.E2E_SANDBOX_PORT),
});

/**
 * Calls the control API of a service's payment sandbox: `sandboxControl('POST payment_methods/pm_…/detach')`.
 * @param service the shared one by default
 */
export async function sandboxControl(
  action: string,
  body?: object,
  { dataDir, sandboxPort }: Pick<OwnService, 'dataDir' | 'sandboxPort'> = sharedService(),
): ReturnType<ReturnType<typeof controlOf>> {
  const { sandboxSecretKey } = await installationSecrets(dataDir);
  return controlOf(`http://127.0.0.1:${sandboxPort}`, sandboxSecretKey)(action, body);
}
