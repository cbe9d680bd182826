/** `pnpm gameday`: causes the fault of each alert on a running deployment. `--help` says what it takes. */
import { hasPrometheus } from '../test/monitoring/prometheus-server.ts'
import { readRules } from '../test/monitoring/rule-files.ts'
import { faults, notCaused } from './faults.ts'
import { openGameDay } from './game-day.ts'
import { type AlertResult, runFault } from './run-fault.ts'
import { renderTable } from './table.ts'

const help = `pnpm gameday [ALERT …]

Starts a deployment and a real Prometheus. Causes each fault, waits until its alerts fire, runs the SQL of their runbooks,
repairs the fault, and waits until the alerts clear. Names of alerts choose the faults that cause them; without a name,
all faults are caused. The exit code is 1 where an alert did not fire or clear, and 2 where it could not run.
`

const given = process.argv.slice(2)
if (given.includes('--help')) process.stdout.write(help)
else process.exitCode = hasPrometheus ? await play(given) : explain()

function explain(): number {
  process.stderr.write('a game day needs the server of Prometheus: apt install prometheus\n')
  return 2
}

async function play(chosen: readonly string[]): Promise<number> {
  const known = readRules().alerts.map(({ alert }) => alert)
  const unknown = chosen.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    process.stderr.write(`there is no alert ${unknown}; there are ${known.join(', ')}\n`)
    return 2
  }
  const played = faults.filter(
    ({ alerts }) => chosen.length === 0 || alerts.some((one) => chosen.includes(one)),
  )
  const results: AlertResult[] = []
  const day = await openGameDay()
  // What it has started does not outlive it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void day.close().finally(() => process.exit(1)))
  try {
    for (const fault of played) {
      process.stderr.write(`${fault.name}: ${fault.alerts.join(', ')}\n`)
      const answers = await runFault(day, fault)
      for (const { alert, failure, firedSeconds, clearedSeconds } of answers) {
        process.stderr.write(
          `  ${alert}: ${failure ?? `fired ${firedSeconds} s, cleared ${clearedSeconds} s`}\n`,
        )
      }
      results.push(...answers)
    }
  } finally {
    await day.close()
  }
  process.stdout.write(renderTable(results, notCaused))
  return results.some(({ failure }) => failure !== undefined) ? 1 : 0
}
