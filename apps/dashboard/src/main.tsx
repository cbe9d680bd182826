import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isPassing, isStatus } from './api/errors.ts'
import { queries } from './api/queries.ts'
import { createAppRouter } from './router.tsx'
// oxlint-disable-next-line import/no-unassigned-import -- A style sheet has nothing to assign.
import './ui/tokens.css'

/** How often it is tried whether the API is back. */
const awayMs = 2_000

const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      refetchOnWindowFocus: true,
      // What is not polled is read again while the API is away: it would be missing until somebody asks.
      refetchInterval: ({ state: { error } }) => (isPassing(error) ? awayMs : false),
    },
  },
  queryCache: new QueryCache({
    // The session has ended, or its key: the page asks for another.
    onError: (error) => {
      if (isStatus(error, 401)) void queryClient.invalidateQueries({ queryKey: queries.session.queryKey })
    },
  }),
})

const root = document.querySelector('#root')
if (root === null) throw new Error('the page has no place for the app')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={createAppRouter()} />
    </QueryClientProvider>
  </StrictMode>,
)
