import { live } from '#http/health.ts';
import { resource } from '#http/resource.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = resource({ GET: live });
