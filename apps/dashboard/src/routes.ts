import { createRootRoute, createRoute } from '@tanstack/react-router'
import {
  auditSearch,
  deadLetterSearch,
  errorSearch,
  goSearch,
  jobPageSearch,
  jobSearch,
  limitSearch,
  numbersSearch,
  operationSearch,
  queueSearch,
} from './search.ts'

// The addresses of the pages and their search parameters. Pages import these routes, and not each other. The components are in router.tsx.
export const rootRoute = createRootRoute()

const getParentRoute = () => rootRoute

export const overviewRoute = createRoute({ getParentRoute, path: '/', validateSearch: numbersSearch })
export const jobsRoute = createRoute({ getParentRoute, path: '/jobs', validateSearch: jobSearch })
export const jobRoute = createRoute({ getParentRoute, path: '/jobs/$id', validateSearch: jobPageSearch })
export const deadLettersRoute = createRoute({
  getParentRoute,
  path: '/dead-letters',
  validateSearch: deadLetterSearch,
})
export const errorsRoute = createRoute({ getParentRoute, path: '/errors', validateSearch: errorSearch })
export const errorRoute = createRoute({
  getParentRoute,
  path: '/errors/$fingerprint',
  validateSearch: numbersSearch,
})
export const queuesRoute = createRoute({ getParentRoute, path: '/queues' })
export const queueRoute = createRoute({
  getParentRoute,
  path: '/queues/$name',
  validateSearch: queueSearch,
})
export const limitsRoute = createRoute({ getParentRoute, path: '/limits', validateSearch: limitSearch })
export const schedulesRoute = createRoute({ getParentRoute, path: '/schedules' })
export const scheduleRoute = createRoute({ getParentRoute, path: '/schedules/$name' })
export const workersRoute = createRoute({ getParentRoute, path: '/workers' })
export const workerRoute = createRoute({ getParentRoute, path: '/workers/$id' })
export const kindsRoute = createRoute({ getParentRoute, path: '/kinds' })
export const kindRoute = createRoute({ getParentRoute, path: '/kinds/$kind', validateSearch: numbersSearch })
export const operationsRoute = createRoute({
  getParentRoute,
  path: '/operations',
  validateSearch: operationSearch,
})
export const operationRoute = createRoute({ getParentRoute, path: '/operations/$id' })
export const auditRoute = createRoute({ getParentRoute, path: '/audit', validateSearch: auditSearch })
export const keysRoute = createRoute({ getParentRoute, path: '/keys' })
export const systemRoute = createRoute({ getParentRoute, path: '/system' })
export const goRoute = createRoute({ getParentRoute, path: '/go/$alert', validateSearch: goSearch })
