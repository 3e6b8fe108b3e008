export type SandboxControl = (
  action: string,
  body?: object,
) => Promise<{ data: Record<string, unknown>[] } & Record<string, unknown>>;

/**
 * Calls the sandbox's control API: `control('POST faults', { operation, kind })`.
 * @throws Error unless the status is 200
 */
export function sandboxControl(origin: string, secretKey: string): SandboxControl {
  return async (action, body) => {
    const [method = 'GET', path] = action.split(' ');
    const response = await fetch(`${origin}/_sandbox/${path}`, {
      method,
      headers: { Authorization: `Bearer ${secretKey}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${action}: ${response.status} ${await response.text()}`);
    return response.json();
  };
}
