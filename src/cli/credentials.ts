import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { Credentials } from '#src/customers/create-customer.ts';
import { DomainError } from '#src/errors.ts';
import { escapeControlChars } from '#src/escape.ts';
import { givenFile } from './database.ts';
import { facts } from './output.ts';

/**
 * Issues credentials and keeps them in a file too, where one is named. The file is made first, so that no secret is
 * issued that cannot be written.
 * @param name of a file that does not exist yet; it will be readable by its owner alone
 * @throws DomainError refused when the file is there or cannot be made
 */
export async function issuing<Issued extends Credentials>(
  name: string | undefined,
  issue: () => Promise<Issued>,
): Promise<Issued> {
  if (name === undefined) return issue();
  const file = givenFile(name);
  const handle = await create(file);
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

async function create(file: string): Promise<FileHandle> {
  return open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') {
      throw new DomainError('refused', `${file} is there already, and credentials never replace a file.`);
    }
    throw new DomainError('refused', `${file} cannot be written: ${error.code}.`);
  });
}

export function credentialsDocument({ id, username, apiKey, apiSecret }: Credentials) {
  return { id, username, api_key: apiKey, api_secret: apiSecret };
}

export function credentialsLines({ id, username, apiKey, apiSecret }: Credentials, file?: string): string[] {
  return [
    ...facts([
      ['id', id],
      ['username', username],
      ['api_key', apiKey],
      ['api_secret', apiSecret],
    ]),
    '',
    file === undefined
      ? 'The secret is shown this once: hand it over safely, it cannot be shown again.'
      : `The secret is shown this once, and is in ${escapeControlChars(givenFile(file))}, which only you can read.`,
  ];
}
