import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function startServer(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Redirects every request to another host. @returns the headers that the other host received, in `followed` */
export async function startRedirect() {
  const followed: IncomingHttpHeaders[] = [];
  const other = await startServer(({ headers }, response) => {
    followed.push(headers);
    response.end('{}');
  });
  const { url, close } = await startServer(({ url: path }, response) => {
    response.writeHead(302, { Location: other.url.replace('127.0.0.1', 'localhost') + path }).end();
  });
  const closeBoth = () => {
    close();
    other.close();
  };
  return { url, followed, close: closeBoth };
}
