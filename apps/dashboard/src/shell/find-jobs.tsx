import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Job } from '@queue/client'
import { queries } from '../api/queries.ts'
import { withFilters } from '../finding/fields.ts'
import { useJobFields } from '../finding/job-fields.ts'
import type { JobSearch } from '../search.ts'
import { Dialog } from '../ui/dialog.tsx'
import { SearchField } from '../ui/search-field.tsx'
import ui from '../ui/ui.module.css'

const noJobs: readonly Job[] = []

/** The job search for pages that have no search field. */
export function FindJobs({ close }: { readonly close: () => void }) {
  const navigate = useNavigate()
  const query = useQuery(queries.newestJobs)
  const fields = useJobFields({ rows: query.data?.data ?? noJobs, query })
  return (
    <Dialog title="Search jobs" close={close}>
      <SearchField
        label="Search jobs"
        place="dialog"
        placeholder="tenant:acme status:queued, a value, or a job id"
        fields={fields}
        hint={`Fields: ${fields.names.join(', ')}, metadata.<name>.`}
        choose={(chosen) => {
          close()
          if (chosen.does === 'open') {
            void navigate({ to: '/jobs/$id', params: { id: chosen.jobId } })
          } else {
            const search = withFilters(fields, {}, chosen.filters) as JobSearch
            void navigate({ to: '/jobs', search })
          }
          return undefined
        }}
      />
      <p className={ui['hint']}>
        ↑ and ↓ select a suggestion, Enter searches. Put a value with spaces in quotes.
      </p>
    </Dialog>
  )
}
