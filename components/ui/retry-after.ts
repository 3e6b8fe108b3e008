/** `1 second`, `40 seconds`, `10 minutes`, `2 hours`. */
export function waitText(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}

/** The service's words of what was too much, for where it is said next to them how long to wait. */
export function withoutWait(message: string): string {
  return message.replace(/ Try again later\.$/, '');
}
