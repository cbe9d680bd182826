import { useQuery } from '@tanstack/react-query'
import { Link, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { ActsProvider } from './acts/acts.tsx'
import { queries } from './api/queries.ts'
import { Overview } from './pages/insight/overview.tsx'
import * as routes from './routes.ts'
import { MeProvider } from './shell/me.tsx'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './shell/sign-in.tsx'
import { Page } from './ui/controls.tsx'
import { Empty, Loaded } from './ui/feedback.tsx'

/** The requested page, or the sign-in form at the same address if the user is not signed in. */
function Root(): ReactElement {
  const session = useQuery(queries.session)
  return (
    <Loaded query={{ ...session, error: session.data === undefined ? session.error : null }} rows={12}>
      {({ required, signed_in: signedIn, issuer }) =>
        required && !signedIn ? (
          <SignIn issuer={issuer} />
        ) : (
          <MeProvider>
            <ActsProvider>
              <Shell />
            </ActsProvider>
          </MeProvider>
        )
      }
    </Loaded>
  )
}

function NotFound(): ReactElement {
  return (
    <Page title="Page not found">
      <Empty title="There is no page at this address">
        <Link to="/">Go to the overview</Link>
      </Empty>
    </Page>
  )
}

const jobs = () => import('./pages/jobs/jobs.tsx')
const job = () => import('./pages/jobs/job.tsx')
const deadLetters = () => import('./pages/jobs/dead-letters.tsx')
const errors = () => import('./pages/insight/errors.tsx')
const error = () => import('./pages/insight/error.tsx')
const queues = () => import('./pages/flow/queues.tsx')
const queue = () => import('./pages/flow/queue.tsx')
const limits = () => import('./pages/flow/limits.tsx')
const schedules = () => import('./pages/schedules/schedules.tsx')
const workers = () => import('./pages/workers/workers.tsx')
const worker = () => import('./pages/workers/worker.tsx')
const kinds = () => import('./pages/kinds/kinds.tsx')
const operations = () => import('./pages/acts/operations.tsx')
const operation = () => import('./pages/acts/operation.tsx')
const audit = () => import('./pages/audit/audit.tsx')
const keys = () => import('./pages/access/keys.tsx')
const system = () => import('./pages/insight/system.tsx')
const go = () => import('./pages/insight/go.tsx')

/** All pages. All but the overview are loaded on demand. */
const routeTree = routes.rootRoute
  .update({ component: Root, notFoundComponent: NotFound })
  .addChildren([
    routes.overviewRoute.update({ component: Overview }),
    routes.jobsRoute.update({ component: lazyRouteComponent(jobs, 'Jobs') }),
    routes.jobRoute.update({ component: lazyRouteComponent(job, 'JobPage') }),
    routes.deadLettersRoute.update({ component: lazyRouteComponent(deadLetters, 'DeadLetters') }),
    routes.errorsRoute.update({ component: lazyRouteComponent(errors, 'Errors') }),
    routes.errorRoute.update({ component: lazyRouteComponent(error, 'ErrorPage') }),
    routes.queuesRoute.update({ component: lazyRouteComponent(queues, 'Queues') }),
    routes.queueRoute.update({ component: lazyRouteComponent(queue, 'QueuePage') }),
    routes.limitsRoute.update({ component: lazyRouteComponent(limits, 'Limits') }),
    routes.schedulesRoute.update({ component: lazyRouteComponent(schedules, 'Schedules') }),
    routes.scheduleRoute.update({ component: lazyRouteComponent(schedules, 'SchedulePage') }),
    routes.workersRoute.update({ component: lazyRouteComponent(workers, 'Workers') }),
    routes.workerRoute.update({ component: lazyRouteComponent(worker, 'WorkerPage') }),
    routes.kindsRoute.update({ component: lazyRouteComponent(kinds, 'Kinds') }),
    routes.kindRoute.update({ component: lazyRouteComponent(kinds, 'KindPage') }),
    routes.operationsRoute.update({ component: lazyRouteComponent(operations, 'Operations') }),
    routes.operationRoute.update({ component: lazyRouteComponent(operation, 'OperationPage') }),
    routes.auditRoute.update({ component: lazyRouteComponent(audit, 'Audit') }),
    routes.keysRoute.update({ component: lazyRouteComponent(keys, 'Keys') }),
    routes.systemRoute.update({ component: lazyRouteComponent(system, 'System') }),
    routes.goRoute.update({ component: lazyRouteComponent(go, 'Go') }),
  ])

export function createAppRouter() {
  const basepath = new URL(document.baseURI).pathname.replace(/\/$/, '')
  return createRouter({ routeTree, basepath, defaultPreload: 'intent', scrollRestoration: true })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
