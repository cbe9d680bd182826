import type { RequestHandler } from 'express'
import swaggerUi from 'swagger-ui-express'
import { z } from 'zod'
import { defineOperation } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'

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
  // The badge would ask a server elsewhere to judge the document. A token that is kept is read by whatever comes to run
  // under this origin.
  swaggerOptions: { validatorUrl: null, persistAuthorization: false, displayRequestDuration: true },
})

const validators = {
  ETag: 'What If-None-Match may name the next time.',
  'Last-Modified': 'Since when the file is as it is.',
  'Accept-Ranges': 'none: a file comes whole.',
} as const

export const docsAsset = defineOperation({
  operationId: 'docsAsset',
  method: 'get',
  path: '/docs/{asset}',
  tag: 'Documentation',
  permission: 'none',
  summary: 'A part of the documentation page',
  description: `One of ${[...assets].join(', ')}.`,
  params: z.object({ asset: z.string().meta({ description: 'The file.', example: 'swagger-ui.css' }) }),
  successes: [
    { status: 200, description: 'The file.', headers: validators, content: { mediaType: '*/*' } },
    { status: 304, description: 'The file is the one that If-None-Match names.', headers: validators },
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
    // The files are small: parts of them, and conditions on them other than "if it has changed", are not on offer.
    for (const name of ['range', 'if-match', 'if-unmodified-since']) delete req.headers[name]
    const run = (index: number) => (error?: unknown) => {
      const handler = handlers[index]
      if (error !== undefined || handler === undefined) next(error ?? new Problem('not_found'))
      else handler(req, res, run(index + 1))
    }
    run(0)()
  }
}
