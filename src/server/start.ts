/** `npm start` and `npm run dev`. */
import { speedUpImports } from '#src/fast-imports.ts';

speedUpImports();
await import('./main.ts');
