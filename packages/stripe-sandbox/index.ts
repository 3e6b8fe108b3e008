/** The stand-in for the card-payment provider: its API, its card fields and its webhooks, on an origin of its own. */

export { SCRIPT_PATH } from './elements/paths.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './server.ts';
