/** HAProxy of Debian, as the proxy in front of the database and as the load balancer in front of the instances. */
import { writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import path from 'node:path';
import { type Program, startExecutable, untilReady } from '../processes.ts';

const defaults = `
global
  nbthread 1
defaults
  timeout connect 1s
  timeout check 2s
  timeout client 1h
  timeout server 1h
`;

export type Backend = { name: string; port: number; checkPort?: number };

/** Connections to one of several databases: the one for which the path of Patroni's REST API returns 200. */
export const databaseSection = (listenPort: number, checkPath: string, backends: Backend[]) => `
listen database-${listenPort}
  bind 127.0.0.1:${listenPort}
  mode tcp
  option httpchk GET ${checkPath}
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${backends.map(({ name, port, checkPort }) => `  server ${name} 127.0.0.1:${port} check port ${checkPort}`).join('\n')}
`;

/** HTTP requests to the instances that are ready. Only a connection that is refused is tried again. Responses name the instance. */
export const balancerSection = (listenPort: number, statsPort: number, backends: Backend[]) => `
listen service
  bind 127.0.0.1:${listenPort}
  mode http
  balance roundrobin
  option forwardfor
  http-response set-header x-instance %s
  option redispatch 1
  retries 3
  option httpchk GET /api/health/ready
  http-check expect status 200
  default-server inter 500ms fall 1 rise 1
${backends.map(({ name, port }) => `  server ${name} 127.0.0.1:${port} check`).join('\n')}
frontend stats
  bind 127.0.0.1:${statsPort}
  mode http
  stats enable
  stats uri /
`;

export type ProxyProgram = Program & { port: number };

/** @param sections of the configuration, one of which listens on the port */
export async function startProxy(
  folder: string,
  { name, port, sections }: { name: string; port: number; sections: string },
): Promise<ProxyProgram> {
  const file = path.join(folder, `${name}.cfg`);
  await writeFile(file, defaults + sections);
  const program = startExecutable('haproxy', ['-db', '-f', file]);
  await untilReady(program, () => accepts(port));
  return { ...program, port };
}

/** @returns the states of a balancer's servers by their names, such as `UP` */
export async function serverStates(statsPort: number): Promise<Record<string, string>> {
  const csv = await (await fetch(`http://127.0.0.1:${statsPort}/;csv`)).text();
  const [head = '', ...lines] = csv.split('\n').map((line) => line.split(','));
  const at = head.indexOf('status');
  return Object.fromEntries(
    lines.filter(([proxy]) => proxy === 'service').map((line) => [line[1], line[at]]),
  );
}

/** Whether something listens on a port. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
