import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { ServicesFor } from '../services.ts'
import type { Operation } from './operation.ts'
import { Problem } from './problem.ts'
import { contextOf } from './request-context.ts'
import { serveOperation } from './serve-operation.ts'

/**
 * A router for these operations. Other methods of a path get 405, other paths 404, including paths that differ only by a
 * trailing slash or in case.
 */
export function createRouter(operations: readonly Operation[], servicesFor: ServicesFor): Router {
  const router = Router({ caseSensitive: true, strict: true })
  for (const [path, operationsOfPath] of groupByPath(operations)) {
    const route = router.route(toExpressPath(path))
    for (const operation of operationsOfPath) route[operation.method](serveOperation(operation, servicesFor))
    route.all(refuseMethod(path, operationsOfPath))
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
    throw new Problem('method_not_allowed', { detail: `the path supports only ${allow}`, headers: { allow } })
  }
}
