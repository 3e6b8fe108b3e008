/** Imports the collection as Bruno's application does: its command line imports OpenAPI only. */
import { mkdir, readFile } from 'node:fs/promises';
import collections from '@usebruno/cli/src/utils/collection.js';
import converters from '@usebruno/converters';

const postman = JSON.parse(await readFile('collection.json', 'utf8'));
const { collection } = await converters.postmanToBruno(postman);
await mkdir('bruno');
await collections.createCollectionFromBrunoObject(collection, 'bruno', { format: 'bru' });
