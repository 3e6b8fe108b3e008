import { expect, it } from 'vitest';
import { runProgram } from './run-program.ts';

/** Starts a process that ignores SIGINT, and prints its ID. The program itself exits at once or when interrupted. */
const leavesAProcess = (endsItself: boolean) => `
  const child = require('node:child_process').spawn(process.execPath, ['-e', \`
    process.on('SIGINT', () => {});
    setInterval(() => {}, 1_000);
    console.log('ready');
  \`]);
  child.stdout.once('data', () => {
    console.log(child.pid);
    if (${endsItself}) process.exit(3);
    process.kill(process.ppid, 'SIGUSR2');
  });
  process.once('SIGINT', () => process.exit(130));
`;

it('runProgram: returns the exit code and stops processes that the program left behind', async () => {
  const { code, output } = await runProgram(['-e', leavesAProcess(true)], new AbortController().signal);
  expect(code).toBe(3);
  expect(() => process.kill(Number(output), 0)).toThrow('ESRCH');
});

it('runProgram: interrupts the program and everything it started', async () => {
  const stop = new AbortController();
  process.once('SIGUSR2', () => stop.abort());
  const { code, output } = await runProgram(['-e', leavesAProcess(false)], stop.signal);
  expect(code).toBe(130);
  expect(() => process.kill(Number(output), 0)).toThrow('ESRCH');
});
