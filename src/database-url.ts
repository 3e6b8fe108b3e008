import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

/** Which of several servers is wanted. */
const targets = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
export type Target = (typeof targets)[number];

/** One server of a URL, as options of postgres.js. */
export type ServerAddress = {
  host: string[];
  port: number[];
  path?: string;
  ssl: false | 'require' | 'prefer' | ConnectionOptions;
};

export type DatabaseUrl = {
  /** User, password, database, and the other parameters. The host is in the address. */
  url: string;
  addresses: [ServerAddress, ...ServerAddress[]];
  target: Target | undefined;
};

const DEFAULT_PORT = 5432;
const parts = /^(postgres(?:ql)?):\/\/(?:([^/?#]*)@)?([^/?#]*)(\/[^?#]*)?(\?[^#]*)?$/;
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * Reads what postgres.js does not do as libpq documents it: several hosts, `target_session_attrs`, `sslmode`, and
 * `sslrootcert`. Decision: docs/decisions/0031-failover.md.
 * https://www.postgresql.org/docs/current/libpq-connect.html
 * @returns the problem as a sentence without a subject
 */
export function readDatabaseUrl(text: string): DatabaseUrl | string {
  const [, scheme, credentials, hosts = '', database = '', query = ''] = parts.exec(text) ?? [];
  if (!scheme) return 'must start with postgres:// or postgresql://';
  const url = `postgres://${credentials === undefined ? '' : `${credentials}@`}localhost${database}${query}`;
  if (!URL.canParse(url)) return 'is not a valid URL';
  if (!isDecodable(`${credentials}${database}`))
    return 'has a % in its user, password, or database that is not written as %25';
  const rest = new URL(url);
  const take = (name: string) => {
    const value = rest.searchParams.get(name) ?? undefined;
    rest.searchParams.delete(name);
    return value;
  };
  const target = take('target_session_attrs');
  if (target !== undefined && !isTarget(target))
    return `has a target_session_attrs that is not one of ${targets.join(', ')}`;
  const hostList = readHosts(take('host') ?? hosts, take('port'));
  if (typeof hostList === 'string') return hostList;
  const [sslMode, rootCert] = [take('sslmode'), take('sslrootcert')];
  const tls = readTls(sslMode, rootCert);
  if (typeof tls === 'string') return tls;
  const addresses = hostList.map((host) => ({ ...host, ssl: tls(host) }));
  return { url: rest.href, addresses: addresses as DatabaseUrl['addresses'], target };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isTarget(text: string): text is Target {
  return (targets as readonly string[]).includes(text);
}

type Host = Omit<ServerAddress, 'ssl'>;

function readHosts(hosts: string, ports: string | undefined): Host[] | string {
  const portList = ports?.split(',') ?? [];
  const hostList: Host[] = [];
  for (const [index, entry] of hosts.split(',').entries()) {
    const [, name = '', ownPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
    if ((!name && entry !== '') || /%(?![0-9a-f]{2})/i.test(name)) return 'has a host that is not valid';
    const port = Number(ownPort ?? (portList.length > 1 ? portList[index] : portList[0]) ?? DEFAULT_PORT);
    if (!(Number.isInteger(port) && port >= 1 && port <= 65_535)) return 'has a port that is not valid';
    const host = decodeURIComponent(name.replace(/^\[|\]$/g, '')) || 'localhost';
    const path = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : {};
    hostList.push({ host: [host], port: [port], ...path });
  }
  return hostList;
}

/** As libpq, but the default does not encrypt a connection to the same machine, and `allow` is `prefer`. */
function readTls(mode: string | undefined, rootCert: string | undefined) {
  if (mode !== undefined && !sslModes.includes(mode))
    return `has an sslmode that is not one of ${sslModes.join(', ')}`;
  if (rootCert === 'system' && mode !== undefined && mode !== 'verify-full')
    return 'has sslrootcert=system, which needs sslmode=verify-full';
  let ca: string | undefined;
  if (rootCert !== undefined && rootCert !== 'system') {
    try {
      ca = readFileSync(rootCert, 'utf8');
    } catch (error) {
      return `has an sslrootcert that cannot be read (${(error as NodeJS.ErrnoException).code})`;
    }
  }
  const authority = ca === undefined ? {} : { ca };
  return ({ host: [host = ''], path }: Host): ServerAddress['ssl'] => {
    if (path) return false;
    const fallback = rootCert === 'system' ? 'verify-full' : isLoopback(host) ? 'disable' : 'prefer';
    switch (mode ?? fallback) {
      case 'disable':
        return false;
      case 'allow':
      case 'prefer':
        return 'prefer';
      case 'verify-full':
        return { ...authority, host, rejectUnauthorized: true };
      case 'require':
        // With an authority, libpq verifies as verify-ca does.
        if (ca === undefined) return 'require';
    }
    return { ...authority, host, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  };
}

export function isLoopback(host: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|::1|\[::1\])$/.test(host);
}
