import { z } from 'zod'
import { defineOperation } from '../../http/operation.ts'

export const openApiDocument = defineOperation({
  operationId: 'openApiDocument',
  method: 'get',
  path: '/api-docs/openapi.json',
  tag: 'Documentation',
  permission: 'none',
  summary: 'Get the OpenAPI document',
  description:
    'Returns this API as an OpenAPI 3.1 document. It is generated from the schemas that validate requests.',
  successes: [
    {
      status: 200,
      description: 'The OpenAPI document.',
      content: {
        mediaType: 'application/json',
        schema: z.object({ openapi: z.string() }).catchall(z.unknown()),
      },
    },
  ],
  problems: [],
  handle: (_request, { openApiBytes }) => ({
    status: 200,
    headers: { 'cache-control': 'no-cache' },
    contentType: 'application/json; charset=utf-8',
    text: openApiBytes,
  }),
})
