import swaggerUi from 'swagger-ui-express'
import { defineOperation } from '../../http/operation.ts'

// The page uses relative paths, which would resolve against / when it is served at /docs.
const page = swaggerUi.generateHTML(undefined, { customSiteTitle: 'Queue API' }).replaceAll('"./', '"/docs/')

export const docs = defineOperation({
  operationId: 'docs',
  method: 'get',
  path: '/docs',
  tag: 'Documentation',
  permission: 'none',
  summary: 'Show this documentation',
  description:
    'Returns a Swagger UI page that renders the OpenAPI document and can send requests. All its assets are served by ' +
    'this API.',
  successes: [{ status: 200, description: 'The documentation page.', content: { mediaType: 'text/html' } }],
  problems: [],
  handle: () => ({
    status: 200,
    headers: { 'cache-control': 'no-cache' },
    contentType: 'text/html; charset=utf-8',
    text: page,
  }),
})
