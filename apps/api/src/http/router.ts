import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { ServicesFor } from '../services.ts'
import type { Operation } from './operation.ts'
import { Problem } from './problem.ts'
import { contextOf } from './request-context.ts'
import { serveOperation } from './serve-operation.ts'

/**
 * A router for these operations, and for nothing else: other methods are a 405, other paths a 404, be it that they differ
 * by a slash at the end or in their case.
 */
export function createRouter(operations: readonly Operation[], servicesFor: ServicesFor): Router {
  const router = Router({ caseSensitive: true, strict: true })
  for (const [path, sharing] of groupByPath(operations)) {
    const route = router.route(toExpressPath(path))
    for (const operation of sharing) route[operation.method](serveOperation(operation, servicesFor))
    route.all(refuseMethod(path, sharing))
  }
  router.use(() => {
    throw new Problem('not_found')
  })
  return router
}

function groupByPath(operations: readonly Operation[]): Map<string, Operation[]> {
  return Map.groupBy(operations, (operation) => operation.path)
}

/** `/jobs/{id}` as Express writes it: `/jobs/:id`. */
function toExpressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function refuseMethod(path: string, operations: readonly Operation[]): RequestHandler {
  const methods = operations.flatMap(({ method }) =>
    method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
  )
  const allow = methods.join(', ')
  return (_req: Request, res: Response) => {
    contextOf(res).route = path
    throw new Problem('method_not_allowed', { detail: `this path supports ${allow}`, headers: { allow } })
  }
}
