import { startProxy } from '#src/cards/tests/crash/proxy.ts';

/** Leads to a database like a connection pooler, which announces a process ID of its own. @returns the URL through it */
export async function startPooler(url: string): Promise<{ href: string; close: () => Promise<void> }> {
  const { hostname: host, port } = new URL(url);
  const letterOfKeyData = 75;
  const keyData = Buffer.from([letterOfKeyData, 0, 0, 0, 12]);
  const pooler = await startProxy('database', { host, port: Number(port) }, ({ moment, bytes }) => {
    const at = moment === 'after' ? bytes.indexOf(keyData) : -1;
    if (at !== -1) bytes.writeUInt32BE(7, at + keyData.length);
    return true;
  });
  const { href } = Object.assign(new URL(url), { port: String(pooler.port) });
  return { href, close: pooler.close };
}
