import { live } from '#src/api/health.ts';
import { resource } from '#src/api/resource.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = resource({ GET: live });
