import swaggerUi from 'swagger-ui-express'
import { defineOperation } from '../http/operation.ts'

// The page refers to its parts by relative paths, which at /docs would point beside it.
const page = swaggerUi.generateHTML(undefined, { customSiteTitle: 'Queue API' }).replaceAll('"./', '"/docs/')

export const docs = defineOperation({
  operationId: 'docs',
  method: 'get',
  path: '/docs',
  tag: 'Documentation',
  permission: 'none',
  summary: 'This documentation, to read and to try out',
  description: 'Swagger UI, served from here: nothing is loaded from elsewhere.',
  successes: [{ status: 200, description: 'The page.', content: { mediaType: 'text/html' } }],
  problems: [],
  handle: () => ({
    status: 200,
    headers: { 'cache-control': 'no-cache' },
    contentType: 'text/html; charset=utf-8',
    text: page,
  }),
})
