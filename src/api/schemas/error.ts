import { z } from 'zod';

export const errorSchema = z
  .object({
    error: z.object({
      code: z.int().meta({ description: 'The HTTP status.' }),
      message: z
        .string()
        .meta({ description: 'What happened, for your developers. The wording can change.' }),
      type: z.string().meta({
        description:
          'The error, for your program. The errors page lists all types, and new ones can be added.',
        examples: ['invalid_input'],
      }),
      doc_url: z.url().meta({ description: 'The cause of the error and how to fix it.' }),
      request_id: z.string().meta({
        description: 'Include it when you contact support. In a replay, this is the ID of the first request.',
      }),
      details: z
        .array(z.object({ param: z.string().meta({ examples: ['card.expMonth'] }), message: z.string() }))
        .optional()
        .meta({ description: 'For a 400: the invalid parameters and what is wrong with each.' }),
    }),
  })
  .meta({ id: 'ErrorResponse' });

export type ErrorBody = z.infer<typeof errorSchema>;
