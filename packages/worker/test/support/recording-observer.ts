import type { WorkerObserver } from '../../src/index.ts'
import { noObserver } from '../../src/observer.ts'

type Report<Name extends keyof WorkerObserver> = Parameters<WorkerObserver[Name]>[0]

/** An observer that records its events, oldest first. */
export interface RecordingObserver extends WorkerObserver {
  reports<Name extends keyof WorkerObserver>(name: Name): Report<Name>[]
}

export function recordObserver(): RecordingObserver {
  const reported: { readonly name: string; readonly report: unknown }[] = []
  const methods = Object.fromEntries(
    Object.keys(noObserver).map((name) => [name, (report: unknown) => reported.push({ name, report })]),
  )
  return {
    ...(methods as unknown as WorkerObserver),
    reports: <Name extends keyof WorkerObserver>(name: Name) =>
      reported.filter((one) => one.name === name).map((one) => one.report as Report<Name>),
  }
}
