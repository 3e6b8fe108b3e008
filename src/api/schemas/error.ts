import { z } from 'zod';

export const errorSchema = z
  .object({
    error: z.object({
      code: z.int().meta({ description: 'The HTTP status.' }),
      message: z.string(),
      details: z
        .array(z.object({ param: z.string().meta({ examples: ['card.expMonth'] }), message: z.string() }))
        .optional()
        .meta({ description: 'For a 400: the invalid parameters and what is wrong with each.' }),
    }),
  })
  .meta({ id: 'Error' });

export type ErrorBody = z.infer<typeof errorSchema>;
