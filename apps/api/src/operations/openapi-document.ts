import { z } from 'zod'
import { defineOperation } from '../http/operation.ts'

export const openApiDocument = defineOperation({
  operationId: 'openApiDocument',
  method: 'get',
  path: '/api-docs/openapi.json',
  tag: 'Documentation',
  permission: 'none',
  summary: 'This document',
  description: 'The API in OpenAPI 3.1, made from the schemas that requests are checked with.',
  successes: [
    {
      status: 200,
      description: 'The document.',
      content: {
        mediaType: 'application/json',
        schema: z.object({ openapi: z.string() }).catchall(z.unknown()),
      },
    },
  ],
  problems: [],
  handle: (_request, { openApiText }) => ({
    status: 200,
    headers: { 'cache-control': 'no-cache' },
    contentType: 'application/json; charset=utf-8',
    text: openApiText,
  }),
})
