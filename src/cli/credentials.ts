import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { Credentials } from '#src/customers/create-customer.ts';
import { DomainError } from '#src/errors.ts';
import { escapeControlChars } from '#src/escape.ts';
import { resolveFile } from './command-context.ts';
import { keyValueLines } from './output.ts';

/**
 * Issues credentials and, if a file is named, writes them to it. The file is created first, so that a secret is issued
 * only if it can be written.
 * @param name of a file that does not exist yet; it is created with mode 0600
 * @throws DomainError refused when the file exists or cannot be created
 */
export async function writeCredentialsFile<Issued extends Credentials>(
  name: string | undefined,
  issue: () => Promise<Issued>,
): Promise<Issued> {
  if (name === undefined) return issue();
  const file = resolveFile(name);
  const handle = await createFile(file);
  try {
    const issued = await issue();
    await handle.writeFile(
      `# ${issued.username}\nAPI_KEY=${issued.apiKey}\nAPI_SECRET=${issued.apiSecret}\n`,
    );
    await handle.sync();
    return issued;
  } catch (error) {
    await unlink(file);
    throw error;
  } finally {
    await handle.close();
  }
}

async function createFile(file: string): Promise<FileHandle> {
  return open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const message =
      error.code === 'EEXIST'
        ? `${file} already exists. Choose a file that doesn't exist yet.`
        : `${file} can't be written (${error.code}). Choose another file.`;
    throw new DomainError('refused', message);
  });
}

export function credentialsDocument({ id, username, apiKey, apiSecret }: Credentials) {
  return { id, username, api_key: apiKey, api_secret: apiSecret };
}

export function credentialsLines({ id, username, apiKey, apiSecret }: Credentials, file?: string): string[] {
  return [
    ...keyValueLines([
      ['id', id],
      ['username', username],
      ['api_key', apiKey],
      ['api_secret', apiSecret],
    ]),
    '',
    file === undefined
      ? "Copy the secret now and hand it over safely. It can't be shown again."
      : `The secret can't be shown again. It was saved to ${escapeControlChars(resolveFile(file))}, which only you can read.`,
  ];
}
