import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { localHost, type Settings } from './settings.ts';

/** Secrets generated once per installation. */
export type InstallationSecrets = ReturnType<typeof newSecrets>;

function newSecrets() {
  const random = () => randomBytes(24).toString('hex');
  return {
    sessionSecret: random(),
    sandboxSecretKey: `sk_test_sandbox${random()}`,
    sandboxPublishableKey: `pk_test_sandbox${random()}`,
    sandboxWebhookSecret: `whsec_${random()}`,
  };
}

/** Creates the folder for its user only. Root's PostgreSQL runs as another user, who has to pass through. */
export async function makeDataDir(dataDir: string): Promise<void> {
  if (await mkdir(dataDir, { recursive: true }))
    await chmod(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
}

/**
 * Writes a file that only its user may read, who stays the same if root replaces it. A crash leaves the old file or the new one,
 * and no part of it.
 */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600, flush: true });
  const old = process.getuid?.() === 0 ? await stat(file).catch(() => undefined) : undefined;
  if (old) await chown(`${file}.new`, old.uid, old.gid);
  await rename(`${file}.new`, file);
}

/**
 * Stored in `DATA_DIR/secrets.json` with mode 0600.
 * @throws Error with a message for the operator when the file cannot be read: new secrets would replace those in use
 */
export async function installationSecrets(dataDir: string): Promise<InstallationSecrets> {
  const file = path.join(dataDir, 'secrets.json');
  const text = await readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT') return undefined;
    throw new Error(
      `The file secrets.json in ${dataDir} cannot be read (${code}). Check its permissions and the disk.`,
    );
  });
  if (text !== undefined) return parseSecrets(text, dataDir);
  const secrets = newSecrets();
  await makeDataDir(dataDir);
  await writePrivateFile(file, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

function parseSecrets(text: string, dataDir: string): InstallationSecrets {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(
      `The file secrets.json in ${dataDir} is not valid JSON. Restore it from a backup, or delete it to get new secrets, which ends all sessions.`,
    );
  }
}

/** @returns the settings of a client of the sandbox that the service runs on this machine */
export function sandboxSettings({ HOST, sandboxPort }: Settings, secrets: InstallationSecrets) {
  return {
    STRIPE_SECRET_KEY: secrets.sandboxSecretKey,
    STRIPE_PUBLISHABLE_KEY: secrets.sandboxPublishableKey,
    STRIPE_WEBHOOK_SECRET: secrets.sandboxWebhookSecret,
    STRIPE_API_BASE: `http://${localHost(HOST)}:${sandboxPort}`,
  };
}
