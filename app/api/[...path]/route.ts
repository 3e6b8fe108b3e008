import { nothingHere } from '#src/api/resource.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nothingHere;
