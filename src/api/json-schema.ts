/** As much of JSON Schema as the OpenAPI document uses. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  /** Values so far; others can be added. */
  'x-extensible-enum'?: unknown[];
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  description?: string;
  pattern?: string;
  maxLength?: number;
};
