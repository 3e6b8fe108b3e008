import { nextHandlers } from '#src/api/router.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nextHandlers;
