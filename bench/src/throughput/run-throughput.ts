import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createTestDatabases, type TestDatabases } from '@queue/dev-postgres'
import type { Contender } from '../contenders/contender.ts'
import { contenders } from '../contenders/index.ts'
import { rawSql } from '../contenders/raw-sql.ts'
import { median } from '../median.ts'
import type { Measurement, MeasurementResult } from './measurement.ts'

export interface ThroughputOptions {
  readonly serverUrl: string
  readonly measurement: Measurement
  readonly count: number
  readonly rounds: number
  readonly onStep: (step: string) => void
}

/** The median of each figure by contender. */
export type ThroughputFigures = Readonly<Record<string, MeasurementResult>>

/** Measures all contenders by turns in several rounds, each in its own database and process. */
export async function runThroughput(options: ThroughputOptions): Promise<ThroughputFigures> {
  const measured = options.measurement === 'drain' ? [...contenders, rawSql] : contenders
  const databases = measured.map((contender) => ({
    contender,
    template: templateOf(options.serverUrl, contender),
  }))
  const results = new Map<string, MeasurementResult[]>()
  try {
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const { contender, template } of databases) {
        options.onStep(`${options.measurement}, round ${round} of ${options.rounds}: ${contender.name}`)
        const result = await measureAlone(options, contender, template)
        results.set(contender.name, [...(results.get(contender.name) ?? []), result])
      }
    }
  } finally {
    for (const { template } of databases) await template.dropAll()
  }
  return Object.fromEntries([...results].map(([name, rounds]) => [name, medians(rounds)]))
}

function templateOf(serverUrl: string, contender: Contender): TestDatabases {
  return createTestDatabases({
    serverUrl,
    templateKey: `bench ${contender.name} ${process.pid}`,
    prepareTemplate: (url) => contender.prepare(url),
  })
}

const script = fileURLToPath(new URL('./measure-process.ts', import.meta.url))

async function measureAlone(
  { measurement, count }: ThroughputOptions,
  contender: Contender,
  template: TestDatabases,
): Promise<MeasurementResult> {
  const database = await template.create()
  const request = JSON.stringify({ measurement, count, contender: contender.name, url: database.url })
  const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, script, request])
  await database.drop()
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as MeasurementResult
}

function medians(rounds: readonly MeasurementResult[]): MeasurementResult {
  const [first = {}] = rounds
  return Object.fromEntries(
    Object.keys(first).map((key) => [key, median(rounds.map((round) => round[key] ?? 0))]),
  )
}
