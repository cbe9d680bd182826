import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useDeploys } from '../../api/deploys.ts'
import { queries } from '../../api/queries.ts'
import type { NumbersScope } from '../../numbers-range.ts'
import type { NumbersSearch } from '../../search.ts'
import { Card } from '../../ui/controls.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { plural } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import { Charts, Ranges, failurePanels } from './numbers.tsx'

interface FailuresChartProps {
  readonly scope: NumbersScope
  readonly search: NumbersSearch
  readonly change: (search: NumbersSearch) => void
}

/** Failed attempts over time, and the first start of each worker version. */
export function FailuresChart({ scope, search, change }: FailuresChartProps) {
  const query = useQuery(queries.stats(scope, search))
  const deploys = useDeploys()
  return (
    <Card title="Failures" aside={<Ranges search={search} change={change} />}>
      <Loaded query={query} rows={5}>
        {(stats) => {
          const [fromMs, toMs] = [Date.parse(stats.from), Date.parse(stats.to)]
          const within = deploys.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
          return (
            <>
              <ChartWithDeploys stats={stats} scope={scope} change={change} deploys={within} />
              <p className={ui['hint']}>
                {plural(stats.total.failed, 'permanent failure')},{' '}
                {plural(stats.total.retried, 'retry', 'retries')}.
                {within.map(({ version, atMs }) => (
                  <span key={version}>
                    {' '}
                    Oldest worker of version {version} started <Time at={new Date(atMs).toISOString()} />.
                  </span>
                ))}
              </p>
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

interface ChartWithDeploysProps extends Omit<Parameters<typeof Charts>[0], 'panels' | 'marks'> {
  readonly deploys: ReturnType<typeof useDeploys>
}

function ChartWithDeploys({ deploys, ...chartProps }: ChartWithDeploysProps) {
  const named = JSON.stringify(deploys)
  const marks = useMemo(
    () =>
      (JSON.parse(named) as typeof deploys).map(({ version, atMs }) => ({
        at: atMs / 1_000,
        label: version,
      })),
    [named],
  )
  return <Charts {...chartProps} panels={failurePanels} marks={marks} />
}
