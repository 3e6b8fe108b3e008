import { createServer } from 'node:net';
import { StartError } from './cli-output.ts';

/**
 * @param variable the setting that chooses the port
 * @throws StartError that says how to choose another port
 */
export async function checkPortIsFree(
  host: string,
  port: number,
  variable: 'PORT' | 'SANDBOX_PORT',
): Promise<void> {
  const code = await bindingFailure(host, port);
  if (code !== undefined) throw new StartError(portSentence(code, host, port, variable));
}

export function portSentence(code: string, host: string, port: number, variable: string): string {
  const other = `choose another, for example: ${variable}=${port < 65_000 ? port + 100 : port - 100} npm start`;
  if (code === 'EADDRINUSE') return `Port ${port} is taken by another program. Stop it, or ${other}`;
  if (code === 'EACCES') return `This user may not listen on port ${port}. ${other.replace(/^c/, 'C')}`;
  return `The service cannot listen on ${host}, port ${port} (${code}). Set HOST to an address of this machine.`;
}

function bindingFailure(host: string, port: number): Promise<string | undefined> {
  const listener = createServer();
  return new Promise((resolve) => {
    listener.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    listener.listen({ host, port, exclusive: true }, () => listener.close(() => resolve(undefined)));
  });
}
