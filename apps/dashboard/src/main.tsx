import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isTransient, isStatus } from './api/errors.ts'
import { queries } from './api/queries.ts'
import { createAppRouter } from './router.tsx'
// oxlint-disable-next-line import/no-unassigned-import -- A style sheet has nothing to assign.
import './ui/tokens.css'

/** How often the page retries while the API is unavailable. */
const unavailableRetryMs = 2_000

const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      refetchOnWindowFocus: true,
      // Queries that are not polled are retried too while the API is unavailable, or they would stay empty.
      refetchInterval: ({ state: { error } }) => (isTransient(error) ? unavailableRetryMs : false),
    },
  },
  queryCache: new QueryCache({
    // The session has ended, or its key was revoked: the page asks the user to sign in.
    onError: (error) => {
      if (isStatus(error, 401)) void queryClient.invalidateQueries({ queryKey: queries.session.queryKey })
    },
  }),
})

const root = document.querySelector('#root')
if (root === null) throw new Error('the page has no #root element')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={createAppRouter()} />
    </QueryClientProvider>
  </StrictMode>,
)
