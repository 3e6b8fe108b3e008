import { nothingHere } from '#http/resource.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nothingHere;
