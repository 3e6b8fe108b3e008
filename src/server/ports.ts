import { createServer, type ListenOptions, type Server } from 'node:net';
import { StartError } from './cli-output.ts';

type Address = ListenOptions & { host: string; port: number };
/** The setting that chooses the port. */
type Variable = 'PORT' | 'SANDBOX_PORT' | 'METRICS_PORT';

/** @throws StartError that says how to choose another port */
export function listen(server: Server, address: Address, variable: Variable): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      reject(new StartError(portSentence(code ?? message, address, variable))),
    );
    server.listen(address, resolve);
  });
}

/** @throws StartError that says how to choose another port */
export async function checkPortIsFree(host: string, port: number, variable: Variable): Promise<void> {
  const server = createServer();
  await listen(server, { host, port, exclusive: true }, variable);
  await server[Symbol.asyncDispose]();
}

function portSentence(code: string, { host, port }: Address, variable: Variable): string {
  const other = `choose another, for example: ${variable}=${port < 65_000 ? port + 100 : port - 100} npm start`;
  if (code === 'EADDRINUSE') return `Port ${port} is taken by another program. Stop it, or ${other}`;
  if (code === 'EACCES') return `This user may not listen on port ${port}. ${other.replace(/^c/, 'C')}`;
  return `The service cannot listen on ${host}, port ${port} (${code}). Set HOST to an address of this machine.`;
}
