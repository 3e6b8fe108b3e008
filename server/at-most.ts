import type { ServerResponse } from 'node:http';
import type { Listener } from './unreadable.ts';

const busyPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Busy</title>
<h1>Too many people at once</h1>
<p>This page could not be made just now. Reload it in a moment.</p>
</html>
`;

/**
 * Hands on so many requests at once and no more: the rest is refused at once with 503, so that those under way stay
 * fast. A request is under way until its answer is made; how fast it is fetched does not count.
 */
export function atMost(most: number, listener: Listener): Listener {
  let underWay = 0;
  return (request, response) => {
    if (underWay >= most) return refuse(response);
    underWay += 1;
    let isOver = false;
    const leave = () => {
      if (!isOver) underWay -= 1;
      isOver = true;
    };
    response.once('prefinish', leave).once('close', leave);
    return listener(request, response);
  };
}

function refuse(response: ServerResponse): void {
  response.writeHead(503, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Retry-After': '1',
  });
  response.end(busyPage);
}
