import process from 'node:process';
import { callAll } from './call-all.mjs';

console.log(JSON.stringify(await callAll(process.env)));
