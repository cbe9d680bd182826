import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { queries } from '../../api/queries.ts'
import { useZone } from '../../shell/live.ts'
import { Card } from '../../ui/controls.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { formatInstant } from '../../ui/format.ts'
import { stateLooks } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import styles from './schedules.module.css'

/** The states of the last runs, the newest first. Each links to its job. */
export function ScheduleRuns({ name }: { readonly name: string }) {
  const zone = useZone()
  const query = useQuery(queries.runs(name))
  const all = (
    <Link to="/jobs" search={{ schedule: name }}>
      View jobs
    </Link>
  )
  return (
    <Card title="Last runs" aside={all}>
      <Loaded query={query} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <span className={ui['muted']}>No runs yet</span>
          ) : (
            <ol className={styles['runs']}>
              {data.map(({ id, status, created_at: at }) => {
                const { icon: Icon, word, style } = stateLooks[status]
                const label = `${word}, ${formatInstant(at, zone).slice(0, 19)}`
                return (
                  <li key={id}>
                    <Link
                      to="/jobs/$id"
                      params={{ id }}
                      className={`${ui['pill']} ${style}`}
                      aria-label={label}
                      title={label}
                    >
                      <Icon size={14} aria-hidden />
                    </Link>
                  </li>
                )
              })}
            </ol>
          )
        }
      </Loaded>
    </Card>
  )
}
