import type { RequestHandler } from 'express'
import swaggerUi from 'swagger-ui-express'
import { z } from 'zod'
import { defineOperation } from '../../http/operation.ts'
import { Problem } from '../../http/problem.ts'

const assets = new Set([
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'swagger-ui-init.js',
  'favicon-16x16.png',
  'favicon-32x32.png',
])

const handlers = swaggerUi.serveFiles(undefined, {
  swaggerUrl: '/api-docs/openapi.json',
  // The validator badge would send the document to a third-party server. A persisted token could be read by any script of
  // this origin.
  swaggerOptions: { validatorUrl: null, persistAuthorization: false, displayRequestDuration: true },
})

const validators = {
  ETag: 'Entity tag of the file, for If-None-Match.',
  'Last-Modified': 'Time when the file last changed.',
  'Accept-Ranges': 'Always `none`: range requests are not supported.',
} as const

export const docsAsset = defineOperation({
  operationId: 'docsAsset',
  method: 'get',
  path: '/docs/{asset}',
  tag: 'Documentation',
  permission: 'none',
  summary: 'Get a file of the documentation page',
  description: `Returns one of ${[...assets].join(', ')}.`,
  params: z.object({
    asset: z.string().meta({ description: 'Name of the file.', example: 'swagger-ui.css' }),
  }),
  successes: [
    { status: 200, description: 'The file.', headers: validators, content: { mediaType: '*/*' } },
    {
      status: 304,
      description: 'The file has not changed since the version in If-None-Match.',
      headers: validators,
    },
  ],
  problems: ['not_found'],
  handle({ params }) {
    if (!assets.has(params.asset)) throw new Problem('not_found')
    return { delegate: serveAsset(params.asset) }
  },
})

/** Runs the handlers of Swagger UI one after the other, as a router would. */
function serveAsset(asset: string): RequestHandler {
  return (req, res, next) => {
    req.url = `/${asset}`
    res.setHeader('accept-ranges', 'none')
    // The files are small, so ranges and conditions other than If-None-Match are not supported.
    for (const name of ['range', 'if-match', 'if-unmodified-since']) delete req.headers[name]
    const run = (index: number) => (error?: unknown) => {
      const handler = handlers[index]
      if (error !== undefined || handler === undefined) next(error ?? new Problem('not_found'))
      else handler(req, res, run(index + 1))
    }
    run(0)()
  }
}
