/** `pnpm gameday`: causes the fault of each alert in a running deployment. See `--help`. */
import { hasPrometheus } from '../test/monitoring/prometheus-server.ts'
import { readRules } from '../test/monitoring/rule-files.ts'
import { faults, notCaused } from './faults.ts'
import { openGameDay } from './game-day.ts'
import { type AlertResult, runFault } from './run-fault.ts'
import { renderTable } from './table.ts'

const help = `pnpm gameday [ALERT …]

Starts a deployment and a real Prometheus. Causes each fault, waits until its alerts fire, runs the SQL of their runbooks,
repairs the fault, and waits until the alerts clear. With names of alerts, it causes only the faults of these alerts. The
exit code is 1 if an alert did not fire or clear, and 2 if the game day could not run.
`

const args = process.argv.slice(2)
if (args.includes('--help')) process.stdout.write(help)
else process.exitCode = hasPrometheus ? await runGameDay(args) : reportMissingPrometheus()

function reportMissingPrometheus(): number {
  process.stderr.write('a game day needs the Prometheus server: apt install prometheus\n')
  return 2
}

/** Runs the faults of these alerts, or all if there are none, and returns the exit code. */
async function runGameDay(selectedAlerts: readonly string[]): Promise<number> {
  const known = readRules().alerts.map(({ alert }) => alert)
  const unknown = selectedAlerts.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    process.stderr.write(`unknown alert ${unknown}; known: ${known.join(', ')}\n`)
    return 2
  }
  const selectedFaults = faults.filter(
    ({ alerts }) => selectedAlerts.length === 0 || alerts.some((alert) => selectedAlerts.includes(alert)),
  )
  const results: AlertResult[] = []
  const day = await openGameDay()
  // Stops the processes that it has started.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void day.close().finally(() => process.exit(1)))
  try {
    for (const fault of selectedFaults) {
      process.stderr.write(`${fault.name}: ${fault.alerts.join(', ')}\n`)
      const faultResults = await runFault(day, fault)
      for (const { alert, failure, firedSeconds, clearedSeconds } of faultResults) {
        process.stderr.write(
          `  ${alert}: ${failure ?? `fired after ${firedSeconds} s, cleared after ${clearedSeconds} s`}\n`,
        )
      }
      results.push(...faultResults)
    }
  } finally {
    await day.close()
  }
  process.stdout.write(renderTable(results, notCaused))
  return results.some(({ failure }) => failure !== undefined) ? 1 : 0
}
