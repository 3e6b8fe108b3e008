import { expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

it('visibleText: reads a generic arrow function in a .ts file, and elements in a .tsx file', () => {
  const generic = 'export const wait = <T>(run: () => T) => label("Adding card…", run());';
  expect(visibleText('src/wait.ts', generic)).toEqual(['Adding card…']);
  const element = 'export const Save = () => <button className="Not text">Add card</button>;';
  expect(visibleText('app/save.tsx', element)).toEqual(['Add card']);
});
