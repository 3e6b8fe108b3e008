export function isInstalled(checkout: string): boolean;
export function install(checkout: string, env: Record<string, string | undefined>): Promise<boolean>;
